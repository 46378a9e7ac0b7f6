"""What a preset may combine: refused when it is read, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import ConfigError
from core.models.local_settings import DETECTOR, IMAGE, KINDS, TEXT, LocalSettings

if TYPE_CHECKING:
    from core.models.preset import Preset

SCORERS = ("", "embedding", "text-only", "vision-language")
CHAT_SCORERS = ("text-only", "vision-language")
SUMMARIZERS = ("contrast", "text-only", "vision-language")
CHAT_SUMMARIZERS = ("text-only", "vision-language")
LOCAL_ROLES = {
    "text_embedder": TEXT,
    "image_embedder": IMAGE,
    "joint_image_embedder": IMAGE,
    "detector": DETECTOR,
}


def check_preset(where: str, preset: Preset) -> None:
    """Raises: ConfigError for an unknown scorer or summariser, or one without the models it needs."""
    for field, known in (("scorer", SCORERS), ("summarizer", SUMMARIZERS)):
        if (value := getattr(preset, field)) not in known:
            shown = ", ".join(repr(k) for k in known)
            raise ConfigError(f"unknown {field}", where=where, value=value, remedy=f"choose one of {shown}")
    if preset.scorer in CHAT_SCORERS and not preset.scorer_chat:
        raise needs(where, f"scorer {preset.scorer!r}", "scorer_chat")
    if preset.summarizer in CHAT_SUMMARIZERS and not preset.summarizer_chat:
        raise needs(where, f"summarizer {preset.summarizer!r}", "summarizer_chat")
    for settings in preset.local.values():
        _check_local(where, settings)
    for role, can in LOCAL_ROLES.items():
        table = preset.local.get(getattr(preset, role))
        if table is not None and can not in KINDS[table.kind]:
            raise ConfigError(f"a model of kind {table.kind!r} cannot be the '{role}'", where=where)
    if preset.scorer == "embedding":
        check_one_space(where, preset)


def needs(where: str, what: str, role: str) -> ConfigError:
    """`what` cannot work without the role."""
    return ConfigError(
        f"{what} needs a chat model as '{role}'",
        where=where,
        remedy=f'add {role} = "NAME" and a table [chat.NAME]',
    )


def check_one_space(where: str, preset: Preset) -> None:
    """Raises: ConfigError if the embedding scorer would compare vectors of two models."""
    text, image = _space(preset, "text_embedder"), _space(preset, "joint_image_embedder")
    if text != image:
        raise ConfigError(
            f"scorer 'embedding' compares texts with images, but text_embedder is {text!r} and "
            f"joint_image_embedder is {image!r}",
            where=where,
            remedy="name one joint model for both, or choose another scorer",
        )


def _space(preset: Preset, role: str) -> str:
    name = str(getattr(preset, role))
    if name == "conse":  # mixes vectors of the text embedder
        return _space(preset, "text_embedder")
    if name == "server":
        table = preset.embed.get("text" if role == "text_embedder" else "image")
        return f"server {table.model} {table.revision}".strip() if table else "server"
    return preset.local[name].space if name in preset.local else name


def _check_local(where: str, settings: LocalSettings) -> None:
    where = f"{where} [local.{settings.name}]"
    if settings.kind not in KINDS:
        known = ", ".join(sorted(KINDS))
        raise ConfigError("unknown kind", where=where, value=settings.kind, remedy=f"choose one of {known}")
    if (settings.kind == "open-clip") != bool(settings.weights):
        raise ConfigError(
            "'weights' is for kind 'open-clip', which needs it",
            where=where,
            remedy="give a tag of open_clip or the path of a file there, and nothing for other kinds",
        )
