"""Presets and the models they name: a literal dict name -> factory, nothing hard-wired elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from core.errors import ConfigError
from core.models.calls import CachedChat, call_store
from core.models.embedded.conse import ConseImages
from core.models.embedded.efficientnet import EfficientNetLite0
from core.models.embedded.minilm import MiniLM
from core.models.embedded.spacy_concepts import SpacyConcepts
from core.models.preset import Preset, preset_names, read_key, read_preset
from core.models.server.images import ImageOpener
from core.seams import ConceptExtractor, Detector, ImageEmbedder, TextEmbedder

if TYPE_CHECKING:
    from core.models.local.paligemma_critic import PaliGemmaCritic
    from core.models.server.chat import ServerChat
    from core.models.server.embeddings import ServerEmbedder
    from core.models.server.offline import OfflineChat

__all__ = ["Models", "Preset", "load_preset", "preset_names"]


def load_preset(name: str) -> Preset:
    """A shipped preset by name, or a user's TOML file by path.

    Raises: ConfigError for an unknown name, an unreadable file, an unknown or missing field, or a
    model that is not registered.
    """
    preset = read_preset(name)
    where = Path(name).name
    for role, options in FACTORIES.items():
        if getattr(preset, role) not in {*options, *preset.local}:
            raise ConfigError(
                f"unknown model for '{role}'",
                where=where,
                value=getattr(preset, role),
                remedy=f"choose one of {', '.join(sorted({*options, *preset.local} - {''}))}",
            )
    return preset


class Models:
    """The models of a preset, each built when first asked for (weights load on first use)."""

    def __init__(
        self,
        preset: Preset,
        *,
        calls_dir: Path | None = None,
        open_image: ImageOpener | None = None,
        secrets: Mapping[str, str] = os.environ,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """calls_dir: where answers of chat models are kept, None = nowhere (checks only).

        open_image: opens image files for chat models. secrets: API keys by name. check: called while
        servers are asked; raises to stop.
        """
        self.preset = preset
        self._calls_dir = calls_dir
        self._open_image = open_image
        self._secrets = secrets
        self._check = check
        self._chat_models: dict[str, ServerChat | OfflineChat | PaliGemmaCritic] = {}
        self._embedders: dict[str, ServerEmbedder] = {}
        self._local_models: dict[str, Any] = {}
        self.chats: dict[str, CachedChat] = {}

    def check_keys(self) -> None:
        """Raises: ModelError if the API key of a server in the preset is not set."""
        for settings in (*self.preset.chat.values(), *self.preset.embed.values()):
            read_key(settings, self._secrets)

    def has_chat(self, role: str) -> bool:
        """Whether the preset names a model for the role (`scorer_chat`, ...)."""
        return bool(getattr(self.preset, role))

    def chat(self, role: str) -> CachedChat:
        """The chat model of a role, behind the answers kept for it.

        Raises: ConfigError if the preset has none, ModelError if its API key is not set.
        """
        if role not in self.chats:
            name = getattr(self.preset, role)
            if not name:
                raise ConfigError(
                    f"the preset {self.preset.name!r} has no model for '{role}'",
                    remedy=f'add {role} = "NAME" and a table [chat.NAME] to it',
                )
            if self._calls_dir is None:
                raise ConfigError("answers of chat models need a workspace to be kept in")
            side = self.preset.chat[name].image_max_side
            store = call_store(self._calls_dir, role)
            self.chats[role] = CachedChat(role, self.chat_model(name), store, side)
        return self.chats[role]

    def chat_model(self, name: str) -> ServerChat | OfflineChat | PaliGemmaCritic:
        """The chat model of a table; roles that name the same table share it."""
        from core.models.local.paligemma_critic import PaliGemmaCritic
        from core.models.server.chat import ServerChat
        from core.models.server.offline import OfflineChat

        if name not in self._chat_models:
            settings = self.preset.chat[name]
            made: ServerChat | OfflineChat | PaliGemmaCritic
            if settings.engine == "paligemma":
                made = PaliGemmaCritic(settings, open_image=self._open_image, check=self._check)
            elif settings.engine == "vllm-offline":
                made = OfflineChat(settings, open_image=self._open_image, check=self._check)
            else:
                made = ServerChat(
                    settings, open_image=self._open_image, secrets=self._secrets, check=self._check
                )
            self._chat_models[name] = made
        return self._chat_models[name]

    def server_embedder(self, kind: str) -> ServerEmbedder:
        """The embedder of table `[embed.KIND]`. Raises: ConfigError if the preset has no such table."""
        from core.models.server.embeddings import ServerEmbedder

        if kind not in self.preset.embed:
            raise ConfigError(
                f"the preset {self.preset.name!r} has no table [embed.{kind}]",
                remedy="add it with base_urls and model",
            )
        if kind not in self._embedders:
            settings = self.preset.embed[kind]
            self._embedders[kind] = ServerEmbedder(settings, secrets=self._secrets, check=self._check)
        return self._embedders[kind]

    def local_model(self, name: str) -> Any:
        """The model of table `[local.NAME]`; roles that name the same table share it."""
        from core.models.local.kinds import make_local

        if name not in self._local_models:
            self._local_models[name] = make_local(self.preset.local[name])
        return self._local_models[name]

    @cached_property
    def text_embedder(self) -> TextEmbedder:
        name = self.preset.text_embedder
        if name in self.preset.local:
            return cast(TextEmbedder, self.local_model(name))
        return TEXT_EMBEDDERS[name](self)

    @cached_property
    def image_embedder(self) -> ImageEmbedder:
        name = self.preset.image_embedder
        if name in self.preset.local:
            return cast(ImageEmbedder, self.local_model(name))
        return IMAGE_EMBEDDERS[name](self)

    @cached_property
    def joint_image_embedder(self) -> ImageEmbedder:
        name = self.preset.joint_image_embedder
        if name in self.preset.local:
            return cast(ImageEmbedder, self.local_model(name))
        return IMAGE_EMBEDDERS[name](self)

    @cached_property
    def detector(self) -> Detector:
        """Raises: ConfigError if the preset has none."""
        if not self.preset.detector:
            raise ConfigError(
                f"the preset {self.preset.name!r} has no detector",
                remedy='add detector = "NAME" and a table [local.NAME] of kind "owlv2"',
            )
        return cast(Detector, self.local_model(self.preset.detector))

    @cached_property
    def concept_extractor(self) -> ConceptExtractor:
        return CONCEPT_EXTRACTORS[self.preset.concept_extractor](self)


TEXT_EMBEDDERS: dict[str, Callable[[Models], TextEmbedder]] = {
    "minilm": lambda models: MiniLM(),
    "server": lambda models: models.server_embedder("text"),
}
IMAGE_EMBEDDERS: dict[str, Callable[[Models], ImageEmbedder]] = {
    "efficientnet-lite0": lambda models: EfficientNetLite0(),
    "conse": lambda models: ConseImages(EfficientNetLite0(), models.text_embedder),
    "server": lambda models: models.server_embedder("image"),
}
CONCEPT_EXTRACTORS: dict[str, Callable[[Models], ConceptExtractor]] = {
    "spacy": lambda models: SpacyConcepts(),
}
FACTORIES: dict[str, Mapping[str, object]] = {
    "text_embedder": TEXT_EMBEDDERS,
    "image_embedder": IMAGE_EMBEDDERS,
    "joint_image_embedder": IMAGE_EMBEDDERS,
    "concept_extractor": CONCEPT_EXTRACTORS,
    "detector": {"": None},
}
