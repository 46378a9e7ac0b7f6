"""OWLv2, by transformers: finds things by name in images, to validate findings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from PIL.Image import Image

from core.models.local.hub_models import HubModel
from core.seams import FloatMatrix

PROMPT = "a photo of a {}"


class Owlv2(HubModel):
    """Implements core.seams.Detector."""

    @cached_property
    def model(self) -> Any:
        return self.load_model("Owlv2ForObjectDetection")

    @cached_property
    def processor(self) -> Any:
        return self.load("AutoProcessor")

    def detect(self, images: Sequence[Image], names: Sequence[str]) -> FloatMatrix:
        """(n images, n names) float32, the best box score of each name, 0..1, higher = surer."""
        if not images or not names:
            return np.zeros((len(images), len(names)), np.float32)

        def work(batch: Sequence[Image]) -> FloatMatrix:
            return self._scores(batch, [PROMPT.format(name) for name in names])

        return self.stack(self._batches.run(images, work), len(names))

    def _scores(self, images: Sequence[Image], queries: list[str]) -> FloatMatrix:
        import torch

        pictures = [i.convert("RGB") for i in images]
        inputs = self.processor(text=[queries] * len(pictures), images=pictures, return_tensors="pt")
        with torch.inference_mode():
            logits = self.model(**self.on_device(inputs, self.model)).logits
        best = logits.float().sigmoid().amax(dim=1)
        return np.asarray(best.cpu().numpy(), np.float32)
