"""Verdicts on single sentences: their names and targets, and how far two annotators agree.

The four verdicts are those of VNLI-Critique 3. Source of kappa: Cohen 1960.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.domain.label import HumanLabel
from core.labels.replay import standing_labels

FACT_VERDICTS = ("Entailment", "Neutral", "Contradiction", "Nothing to assess")
"""The image shows it; the image does not settle it; the image shows otherwise; it says nothing visible."""
WRONG: Mapping[str, bool] = {"Contradiction": True, "Neutral": True, "Entailment": False}
"""Verdict -> whether the sentence counts as wrong; "Nothing to assess" counts as neither."""
_TARGET = re.compile(r"fact:(\d+)-(\d+):(.*)", re.DOTALL)
Place = tuple[str, int, int]
"""(sample id, start, stop) of a sentence in its caption."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of two annotators on the sentences both judged.

    n: these sentences. equal: share with the same verdict. kappa: Cohen's, 1 = full agreement, 0 = as by
    chance; None where chance alone would agree on everything.
    """

    other: str
    n: int
    equal: float
    kappa: float | None


def fact_target(place: Place) -> str:
    """The target of verdicts on a sentence."""
    sample_id, start, stop = place
    return f"fact:{start}-{stop}:{sample_id}"


def place_of(target: str) -> Place | None:
    """The sentence a target stands for, None if it is no target of a sentence."""
    found = _TARGET.fullmatch(target)
    return (found[3], int(found[1]), int(found[2])) if found else None


def verdicts_by_annotator(labels: Iterable[HumanLabel]) -> dict[str, dict[Place, HumanLabel]]:
    """annotator -> sentence -> the label that holds. labels: in the order they were written."""
    found: dict[str, dict[Place, HumanLabel]] = {}
    for (target, name), label in standing_labels(labels).items():
        place = place_of(target)
        if place is not None:
            found.setdefault(name, {})[place] = label
    return found


def agreements(by_annotator: Mapping[str, Mapping[Place, HumanLabel]], name: str) -> tuple[Agreement, ...]:
    """Agreement of one annotator with every other who judged a sentence of theirs, most shared first."""
    mine, found = by_annotator.get(name, {}), []
    for other, theirs in by_annotator.items():
        shared = [(mine[p].verdict, theirs[p].verdict) for p in mine if p in theirs]
        if other != name and shared:
            equal = sum(a == b for a, b in shared) / len(shared)
            found.append(Agreement(other, len(shared), equal, cohen_kappa(shared)))
    return tuple(sorted(found, key=lambda a: (-a.n, a.other)))


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of pairs of verdicts; None without pairs, or if both only ever gave one and the same."""
    n = len(pairs)
    if not n:
        return None
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(first[v] * second[v] for v in first) / n**2
    if chance >= 1:
        return None
    return (sum(a == b for a, b in pairs) / n - chance) / (1 - chance)
