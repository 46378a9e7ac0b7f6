"""Presets and the models they name: a literal dict name -> factory, nothing hard-wired elsewhere."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

from core.errors import ConfigError
from core.models.embedded.conse import ConseImages
from core.models.embedded.efficientnet import EfficientNetLite0
from core.models.embedded.minilm import MiniLM
from core.models.embedded.spacy_concepts import SpacyConcepts
from core.seams import ConceptExtractor, ImageEmbedder, TextEmbedder

PRESET_DIR = Path(__file__).parent / "presets"


@dataclass(frozen=True, slots=True)
class Preset:
    """A named choice of models. Every field but `name` is a field of the TOML file."""

    name: str
    description: str
    text_embedder: str
    image_embedder: str
    joint_image_embedder: str
    concept_extractor: str


def preset_names() -> list[str]:
    """Names of the presets that ship with Faultline."""
    return sorted(path.stem for path in PRESET_DIR.glob("*.toml"))


def load_preset(name: str) -> Preset:
    """A shipped preset by name, or a user's TOML file by path.

    Raises: ConfigError for an unknown name, an unreadable file, an unknown or missing field, or a
    model that is not registered.
    """
    path = Path(name) if name.endswith(".toml") else PRESET_DIR / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(preset_names())
        raise ConfigError("unknown preset", value=name, remedy=f"choose one of {known}, or a TOML file")
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"the preset is not valid TOML: {error}", where=path.name) from error
    preset = _checked(path, values)
    for role, options in FACTORIES.items():
        if getattr(preset, role) not in options:
            raise ConfigError(
                f"unknown model for '{role}'",
                where=path.name,
                value=getattr(preset, role),
                remedy=f"choose one of {', '.join(sorted(options))}",
            )
    return preset


def _checked(path: Path, values: Mapping[str, object]) -> Preset:
    wanted = {f.name for f in fields(Preset)} - {"name"}
    unknown, missing = sorted(set(values) - wanted), sorted(wanted - set(values))
    if unknown:
        raise ConfigError(
            "unknown field in the preset",
            where=path.name,
            value=unknown[0],
            remedy=f"the fields are {', '.join(sorted(wanted))}",
        )
    if missing:
        raise ConfigError("a field is missing in the preset", where=path.name, value=missing[0])
    wrong = [key for key, value in values.items() if not isinstance(value, str)]
    if wrong:
        raise ConfigError("a field of the preset is not text", where=path.name, value=values[wrong[0]])
    return Preset(name=path.stem, **{key: str(value) for key, value in values.items()})


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
