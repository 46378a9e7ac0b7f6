"""SigLIP and MedSigLIP, by transformers: texts and images in one space."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from core.models.local.hub_models import HubImages, unit_rows
from core.seams import FloatMatrix


class Siglip(HubImages):
    """Both `TextEmbedder` and `ImageEmbedder`; equal `space`.

    Texts are padded to the model's full length: it was trained so, and its vectors are wrong without.
    """

    @cached_property
    def tokenizer(self) -> Any:
        return self.load("AutoTokenizer")

    @property
    def dimensions(self) -> int:
        text = self.model.config.text_config
        return int(getattr(text, "projection_size", None) or text.hidden_size)

    @property
    def text_length(self) -> int:
        return int(self.model.config.text_config.max_position_embeddings)

    def image_rows(self, inputs: dict[str, Any]) -> Any:
        """(n, d) pooled image features."""
        return self.model.get_image_features(pixel_values=inputs["pixel_values"])

    def embed_texts(self, texts: Sequence[str]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""

        def work(batch: Sequence[str]) -> FloatMatrix:
            ids = self.tokenizer(
                list(batch),
                padding="max_length",
                truncation=True,
                max_length=self.text_length,
                return_tensors="pt",
            )["input_ids"]
            inputs = self.on_device({"input_ids": ids}, self.model)
            return unit_rows(lambda given: self.model.get_text_features(**given), inputs)

        return self.stack(self._batches.run(texts, work), self.dimensions)
