"""v by the paper's rule: the features most frequent in C_image. Paper: Symbal 4.2 (summarising), A.2.

The other rule, contrast over the whole dataset, is `core.findings.contrast`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from core.domain.finding import Vote
from core.summaries.symbal_1_textual_fact import MAX_CANDIDATES, concept_votes


def most_frequent_features(
    images: Iterable[Collection[str]], *, without: Collection[str]
) -> tuple[Vote, ...]:
    """Up to five features by how many images of C_image show them.

    images: for each image, the features present in it. without: names that are not candidates
    (the textual fact itself).
    """
    barred = set(without)
    votes = concept_votes([f for f in features if f not in barred] for features in images)
    return tuple(votes[:MAX_CANDIDATES])
