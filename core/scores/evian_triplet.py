"""The triplet of many responses by a chat model as auditor. Paper: Evian 3.3."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.chat import Ask, ImageInput
from core.domain.evian import AXES, AxisScore, EvianItem, ScoreTriplet
from core.domain.judgement import Unscored
from core.scores.evian_factual_accuracy import factual_accuracy_ask
from core.scores.evian_image_text_consistency import image_text_consistency_ask
from core.scores.evian_logical_coherence import logical_coherence_ask
from core.scores.evian_rubric import ask_scores
from core.seams import ChatModel


def questions_of(item: EvianItem, images: tuple[ImageInput, ...]) -> list[Ask | AxisScore | Unscored]:
    """The question of each axis in the order of AXES, or what there is instead of one."""
    return [
        image_text_consistency_ask(item, images),
        logical_coherence_ask(item, images),
        factual_accuracy_ask(item),
    ]


def score_triplets(
    items: Sequence[EvianItem],
    images: Sequence[tuple[ImageInput, ...]],
    chat: ChatModel,
    *,
    expected: bool = False,
) -> list[ScoreTriplet]:
    """One triplet an item, in order; one to three calls each (defaulted axes ask nothing).

    expected: also the expected score from the model's probabilities, one short call more an axis.
    """
    questions: list[Ask | AxisScore | Unscored] = []
    for item, shown in zip(items, images, strict=True):
        questions += questions_of(item, shown)
    asks = {i: q for i, q in enumerate(questions) if isinstance(q, Ask)}
    answered = ask_scores(chat, asks, expected=expected)
    scores = [answered[i] if isinstance(q, Ask) else q for i, q in enumerate(questions)]
    n = len(AXES)
    return [ScoreTriplet(item.sample_id, *scores[n * i : n * i + n]) for i, item in enumerate(items)]
