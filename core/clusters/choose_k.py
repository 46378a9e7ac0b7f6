"""Which K to try and which to take. Paper: Symbal 4.1, A.1 (K by the silhouette; grid not stated)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.domain.cluster import SweepPoint
from core.errors import ConfigError, DataError

MEMBERS_A_CLUSTER = 10
LARGEST_K = 200
LARGEST_K_HUGE = 400
HUGE = 200_000
GRID_POINTS = 20
TIE = 0.01
"""Silhouettes within 1 % of the best are ties: seeds alone move the curve by about that much."""


def default_k_grid(n: int) -> tuple[int, ...]:
    """Ascending K to try for n rows: about 20 points from 2 (10 for large n) to n / 10.

    At most 200, 400 from 200,000 rows on; (1,) below four rows; 2 and 3 are always tried for few rows.
    """
    if n < 4:
        return (1,)
    largest = min(LARGEST_K if n < HUGE else LARGEST_K_HUGE, max(n // MEMBERS_A_CLUSTER, min(3, n - 1)))
    step = max(1, round(largest / GRID_POINTS))
    return tuple(sorted({max(2, k) for k in range(largest, 1, -step)}))


def usable_grid(grid: Iterable[int], n_distinct: int) -> tuple[tuple[int, ...], str]:
    """The K of `grid` that n_distinct different rows can fill, ascending, and a note on those left out.

    Raises ConfigError for a grid without a whole number of at least 1.
    """
    asked = sorted(set(grid))
    if not asked or asked[0] < 1:
        raise ConfigError(
            "the numbers of clusters to try must be 1 or more",
            value=asked,
            remedy="leave the grid out for the default",
        )
    usable = tuple(k for k in asked if k <= n_distinct)
    if len(usable) == len(asked):
        return usable, ""
    left_out = [k for k in asked if k > n_distinct]
    note = f"K = {left_out[0]}..{left_out[-1]} left out: there are only {n_distinct} different vectors"
    return usable or (n_distinct,), note


def choose_k(curve: Sequence[SweepPoint], tie: float = TIE) -> int:
    """The K with the highest silhouette; of several within `tie` (relative) of it, the largest.

    The largest, because the best silhouette is biased to small K where clusters overlap, and clusters that
    are too coarse hide an error among correct facts. K = 1 has no silhouette and is taken only when alone.
    Departs: Symbal 4.1 takes the best silhouette and states no tie rule.
    """
    if not curve:
        raise DataError("there is no number of clusters to choose from")
    compared = [point for point in curve if point.k > 1] or list(curve)
    best = max(point.silhouette for point in compared)
    return max(point.k for point in compared if point.silhouette >= best - tie * abs(best))
