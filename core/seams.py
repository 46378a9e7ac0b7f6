"""Protocols between the engine and its models; adding a model is one class with one method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from PIL.Image import Image

from core.domain.chat import Ask, Completion, ImageInput
from core.domain.fact import Concept
from core.domain.judgement import Judgement, Unscored
from core.domain.provenance import ModelIdentity
from core.domain.scoring import ScoringItem

FloatMatrix = npt.NDArray[np.float32]
FloatVector = npt.NDArray[np.float64]
IntVector = npt.NDArray[np.int32]


class TextEmbedder(Protocol):
    """Text to unit rows. `space` names the vector space: equal spaces have comparable rows."""

    @property
    def identity(self) -> ModelIdentity: ...
    @property
    def space(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    def embed_texts(self, texts: Sequence[str]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""
        ...


class ImageEmbedder(Protocol):
    """Images to unit rows."""

    @property
    def identity(self) -> ModelIdentity: ...
    @property
    def space(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def input_pixels(self) -> int:
        """Shorter side in pixels below which an image loses detail the model could use."""
        ...

    def embed_images(self, images: Sequence[Image]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""
        ...


class ConceptExtractor(Protocol):
    """Sentences to the concepts they name."""

    @property
    def identity(self) -> ModelIdentity: ...
    def extract(self, sentences: Sequence[str]) -> list[tuple[Concept, ...]]:
        """One tuple a sentence, in reading order."""
        ...


class ChatModel(Protocol):
    """A language or vision-language model that answers questions."""

    @property
    def identity(self) -> ModelIdentity: ...
    def complete(self, asks: Sequence[Ask]) -> list[Completion | Unscored]:
        """One answer a question, in the order given; asked concurrently.

        A failed, refused or malformed answer is `Unscored` with its raw text. Raises ModelError when the
        model cannot be reached at all: nothing is invented and nothing of it is cached.
        """
        ...


class Captioner(Protocol):
    """Describes images in words. Paper: Symbal A.1, A.2."""

    @property
    def identity(self) -> ModelIdentity: ...
    def caption(self, images: Sequence[ImageInput]) -> list[str | Unscored]:
        """One caption an image, in the order given; a failed or cut one is `Unscored`."""
        ...


class Detector(Protocol):
    """Finds named things in images (open set), to validate findings."""

    @property
    def identity(self) -> ModelIdentity: ...
    def detect(self, images: Sequence[Image], names: Sequence[str]) -> FloatMatrix:
        """(n images, n names) float32, the best box score of each name, 0..1, higher = surer."""
        ...


class AlignmentScorer(Protocol):
    """Judges facts against their image or what is known of it. Higher = better aligned.

    Paper: Symbal 4.1 (embedding, text-only and vision-language scorers).
    """

    @property
    def identity(self) -> ModelIdentity: ...
    @property
    def approximate(self) -> str:
        """Why the scores are only approximate, one clause for screens and reports; "" if exact."""
        ...

    def score(self, items: Sequence[ScoringItem]) -> list[Judgement]:
        """One judgement an item, in the order given."""
        ...

    def wrong_below(self, values: FloatVector) -> float:
        """A fact with alignment below this counts as wrong in 2x2 tables.

        values: (n,) alignments of all scored facts of the dataset (some scorers are relative to it).
        """
        ...
