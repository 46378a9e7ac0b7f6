"""S_K: is the outside knowledge right? Judged from the auditor's knowledge. Paper: Evian 3.3, A.4."""

from __future__ import annotations

from core.domain.chat import Ask
from core.domain.evian import AxisScore, EvianItem
from core.domain.judgement import Unscored
from core.scores.evian_rubric import default_score, rubric_ask

PROMPT_ID = "evian/factual_accuracy@1"


def factual_accuracy_ask(item: EvianItem) -> Ask | AxisScore | Unscored:
    """The question over the marked response, without image; 2 by rule without a KNOW passage."""
    if isinstance(item.decomposition, Unscored):
        return item.decomposition
    if not item.decomposition.knowledge_claims:
        return default_score("KNOW")
    return rubric_ask(PROMPT_ID, item.decomposition.marked_response, ())
