"""Two captioners on the same images: paired tests, not two averages. Paper: VNLI-Critique 4.2 (leaderboards).

Departs: the paper compares averages. Sentences of two captions have no counterpart in each other, so McNemar
is on the images: is the whole response right?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.bench.vnli_leaderboard import (
    CRITERIA,
    RESAMPLES,
    Counts,
    Floats,
    criteria_of,
    image_sums,
    resampled,
)

FEWEST_IMAGES = 10
"""Fewer images, drawn anew, give intervals that are far too short (of one image: none at all)."""


@dataclass(frozen=True, slots=True)
class Difference:
    """value: first minus second, -1..1, above 0 = the first is better; low, high: 95 % paired bootstrap.

    p: two-sided, twice the smaller share of resamples on one side of 0, at least 1 / (resamples + 1).
    """

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, slots=True)
class Paired:
    """n_images: images with a judged caption of both. only_first: images only the first got wholly right.

    mcnemar_p: exact, two-sided; differences: by criterion, None below FEWEST_IMAGES.
    """

    first: str
    second: str
    n_images: int
    both: int
    only_first: int
    only_second: int
    neither: int
    mcnemar_p: float
    differences: dict[str, Difference | None]


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p that both are wrong alone equally often; 1 if they never differ."""
    from scipy.stats import binomtest

    n = only_first + only_second
    return float(binomtest(min(only_first, only_second), n, 0.5).pvalue) if n else 1.0


def compare(
    counts: Sequence[Counts], first: str, second: str, seed: int = 0, times: int = RESAMPLES
) -> Paired:
    """The paired comparison on the images that both captioned. Several captions of an image are averaged in;
    such an image is wholly right for McNemar if all of them are."""
    judged = [c for c in counts if c.judged and c.captioner in (first, second)]
    shared = {c.image for c in judged if c.captioner == first} & {
        c.image for c in judged if c.captioner == second
    }
    images = {image: i for i, image in enumerate(sorted(shared))}
    a, b = image_sums(judged, first, images), image_sums(judged, second, images)
    right_a, right_b = a[:, 1] == a[:, 0], b[:, 1] == b[:, 0]
    only_first, only_second = int((right_a & ~right_b).sum()), int((~right_a & right_b).sum())
    return Paired(
        first,
        second,
        len(images),
        int((right_a & right_b).sum()),
        only_first,
        only_second,
        int((~right_a & ~right_b).sum()),
        mcnemar(only_first, only_second),
        _differences(a, b, seed, times) if len(images) >= FEWEST_IMAGES else dict.fromkeys(CRITERIA),
    )


def _differences(a: Floats, b: Floats, seed: int, times: int) -> dict[str, Difference | None]:
    first, second = resampled([a, b], seed, times)
    observed = criteria_of(a.sum(axis=0)) - criteria_of(b.sum(axis=0))
    drawn = criteria_of(first) - criteria_of(second)
    found: dict[str, Difference | None] = {}
    for i, criterion in enumerate(CRITERIA):
        column = drawn[:, i][~np.isnan(drawn[:, i])]
        low, high = np.percentile(column, [2.5, 97.5])
        tail = 1 + min(int((column <= 0).sum()), int((column >= 0).sum()))
        p = min(1.0, 2 * tail / (len(column) + 1))
        found[criterion] = Difference(float(observed[i]), float(low), float(high), p)
    return found


def all_pairs(counts: Sequence[Counts], seed: int = 0, times: int = RESAMPLES) -> list[Paired]:
    """Every two captioners that share an image, in name order."""
    names = sorted({c.captioner for c in counts})
    pairs = [compare(counts, a, b, seed, times) for a, b in combinations(names, 2)]
    return [p for p in pairs if p.n_images]
