"""Presets and the models they name: a literal dict name -> factory, nothing hard-wired elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from core.errors import ConfigError
from core.models.embedded.conse import ConseImages
from core.models.embedded.efficientnet import EfficientNetLite0
from core.models.embedded.minilm import MiniLM
from core.models.embedded.spacy_concepts import SpacyConcepts
from core.models.preset import Preset, preset_names, read_preset
from core.seams import ConceptExtractor, ImageEmbedder, TextEmbedder

__all__ = ["Models", "Preset", "load_preset", "preset_names"]


def load_preset(name: str) -> Preset:
    """A shipped preset by name, or a user's TOML file by path.

    Raises: ConfigError for an unknown name, an unreadable file, an unknown or missing field, or a
    model that is not registered.
    """
    preset = read_preset(name)
    where = Path(name).name
    for role, options in FACTORIES.items():
        if getattr(preset, role) not in options:
            raise ConfigError(
                f"unknown model for '{role}'",
                where=where,
                value=getattr(preset, role),
                remedy=f"choose one of {', '.join(sorted(options))}",
            )
    return preset


class Models:
    """The models of a preset, each built when first asked for (weights load on first use)."""

    def __init__(self, preset: Preset) -> None:
        self.preset = preset

    @cached_property
    def text_embedder(self) -> TextEmbedder:
        return TEXT_EMBEDDERS[self.preset.text_embedder](self)

    @cached_property
    def image_embedder(self) -> ImageEmbedder:
        return IMAGE_EMBEDDERS[self.preset.image_embedder](self)

    @cached_property
    def joint_image_embedder(self) -> ImageEmbedder:
        return IMAGE_EMBEDDERS[self.preset.joint_image_embedder](self)

    @cached_property
    def concept_extractor(self) -> ConceptExtractor:
        return CONCEPT_EXTRACTORS[self.preset.concept_extractor](self)


TEXT_EMBEDDERS: dict[str, Callable[[Models], TextEmbedder]] = {
    "minilm": lambda models: MiniLM(),
}
IMAGE_EMBEDDERS: dict[str, Callable[[Models], ImageEmbedder]] = {
    "efficientnet-lite0": lambda models: EfficientNetLite0(),
    "conse": lambda models: ConseImages(EfficientNetLite0(), models.text_embedder),
}
CONCEPT_EXTRACTORS: dict[str, Callable[[Models], ConceptExtractor]] = {
    "spacy": lambda models: SpacyConcepts(),
}
FACTORIES: dict[str, Mapping[str, object]] = {
    "text_embedder": TEXT_EMBEDDERS,
    "image_embedder": IMAGE_EMBEDDERS,
    "joint_image_embedder": IMAGE_EMBEDDERS,
    "concept_extractor": CONCEPT_EXTRACTORS,
}
