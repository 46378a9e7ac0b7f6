"""What the models of a preset are and can do, before an audit depends on it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.errors import AuditError
from core.models.preset import CHAT_ROLES, ChatSettings, EmbedSettings, Preset, ServerSettings
from core.models.registry import Models
from core.models.server.capabilities import Capabilities
from core.models.server.probe import served_models


@dataclass(frozen=True, slots=True)
class CheckedModel:
    """One model of a preset. where: "in this process" or the servers' addresses.

    problem: why it cannot be used, "" if it can. degradation: what is worse than it could be.
    serve: command that serves it, "" if nothing has to be served.
    """

    roles: tuple[str, ...]
    model: str
    revision: str
    where: str
    problem: str
    degradation: tuple[str, ...] = ()
    capabilities: Capabilities | None = None
    serve: str = ""


def check_models(models: Models) -> list[CheckedModel]:
    """Every model behind a server, asked what it can do; embedded and local ones by name."""
    preset = models.preset
    checked = [_in_process(role, name) for role, name in in_process_roles(preset)]
    for name, chat in preset.chat.items():
        roles = tuple(role for role in CHAT_ROLES if getattr(preset, role) == name)
        checked.append(_chat(models, chat, roles))
    for kind, embed in preset.embed.items():
        checked.append(_embed(models, kind, embed))
    return checked


def in_process_roles(preset: Preset) -> list[tuple[str, str]]:
    """(role, registered name) of the models that run here."""
    roles = ("text_embedder", "image_embedder", "joint_image_embedder", "concept_extractor")
    return [(role, getattr(preset, role)) for role in roles if getattr(preset, role) != "server"]


def _in_process(role: str, name: str) -> CheckedModel:
    return CheckedModel((role,), name, "", "in this process", "")


def _chat(models: Models, settings: ChatSettings, roles: tuple[str, ...]) -> CheckedModel:
    where = ", ".join(settings.base_urls) or f"in this process ({settings.engine})"
    serve = serve_command(settings) if settings.engine == "server" else ""
    revision = settings.revision
    try:
        model = models.chat_model(settings.name)
        able, degradation = model.capabilities, model.degradation
    except AuditError as error:
        return CheckedModel(roles, settings.model, revision, where, error.sentence(), serve=serve)
    return CheckedModel(roles, settings.model, revision, where, "", degradation, able, serve)


def _embed(models: Models, kind: str, settings: EmbedSettings) -> CheckedModel:
    where, serve = ", ".join(settings.base_urls), serve_command(settings)
    problem = ""
    try:
        link = models.server_embedder(kind).link
        link.run(served_models(link, settings))
    except AuditError as error:
        problem = error.sentence()
    return CheckedModel((f"embed.{kind}",), settings.model, settings.revision, where, problem, serve=serve)


def serve_command(settings: ServerSettings) -> str:
    """The command that serves the model for the first of its addresses."""
    port = urlsplit(settings.base_urls[0]).port or 8000 if settings.base_urls else 8000
    words = ["vllm", "serve", settings.model, "--port", str(port)]
    if settings.revision:
        words += ["--revision", settings.revision]
    if isinstance(settings, EmbedSettings):
        words += ["--runner", "pooling"]
    else:
        words += ["--enable-prefix-caching", "--limit-mm-per-prompt", '{"image": 4}']
    given = shlex.split(settings.serve_args)
    return shlex.join([*words, *given])
