"""Models of this process in a preset: tables `[local.NAME]`."""

from __future__ import annotations

from dataclasses import dataclass

TEXT, IMAGE, DETECTOR = "text_embedder", "image_embedder", "detector"
KINDS: dict[str, frozenset[str]] = {
    "open-clip": frozenset({TEXT, IMAGE}),
    "siglip": frozenset({TEXT, IMAGE}),
    "sentence-transformers": frozenset({TEXT}),
    "dinov2": frozenset({IMAGE}),
    "owlv2": frozenset({DETECTOR}),
}
"""Kind of local model -> what it can be; the factories are in `core.models.registry`."""


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """A model that runs in this process: table `[local.NAME]`, named by the roles of the preset.

    kind: a key of KINDS. model: name on the hub, an open_clip architecture, or the path of a folder.
    weights: open-clip only: a tag ("laion2b_s34b_b79k") or the path of a weights file.
    revision: commit of the weights on the hub, "" = the newest; part of every key.
    device: "cpu", "cuda", "cuda:1", "mps"; "" = the best there is. Not part of a key.
    batch_size: items at once, halved when memory runs out. Not part of a key.
    """

    name: str
    model: str
    kind: str = "open-clip"
    weights: str = ""
    revision: str = ""
    device: str = ""
    batch_size: int = 32

    @property
    def space(self) -> str:
        """Equal = text and image vectors are comparable; known without loading anything."""
        return " ".join(filter(None, (self.kind, self.model, self.weights, self.revision)))
