"""Groupings of facts or images and their clusters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval [low, high] at `level` (0.95 = 95 %)."""

    low: float
    high: float
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One K of the sweep. silhouette: mean cosine silhouette, higher = better separated;
    objective: mean cosine similarity of rows to their centroid, higher = tighter."""

    k: int
    silhouette: float
    objective: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster of facts or images. Paper: Symbal 4.1, 4.2.

    mean_alignment: mean over scored members, higher = better aligned; None if nothing scored.
    rank: 1 = most misaligned among the clusters that are large enough; None = excluded.
    excluded: why the cluster is not ranked, "" if it is.
    """

    cluster_id: int
    size: int
    n_scored: int
    n_unscored: int
    mean_alignment: float | None
    interval: Interval | None
    rank: int | None = None
    excluded: str = ""
