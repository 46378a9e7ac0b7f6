"""open_clip: texts and images in one space (ViT-B-32, ViT-H-14-quickgelu, weights by path)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from core.domain.provenance import ModelIdentity
from core.errors import ModelError
from core.models.local.loading import Batches, choose_device, loading, package, weights_digest
from core.seams import FloatMatrix

REQUIREMENT = "'open_clip_torch>=3.3,<4'"


class OpenClip:
    """Both `TextEmbedder` and `ImageEmbedder`; equal `space`, so rows are comparable.

    architecture: open_clip's name. weights: open_clip's tag ("laion2b_s34b_b79k") or a path.
    Half precision on CUDA, float32 elsewhere. Raises: ModelError.
    """

    def __init__(self, architecture: str, weights: str, *, device: str = "", batch_size: int = 32) -> None:
        self._architecture = architecture
        self._weights = weights
        self._wanted = device
        self._batches = Batches(architecture, batch_size)

    @cached_property
    def _config(self) -> dict[str, Any]:
        open_clip = package("open_clip", REQUIREMENT)
        found = open_clip.get_model_config(self._architecture)
        if found is None:
            raise ModelError("open_clip has no such architecture", value=self._architecture)
        return dict(found)

    @cached_property
    def _weights_id(self) -> str:
        path = Path(self._weights)
        if path.is_file():
            return weights_digest(path)
        open_clip = package("open_clip", REQUIREMENT)
        if self._weights in open_clip.list_pretrained_tags_by_model(self._architecture):
            return self._weights
        raise ModelError(
            "the weights are neither a file nor a tag of this architecture",
            where=self._architecture,
            value=self._weights,
            remedy="give the path of the weights file",
        )

    @property
    def identity(self) -> ModelIdentity:
        transform = " ".join(str(self._preprocess_config.items()).split())
        return ModelIdentity(self._architecture, f"{self._weights_id}; {transform}", "local")

    @property
    def space(self) -> str:
        return f"open_clip {self._architecture} {self._weights_id}"

    @property
    def dimensions(self) -> int:
        return int(self._config["embed_dim"])

    @property
    def input_pixels(self) -> int:
        size = self._config["vision_cfg"]["image_size"]
        return int(min(size) if isinstance(size, (tuple, list)) else size)

    @cached_property
    def _preprocess_config(self) -> dict[str, Any]:
        open_clip = package("open_clip", REQUIREMENT)
        known = (
            {}
            if Path(self._weights).is_file()
            else open_clip.get_pretrained_cfg(self._architecture, self._weights)
        )
        names = ("mean", "std", "interpolation", "resize_mode")
        config = dict.fromkeys(names, "default") | {n: known[n] for n in names if known.get(n)}
        return config | {
            "size": self.input_pixels,
            "context": self._config["text_cfg"].get("context_length", 77),
        }

    def _check(self) -> tuple[dict[str, Any], str]:
        """Say what is wrong with architecture or weights before anything is loaded."""
        return self._config, self._weights_id

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any, str]:
        """(model, image transform, tokenizer, device)."""
        open_clip = package("open_clip", REQUIREMENT)
        self._check()
        device, weights = choose_device(self._wanted), self._weights
        precision = "fp16" if device.startswith("cuda") else "fp32"
        download = f"open_clip.create_model('{self._architecture}', '{weights}')"
        with loading(self._architecture, download):
            model, transform = open_clip.create_model_from_pretrained(
                self._architecture, weights, device=device, precision=precision
            )
            tokenizer = open_clip.get_tokenizer(self._architecture)
        return model.eval(), transform, tokenizer, device

    def embed_texts(self, texts: Sequence[str]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""

        def work(batch: Sequence[str]) -> FloatMatrix:
            model, _, tokenizer, device = self._loaded
            return _rows(model.encode_text, tokenizer(list(batch)).to(device))

        return self._stack(self._batches.run(texts, work))

    def embed_images(self, images: Sequence[Image.Image]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""

        def work(batch: Sequence[Image.Image]) -> FloatMatrix:
            import torch

            model, transform, _, device = self._loaded
            pixels = torch.stack([transform(image.convert("RGB")) for image in batch]).to(device)
            return _rows(model.encode_image, pixels.half() if device.startswith("cuda") else pixels)

        return self._stack(self._batches.run(images, work))

    def _stack(self, blocks: list[FloatMatrix]) -> FloatMatrix:
        return np.concatenate([np.zeros((0, self.dimensions), np.float32), *blocks])


def _rows(encode: Any, batch: Any) -> FloatMatrix:
    import torch

    with torch.inference_mode():
        rows = torch.nn.functional.normalize(encode(batch).float(), dim=-1)
    return np.asarray(rows.cpu().numpy(), np.float32)
