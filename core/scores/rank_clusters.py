"""Clusters by mean alignment, worst first. Paper: Symbal 4.1, 4.2 (scoring groups), A.3 (top-k)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from core.domain.cluster import Cluster, Interval
from core.seams import FloatVector

MIN_SCORED = 5
LEVEL = 0.95


def rank_clusters(
    labels: npt.NDArray[np.integer], alignment: FloatVector, *, min_scored: int = MIN_SCORED
) -> list[Cluster]:
    """All clusters, ranked ones first (rank 1 = most misaligned), then the excluded by id.

    labels: (n,) cluster of each member, -1 = in no cluster. alignment: (n,) higher = better aligned,
    NaN = unscored. The order is by the *upper* end of the mean's 95 % interval, so a tiny cluster
    does not win by chance; clusters with fewer than `min_scored` scored members are not ranked.
    Departs: the paper orders by the mean alone.
    """
    clusters = [_describe(int(c), alignment[labels == c]) for c in np.unique(labels[labels >= 0])]
    large = [c for c in clusters if c.n_scored >= min_scored]
    large.sort(key=lambda c: (c.interval.high if c.interval else math.inf, c.mean_alignment, c.cluster_id))
    ranked = [replace(cluster, rank=rank) for rank, cluster in enumerate(large, start=1)]
    rule = f"fewer than {min_scored} scored members"
    return ranked + [replace(c, excluded=rule) for c in clusters if c.n_scored < min_scored]


def _describe(cluster_id: int, alignment: FloatVector) -> Cluster:
    values = alignment[~np.isnan(alignment)]
    return Cluster(
        cluster_id=cluster_id,
        size=len(alignment),
        n_scored=len(values),
        n_unscored=len(alignment) - len(values),
        mean_alignment=float(values.mean()) if len(values) else None,
        interval=mean_interval(values),
    )


def mean_interval(values: FloatVector, level: float = LEVEL) -> Interval | None:
    """Confidence interval of the mean; None for fewer than two values.

    Wilson's interval where all values are 0 or 1, else Student's t.
    """
    n = len(values)
    if n < 2:
        return None
    mean = float(values.mean())
    if np.isin(values, (0.0, 1.0)).all():
        found = stats.binomtest(round(mean * n), n).proportion_ci(level, method="wilson")
        return Interval(float(found.low), float(found.high), level)
    half = float(stats.t.ppf(0.5 + level / 2, n - 1) * values.std(ddof=1) / math.sqrt(n))
    return Interval(mean - half, mean + half, level)
