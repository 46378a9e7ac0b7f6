"""Text vectors by sentence-transformers (Qwen3-Embedding and others)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from core.models.local.hub_models import HubModel
from core.models.local.loading import package
from core.seams import FloatMatrix


class SentenceVectors(HubModel):
    """Implements core.seams.TextEmbedder. Facts are embedded as documents, without an instruction."""

    requirement, module = "'sentence-transformers>=6.2,<7'", "sentence_transformers"

    @cached_property
    def model(self) -> Any:
        make, device = package(self.module, self.requirement).SentenceTransformer, self.device
        dtype = "bfloat16" if device.startswith("cuda") else "float32"
        options = {"device": device, "model_kwargs": {"dtype": dtype}, **self._pinned()}
        return self._loading(lambda: make(self.settings.model, **options))

    @cached_property
    def dimensions(self) -> int:
        return int(self.model.encode(["a"], show_progress_bar=False).shape[1])

    def embed_texts(self, texts: Sequence[str]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""

        def work(batch: Sequence[str]) -> FloatMatrix:
            rows = self.model.encode(
                list(batch), batch_size=len(batch), normalize_embeddings=True, show_progress_bar=False
            )
            return np.asarray(rows, np.float32)

        return self.stack(self._batches.run(texts, work), self.dimensions)
