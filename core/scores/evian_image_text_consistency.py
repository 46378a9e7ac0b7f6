"""S_V: can the visual summary be verified by looking? Paper: Evian 3.3, A.4."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.chat import Ask, ImageInput
from core.domain.evian import AxisScore, EvianItem
from core.domain.judgement import Unscored
from core.scores.evian_rubric import rubric_ask

PROMPT_ID = "evian/image_text_consistency@1"


def image_text_consistency_ask(item: EvianItem, images: Sequence[ImageInput]) -> Ask | AxisScore | Unscored:
    """The question over the visual summary. Never defaulted: Unscored without summary or image."""
    if isinstance(item.decomposition, Unscored):
        return item.decomposition
    if isinstance(item.decomposition.visual_summary, Unscored):
        return item.decomposition.visual_summary
    if not images:
        return Unscored("no image", "the row has no image to compare with")
    return rubric_ask(PROMPT_ID, item.decomposition.visual_summary, images)
