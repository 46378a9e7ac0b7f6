"""Captioners ranked by three criteria, with intervals by image, and against another ranking.

Paper: VNLI-Critique 4.2, A (Tables 3, 7, 8, 9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
CRITERIA = ("response", "sentences", "per_description")
CRITERION_NAMES = {
    "response": "Response-level correctness (all sentences right)",
    "sentences": "Correct sentences overall",
    "per_description": "Correct sentences per description",
}
RESAMPLES = 2000
DRAWS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Counts:
    """Right and judged sentences of one description; sentences without a verdict are in neither."""

    captioner: str
    image: str
    right: int
    judged: int


@dataclass(frozen=True, slots=True)
class Row:
    """One captioner. values, low, high: by criterion, 0..1, higher = better; ranks: 1 = best, ties share.

    n_descriptions: those with a judged sentence; None where nothing was judged.
    """

    captioner: str
    n_descriptions: int
    n_sentences: int
    values: Mapping[str, float | None]
    low: Mapping[str, float | None]
    high: Mapping[str, float | None]
    ranks: Mapping[str, int | None]


def image_sums(counts: Sequence[Counts], captioner: str, images: Mapping[str, int]) -> Floats:
    """(n_images, 5): descriptions judged, wholly right ones, sum of shares, right and judged sentences."""
    sums = np.zeros((len(images), 5))
    for one in counts:
        if one.captioner == captioner and one.judged and one.image in images:
            share = one.right / one.judged
            sums[images[one.image]] += (1, share == 1.0, share, one.right, one.judged)
    return sums


def criteria_of(sums: Floats) -> Floats:
    """(..., 3) from (..., 5), in the order of CRITERIA; nan where nothing was judged."""
    with np.errstate(invalid="ignore", divide="ignore"):
        n, whole, shares, right, judged = np.moveaxis(sums, -1, 0)
        return np.stack([whole / n, right / judged, shares / n], axis=-1)


def resampled(tables: Sequence[Floats], seed: int, times: int = RESAMPLES) -> list[Floats]:
    """(times, 5) sums a table, over images drawn with replacement; all tables see the same draws.

    tables: (n_images, 5) each, in one order of images. Memory: DRAWS_AT_ONCE draws of an image.
    """
    n = len(tables[0])
    rng = np.random.default_rng(seed)
    found: list[list[Floats]] = [[] for _ in tables]
    block = max(1, DRAWS_AT_ONCE // n)
    for start in range(0, times, block):
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=min(block, times - start)).astype(np.float64)
        for sums, table in zip(found, tables, strict=True):
            sums.append(drawn @ table)
    return [np.concatenate(sums) for sums in found]


def leaderboard(counts: Sequence[Counts], seed: int = 0, times: int = RESAMPLES) -> list[Row]:
    """Captioners, best first by "sentences". Intervals: 95 % percentile bootstrap over images."""
    names = sorted({c.captioner for c in counts})
    images = {image: i for i, image in enumerate(sorted({c.image for c in counts}))}
    if not images:
        return []
    sums = [image_sums(counts, name, images) for name in names]
    values = np.array([criteria_of(s.sum(axis=0)) for s in sums])
    draws = resampled(sums, seed, times)
    rows = []
    for k, name in enumerate(names):
        drawn = criteria_of(draws[k])
        ends = [
            np.percentile(d[~np.isnan(d)], [2.5, 97.5]) if (~np.isnan(d)).any() else None for d in drawn.T
        ]
        rows.append(
            Row(
                name,
                int(sums[k][:, 0].sum()),
                int(sums[k][:, 4].sum()),
                {c: _number(values[k, i]) for i, c in enumerate(CRITERIA)},
                {c: _number(e[0]) if (e := ends[i]) is not None else None for i, c in enumerate(CRITERIA)},
                {c: _number(e[1]) if (e := ends[i]) is not None else None for i, c in enumerate(CRITERIA)},
                {c: _rank(values[:, i], values[k, i]) for i, c in enumerate(CRITERIA)},
            )
        )
    return sorted(rows, key=lambda r: (r.ranks["sentences"] or len(rows) + 1, r.captioner))


def correlations(rated: Sequence[Row], truth: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Per criterion: Spearman's rho and Kendall's tau-b with two-sided p; None for fewer than 3 captioners.

    p of rho: exact by permutation for up to 8 captioners (t-approximation above); of tau: scipy's.
    """
    from scipy.stats import kendalltau

    others = {r.captioner: r for r in truth}
    found: dict[str, dict[str, Any]] = {}
    for criterion in CRITERIA:
        pairs = [
            (r.values[criterion], others[r.captioner].values[criterion])
            for r in rated
            if r.captioner in others
        ]
        known = np.array([p for p in pairs if None not in p], np.float64).reshape(-1, 2)
        x, y = known[:, 0], known[:, 1]
        empty = dict.fromkeys(("spearman", "spearman_p", "kendall", "kendall_p"))
        if len(known) < 3 or len(set(x)) < 2 or len(set(y)) < 2:
            found[criterion] = {"n": len(known), **empty}
            continue
        rho, rho_p = spearman(x, y)
        tau = kendalltau(x, y)
        found[criterion] = {
            "n": len(known),
            "spearman": rho,
            "spearman_p": rho_p,
            "kendall": float(tau.statistic),
            "kendall_p": float(tau.pvalue),
        }
    return found


def spearman(x: Floats, y: Floats) -> tuple[float, float]:
    """rho and its two-sided p: over all permutations for n <= 8, else by the t-distribution."""
    from itertools import permutations

    from scipy.stats import rankdata, spearmanr

    result = spearmanr(x, y)
    rho = float(result.statistic)
    if len(x) > 8:
        return rho, float(result.pvalue)
    a, b = rankdata(x), rankdata(y)
    all_b = np.array(list(permutations(b)))
    a, centred = a - a.mean(), all_b - b.mean()
    every = centred @ a / np.sqrt((a @ a) * (centred[0] @ centred[0]))
    return rho, float((np.abs(every) >= abs(rho) - 1e-9).mean())


def _rank(values: Floats, value: float) -> int | None:
    return None if np.isnan(value) else 1 + int((values > value + 1e-12).sum())


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
