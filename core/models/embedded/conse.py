"""ConSE: an image as the mix of its likeliest class names' text vectors.

Norouzi et al. 2014, "Zero-shot learning by convex combination of semantic embeddings". It puts
images into a text space without a joint model: an approximation, marked as one wherever it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from PIL import Image

from core.domain.provenance import ModelIdentity
from core.models.embedded.efficientnet import EfficientNetLite0
from core.seams import FloatMatrix, TextEmbedder

TOP_CLASSES = 10


class ConseImages:
    """Images to unit rows in the text embedder's space: probability-weighted top-10 class names."""

    def __init__(self, classifier: EfficientNetLite0, text: TextEmbedder) -> None:
        self._classifier = classifier
        self._text = text
        self.space = text.space
        self.dimensions = text.dimensions
        self.input_pixels = classifier.input_pixels

    @property
    def identity(self) -> ModelIdentity:
        parts = (self._classifier.identity, self._text.identity)
        revision = "+".join(f"{p.name}@{p.revision}" for p in parts) + f"+top{TOP_CLASSES}"
        return ModelIdentity("conse", revision, "embedded", baseline=True)

    @cached_property
    def _class_vectors(self) -> FloatMatrix:
        return self._text.embed_texts(self._classifier.class_names)

    def embed_images(self, images: Sequence[Image.Image]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""
        probabilities = self._classifier.classify_images(images)
        top = np.argpartition(-probabilities, TOP_CLASSES - 1, axis=1)[:, :TOP_CLASSES]
        weights = np.take_along_axis(probabilities, top, axis=1)
        mixed = np.einsum("nk,nkd->nd", weights, self._class_vectors[top])
        return np.asarray(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-12), np.float32)
