"""Names of one thing among the features: "tv" and "television", every word for a person.

A feature split over several names loses to a companion with one name: "living room" beat "couch" where half
the references say "sofa". Heuristic: two names are one thing if a text embedder finds them nearly equal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from core.domain.people import PEOPLE
from core.seams import FloatMatrix

SAME_FROM = 0.85
"""Cosine from which two names are one thing. In MiniLM's space tv and television have .96, couch and sofa
.86; dog and puppy .80, oven and stove .68, truck and car .69."""
MOST_NAMES = 5000
"""Only the most frequent names are compared: a rare name loses nothing by standing alone."""
FEW_PAIRS = 10
PERSON = "person"

OneName = Mapping[str, str]
"""Name -> the most frequent name of the same thing; a name that stands for itself is left out."""


def frequent_names(counts: Mapping[str, int], limit: int = MOST_NAMES) -> list[str]:
    """The names with most samples, most frequent first; names of the same count by alphabet."""
    return sorted(counts, key=lambda name: (-counts[name], name))[:limit]


def one_name(names: Sequence[str], vectors: FloatMatrix) -> dict[str, str]:
    """Which names are called by a more frequent name of the same thing.

    names: most frequent first. vectors: (n, d) unit rows. A name joins the first name of cosine at least .85
    that stands for itself. In a space where everything is close (CLIP's) .85 is too low: at most half as many
    pairs as names are taken (and ten), the closest ones.
    """
    if len(names) < 2:
        return {}
    cosine = vectors @ vectors.T
    cosine[np.tril_indices(len(names))] = -1.0
    least = max(SAME_FROM, _closest(cosine, max(FEW_PAIRS, len(names) // 2)))
    first, second = np.nonzero(cosine >= least)
    partners: dict[int, list[int]] = {}
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        partners.setdefault(b, []).append(a)
    found: dict[int, int] = {}
    for b in range(len(names)):
        leader = next((a for a in sorted(partners.get(b, ())) if a not in found), None)
        if leader is not None and not _tells_a_person(names[leader], names[b]):
            found[b] = leader
    return {names[b]: names[a] for b, a in found.items()}


def _closest(cosine: npt.NDArray[np.floating], n_pairs: int) -> float:
    """The cosine that `n_pairs` pairs reach."""
    high = cosine[cosine >= SAME_FROM]
    if len(high) <= n_pairs:
        return SAME_FROM
    return float(np.partition(high, len(high) - n_pairs)[len(high) - n_pairs]) if n_pairs else 2.0


def _tells_a_person(one: str, other: str) -> bool:
    """A snowboard is no snowboarder: a name of a person and a name of a thing never join."""
    return (_head(one) in PEOPLE) != (_head(other) in PEOPLE)


def _head(name: str) -> str:
    return name.rsplit(" ", 1)[-1]


def features_of(names: Iterable[str], called: OneName) -> set[str]:
    """The features a set of names stands for: each by its one name, and "person" for any person."""
    features = {called.get(name, name) for name in names}
    if any(_head(name) in PEOPLE for name in features):
        features.add(PERSON)
    return features


def also_barred(textual_fact: str, called: OneName) -> Collection[str]:
    """Features that only repeat t under its one name, or that any person repeats where t is one."""
    barred = {called.get(textual_fact, textual_fact)}
    if _head(textual_fact) in PEOPLE:
        barred.add(PERSON)
    return barred
