"""Ranking and selection by the triplet. Paper: Evian 3.4.

Departs: the paper's formula for the overall score did not survive in our copy of it; we take the mean of
the three scores with weights that can be set (1, 1, 1 as given).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.errors import ConfigError

Scores = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of S_V, S_L and S_K in the overall score, at least 0 and not all 0."""

    image_text_consistency: float = 1.0
    logical_coherence: float = 1.0
    factual_accuracy: float = 1.0

    def row(self) -> Scores:
        """(3,) in the order of AXES. Raises: ConfigError for weights that are no weights."""
        values = np.array(
            [self.image_text_consistency, self.logical_coherence, self.factual_accuracy], np.float64
        )
        if not np.isfinite(values).all() or (values < 0).any() or not values.any():
            raise ConfigError(
                "weights of the axes are numbers from 0, not all 0", value=tuple(values.tolist())
            )
        return values


def overall(
    scores: Scores, defaulted: Flags, weights: Weights | None = None, *, count_defaulted: bool = True
) -> Scores:
    """(n,) weighted means of the axes, 1..5, higher = better; NaN where nothing counts.

    scores: (n, 3), NaN = unscored; an unscored axis makes the whole unscored when defaulted axes
    count, because the means would not be comparable. defaulted: (n, 3).
    count_defaulted: False leaves out axes that are 2 by rule, so that "no claim" costs nothing.
    """
    w = np.broadcast_to((weights or Weights()).row(), scores.shape)
    used = w > 0
    counts = used & ~defaulted if not count_defaulted else used
    unscored = (np.isnan(scores) & counts).any(axis=1)
    total = np.where(counts, w, 0.0).sum(axis=1)
    summed = np.where(counts, np.nan_to_num(scores) * w, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = summed / total
    mean[unscored | (total == 0)] = np.nan
    return np.asarray(mean, np.float64)


def select_top(overall_scores: Scores, n: int, sources: Sequence[str] | None = None) -> npt.NDArray[np.int64]:
    """Row numbers of the n best, ascending; ties go to the earlier row; unscored rows are never taken.

    sources: stratify: each source gets its share of n by its size, largest remainders first.
    """
    order = _best_first(overall_scores)
    if sources is None:
        return np.sort(order[: max(0, n)])
    names = np.asarray(sources, dtype=object)[order]
    groups = {name: order[names == name] for name in sorted(set(names.tolist()))}
    quota = _quotas({k: len(v) for k, v in groups.items()}, n)
    chosen = [groups[name][: quota[name]] for name in groups]
    return np.sort(np.concatenate(chosen)) if chosen else np.zeros(0, np.int64)


def select_above(overall_scores: Scores, threshold: float) -> npt.NDArray[np.int64]:
    """Row numbers with an overall score of at least `threshold`, ascending."""
    with np.errstate(invalid="ignore"):
        return np.flatnonzero(overall_scores >= threshold).astype(np.int64)


def _best_first(values: Scores) -> npt.NDArray[np.int64]:
    scored = np.flatnonzero(~np.isnan(values))
    return scored[np.argsort(-values[scored], kind="stable")].astype(np.int64)


def _quotas(sizes: dict[str, int], n: int) -> dict[str, int]:
    total = sum(sizes.values())
    if n >= total:
        return sizes
    exact = {k: n * size / total for k, size in sizes.items()}
    quota = {k: int(v) for k, v in exact.items()}
    by_rest = sorted(exact, key=lambda k: (quota[k] - exact[k], k))
    for name in by_rest[: max(0, n - sum(quota.values()))]:
        quota[name] += 1
    return quota
