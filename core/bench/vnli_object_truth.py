"""Which sentences name a COCO object that is not in the image: labels made from object lists, by words.

Departs: people's labels are better; these know the 80 COCO categories only, and a sentence that names none
of them counts as right. The names come from the benchmark's written table, not from the scorer's model.
Paper: VNLI-Critique 4.2 (what the leaderboard is compared with).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from core.bench.symbalbench.names import name_table, plain

AMBIGUOUS = frozenset(
    {"orange", "plane", "cycle", "auto", "jet", "bat", "ball", "mitt", "glove", "tube", "set"}
)
"""Words that mean something else too often ("an orange shirt")."""


@cache
def _terms_by_name(terms: frozenset[str]) -> tuple[tuple[str, frozenset[str]], ...]:
    """(name, the terms it may mean), longest name first."""
    found: dict[str, set[str]] = {}
    for term, names in name_table().items():
        if term in terms:
            for name in names.same - AMBIGUOUS:
                found.setdefault(name, set()).add(term)
    return tuple(
        sorted(((n, frozenset(t)) for n, t in found.items()), key=lambda x: (-len(x[0].split()), x[0]))
    )


def wrong_objects(sentence: str, objects: Collection[str], vocabulary: frozenset[str]) -> list[str]:
    """Names in the sentence that mean an object of the vocabulary that is not in `objects`, in no order.

    A longer name is read first, so "hot dog" is no dog. A name of two things is wrong if both are missing.
    """
    text = f" {plain(sentence)} "
    wrong = []
    for name, terms in _terms_by_name(vocabulary):
        if f" {name} " in text:
            text = text.replace(f" {name} ", " | ")
            if not terms & set(objects):
                wrong.append(name)
    return wrong
