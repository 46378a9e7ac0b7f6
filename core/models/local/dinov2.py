"""DINOv2 image vectors, by transformers: the class token of the last layer. Grouping images only."""

from __future__ import annotations

from typing import Any

from core.models.local.hub_models import HubImages


class DinoV2(HubImages):
    """Implements core.seams.ImageEmbedder. Not comparable with any text."""

    @property
    def dimensions(self) -> int:
        return int(self.model.config.hidden_size)

    def image_rows(self, inputs: dict[str, Any]) -> Any:
        """(n, hidden) class tokens after the last layer norm."""
        return self.model(**inputs).last_hidden_state[:, 0]
