"""Vectors from /v1/embeddings: texts as `input`, images as `messages` (vLLM's pooling runner)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from PIL.Image import Image

from core.domain.provenance import ModelIdentity
from core.errors import ModelError
from core.models.preset import EmbedSettings
from core.models.server.images import jpeg_url, preprocessing
from core.models.server.link import NoAnswerError, RefusedError, ServerLink
from core.seams import FloatMatrix


class ServerEmbedder:
    """Texts and images to unit rows. Implements core.seams.TextEmbedder and ImageEmbedder.

    Texts and images of one model are in one space. Raises: ServerDownError when no server answers,
    ModelError when a request is refused: a missing vector would have no place to go.
    """

    def __init__(
        self,
        settings: EmbedSettings,
        *,
        secrets: Mapping[str, str] = os.environ,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = settings
        self.link = ServerLink(settings, secrets)
        self._check = check

    @property
    def identity(self) -> ModelIdentity:
        settings = self.settings
        revision = settings.revision or "revision not given"
        padding = f"; padding {settings.text_padding}" if settings.text_padding else ""
        return ModelIdentity(
            settings.model, f"{revision}; {preprocessing(settings.image_max_side)}{padding}", "server"
        )

    @property
    def space(self) -> str:
        return f"{self.settings.model}@{self.settings.revision or 'revision not given'}"

    @cached_property
    def dimensions(self) -> int:
        """Length of a row; one text is embedded to find it."""
        return int(self.embed_texts(["a"]).shape[1])

    @property
    def input_pixels(self) -> int:
        return self.settings.input_pixels

    def embed_texts(self, texts: Sequence[str]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""
        size = self.settings.batch_size
        batches = [list(texts[i : i + size]) for i in range(0, len(texts), size)]
        extra = {"padding": self.settings.text_padding} if self.settings.text_padding else {}
        bodies = [({"input": batch, **extra}, len(batch)) for batch in batches]
        return self._embed(bodies)

    def embed_images(self, images: Sequence[Image]) -> FloatMatrix:
        """(n, dimensions) float32, L2-normalised rows, in the order given."""
        bodies = []
        for image in images:
            part = {"type": "image_url", "image_url": {"url": jpeg_url(image, self.settings.image_max_side)}}
            bodies.append(({"messages": [{"role": "user", "content": [part]}]}, 1))
        return self._embed(bodies)

    def _embed(self, bodies: Sequence[tuple[dict[str, Any], int]]) -> FloatMatrix:
        if not bodies:
            return np.zeros((0, self.dimensions), np.float32)
        self._check()
        rows = np.concatenate(self.link.run(self._all(bodies)))
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(rows).all() or not (norms > 0).all():
            raise self._broken("a vector is zero or not finite")
        return np.asarray(rows / norms, np.float32)

    async def _all(self, bodies: Sequence[tuple[dict[str, Any], int]]) -> list[FloatMatrix]:
        gate = asyncio.Semaphore(self.settings.max_concurrency)

        async def one(index: int) -> FloatMatrix:
            async with gate:
                return await self._one(*bodies[index], pin=str(index))

        tasks = [asyncio.create_task(one(i)) for i in range(len(bodies))]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def _one(self, body: Mapping[str, Any], n: int, pin: str) -> FloatMatrix:
        request = {"model": self.settings.model, "encoding_format": "float", **body}
        try:
            answer = await self.link.post("/embeddings", request, pin)
        except RefusedError as error:
            raise self._broken(error.detail) from error
        except NoAnswerError as error:
            raise self._broken(error.detail) from error
        try:
            entries = sorted(answer["data"], key=lambda entry: entry["index"])
            rows = np.array([entry["embedding"] for entry in entries], np.float32)
        except (TypeError, KeyError, ValueError):
            raise self._broken("the answer is not a list of vectors") from None
        if rows.ndim != 2 or len(rows) != n:
            raise self._broken(f"{n} vectors were asked for, {len(rows)} came")
        return rows

    def _broken(self, detail: str) -> ModelError:
        return ModelError(
            f"the embedding server gave no usable vectors: {detail}",
            where=self.settings.model,
            remedy="check the server with `python -m core models check`, then resume the run",
        )
