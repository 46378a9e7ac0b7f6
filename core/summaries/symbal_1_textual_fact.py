"""t: what the misaligned facts of C_text have in common. Paper: Symbal 4.1 (summarising), A.1, A.3.

Departs: the embedded summariser counts concepts instead of asking an LLM for features per fact;
the second step (most frequent features) is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from core.domain.finding import TextualFact, Vote

MAX_CANDIDATES = 5
MIN_VOTES = 3
MIN_SHARE = 0.2


def concept_votes(misaligned: Iterable[Sequence[str]]) -> list[Vote]:
    """Concepts by how many misaligned facts hold them, most first, ties by name.

    misaligned: for each misaligned fact of the cluster, the concepts it says wrongly (or, where the
    scorer does not tell, all it names). One vote a fact and concept.
    """
    counts: Counter[str] = Counter()
    for concepts in misaligned:
        counts.update(set(concepts))
    return [Vote(t, float(n)) for t, n in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))]


def textual_facts(misaligned: Sequence[Sequence[str]]) -> list[TextualFact]:
    """The textual facts a cluster stands for, strongest first; [] if nothing recurs.

    A concept counts when at least 3 misaligned facts hold it and it makes up at least a fifth of
    them. Departs: the paper names one concept a cluster; a cluster of "handbags and backpacks" may
    hold two recurring errors, and both are kept.
    """
    votes = concept_votes(misaligned)
    candidates = tuple(votes[:MAX_CANDIDATES])
    needed = max(MIN_VOTES, MIN_SHARE * len(misaligned))
    kept = [vote for vote in candidates if vote.weight >= needed]
    return [
        TextualFact(vote.text, (vote, *(other for other in candidates if other is not vote))) for vote in kept
    ]
