"""What models of transformers share: loading with one-sentence errors, device, batches, identity."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL.Image import Image

from core.domain.provenance import ModelIdentity
from core.models.local.loading import Batches, choose_device, loading, package, weights_digest
from core.models.local_settings import LocalSettings
from core.seams import FloatMatrix

TRANSFORMERS = "'transformers>=5.24,<6'"


class HubModel:
    """A model by its name on the hub or by the path of a folder; nothing is loaded before it is used.

    Half precision (bfloat16) on CUDA, float32 elsewhere. Raises: ModelError where the package, the weights,
    the network or the memory is missing.
    """

    requirement, module = TRANSFORMERS, "transformers"

    def __init__(self, settings: LocalSettings) -> None:
        self.settings = settings
        self._batches = Batches(settings.model, settings.batch_size)

    @cached_property
    def _revision(self) -> str:
        """Digest of a folder; for the hub the commit asked for."""
        folder = Path(self.settings.model)
        return weights_digest(folder) if folder.is_dir() else self.settings.revision or "revision not given"

    @property
    def identity(self) -> ModelIdentity:
        """The name (of a folder only its last part) and what decides the output, preprocessing included."""
        name = Path(self.settings.model).name if Path(self.settings.model).is_dir() else self.settings.model
        return ModelIdentity(name, f"{self._revision}; {self.settings.kind}, own preprocessing", "local")

    @property
    def space(self) -> str:
        return f"{self.settings.kind} {self.identity.name} {self._revision}"

    @cached_property
    def device(self) -> str:
        return choose_device(self.settings.device)

    def load(self, class_name: str, **options: Any) -> Any:
        """`transformers.CLASS.from_pretrained(model)`."""
        source = getattr(package(self.module, self.requirement), class_name)
        return self._loading(lambda: source.from_pretrained(self.settings.model, **self._pinned(), **options))

    def load_model(self, class_name: str) -> Any:
        """The same for weights, on the device, ready to run."""
        torch = package("torch", "torch")
        dtype = torch.bfloat16 if self.device.startswith("cuda") else torch.float32
        loaded = self.load(class_name, dtype=dtype)
        return self._loading(lambda: loaded.to(self.device).eval())

    def _pinned(self) -> dict[str, str]:
        return {"revision": self.settings.revision} if self.settings.revision else {}

    def _loading(self, work: Any) -> Any:
        with loading(self.settings.model, f"hf download {self.settings.model}"):
            return work()

    def on_device(self, inputs: Any, model: Any) -> dict[str, Any]:
        """Tensors where the model is; fractions in its precision."""
        moved = {name: value.to(self.device) for name, value in inputs.items()}
        return {n: v.to(model.dtype) if v.is_floating_point() else v for n, v in moved.items()}

    def stack(self, blocks: list[FloatMatrix], dimensions: int) -> FloatMatrix:
        """All batches, in order."""
        return np.concatenate([np.zeros((0, dimensions), np.float32), *blocks])


class HubImages(HubModel):
    """Image vectors: subclasses give `image_rows`."""

    @cached_property
    def processor(self) -> Any:
        return self.load("AutoImageProcessor")

    @cached_property
    def model(self) -> Any:
        return self.load_model("AutoModel")

    @property
    def dimensions(self) -> int:
        raise NotImplementedError

    @property
    def input_pixels(self) -> int:
        """Shorter side of what the model sees."""
        size = self.processor.size
        crop = getattr(self.processor, "crop_size", None)
        given = crop if getattr(self.processor, "do_center_crop", False) and crop else size
        values = [given[k] for k in ("height", "width", "shortest_edge") if given.get(k)]
        return int(min(values))

    def image_rows(self, inputs: dict[str, Any]) -> Any:
        raise NotImplementedError

    def embed_images(self, images: Sequence[Image]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""

        def work(batch: Sequence[Image]) -> FloatMatrix:
            inputs = self.processor(images=[i.convert("RGB") for i in batch], return_tensors="pt")
            return unit_rows(self.image_rows, self.on_device(inputs, self.model))

        return self.stack(self._batches.run(images, work), self.dimensions)


def unit_rows(encode: Any, inputs: dict[str, Any]) -> FloatMatrix:
    """(n, d) L2-normalised float32 rows of encode(inputs)."""
    import torch

    with torch.inference_mode():
        rows = torch.nn.functional.normalize(pooled(encode(inputs)).float(), dim=-1)
    return np.asarray(rows.cpu().numpy(), np.float32)


def pooled(output: Any) -> Any:
    """The tensor of an output that some versions wrap."""
    return getattr(output, "pooler_output", output)
