"""S_L: does what is inferred follow from what the image shows? Paper: Evian 3.3, A.4."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.chat import Ask, ImageInput
from core.domain.evian import AxisScore, EvianItem
from core.domain.judgement import Unscored
from core.scores.evian_rubric import default_score, rubric_ask

PROMPT_ID = "evian/logical_coherence@1"


def logical_coherence_ask(item: EvianItem, images: Sequence[ImageInput]) -> Ask | AxisScore | Unscored:
    """The question over the marked response; 2 by rule without an INFER passage; Unscored without image."""
    if isinstance(item.decomposition, Unscored):
        return item.decomposition
    if not item.decomposition.inferences:
        return default_score("INFER")
    if not images:
        return Unscored("no image", "reasoning is judged against the image, and there is none")
    return rubric_ask(PROMPT_ID, item.decomposition.marked_response, images)
