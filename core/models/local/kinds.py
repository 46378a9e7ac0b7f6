"""Kinds of models that run in this process: a literal dict kind -> factory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.models.local.dinov2 import DinoV2
from core.models.local.open_clip_pair import OpenClip
from core.models.local.owlv2 import Owlv2
from core.models.local.sentence_vectors import SentenceVectors
from core.models.local.siglip import Siglip
from core.models.local_settings import LocalSettings


def _open_clip(settings: LocalSettings) -> OpenClip:
    return OpenClip(settings.model, settings.weights, device=settings.device, batch_size=settings.batch_size)


FACTORIES: dict[str, Callable[[LocalSettings], Any]] = {
    "open-clip": _open_clip,
    "dinov2": DinoV2,
    "siglip": Siglip,
    "sentence-transformers": SentenceVectors,
    "owlv2": Owlv2,
}


def make_local(settings: LocalSettings) -> Any:
    """The model of a table; nothing is loaded yet."""
    return FACTORIES[settings.kind](settings)
