"""Group unit rows by spherical k-means over a range of K and take the K with the best silhouette.

Paper: Symbal 4.1, A.1. Departs: the largest K is fitted once and merged down (`method="downward"`); the
paper's way, a fit of its own for every K, is `method="independent"`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.clusters.choose_k import choose_k, default_k_grid, usable_grid
from core.clusters.fused_pass import fused_pass
from core.clusters.merge_centroids import absorb_small, merge_cheapest
from core.clusters.silhouette import silhouette
from core.clusters.spherical_kmeans import (
    Partition,
    fit_faiss,
    fit_overseeded,
    lloyd,
    merged,
    moved,
    partition_of,
    unit_centroids,
)
from core.domain.cluster import SweepPoint
from core.errors import ConfigError
from core.seams import FloatMatrix, IntVector
from core.vectors.row_blocks import BlockPool, checked_rows, distinct_rows

Method = Literal["downward", "independent"]
Progress = Callable[[int, int], None]

OVER_SEED = 2.0
"""Start from this many times the largest K. On caption sentences and on mixtures with heavy-tailed sizes
2.0 had a higher silhouette at K >= 140 than 1.5 for 10 % more time; 3.0 gained little more."""
FEWEST_SEEDS = 256
"""With few rows, all of them are seeds: the start is then Ward's agglomeration itself."""
SETTLED = 0.01
MORE_STEPS = 2
"""Up to two more Lloyd steps a K while more than 1 % of the rows move."""
SWEEP_ROWS = 40_000
FULL_STEPS = 3
"""Above 40,000 rows the sweep runs on a sample and ends with three full Lloyd steps."""


@dataclass(frozen=True, slots=True, eq=False)
class KSweep:
    """A grouping and the curve its K was chosen from.

    labels: (n,) int32 in 0..effective_k-1, no cluster empty. centroids: (effective_k, d) float32 unit rows.
    k: the chosen point of the curve. effective_k: clusters there are; below k where clusters under the
        smallest size were joined to others.
    curve: one point a K, ascending; of the sample when `n_swept` < n. Silhouette higher = better separated;
        0 at K = 1, where it is not defined; float32, right to about 1e-4 even for near-duplicates.
    silhouette, objective: of `labels`, over all rows; the silhouette exact as by `silhouette`.
    n_distinct: different rows among those swept. note: what an analyst should know, "" if nothing.
    """

    labels: IntVector
    centroids: FloatMatrix
    k: int
    curve: tuple[SweepPoint, ...]
    effective_k: int
    silhouette: float
    objective: float
    n_swept: int
    n_distinct: int
    note: str


def sweep_k(
    rows: npt.NDArray[np.floating],
    *,
    k_grid: Iterable[int] | None = None,
    seed: int = 0,
    method: Method = "downward",
    min_cluster_size: int | None = None,
    k: int | None = None,
    fit_dimensions: int | None = None,
    max_rows: int = SWEEP_ROWS,
    threads: int | None = None,
    on_progress: Progress | None = None,
    name_of: Callable[[int], str] | None = None,
) -> KSweep:
    """Cluster (n, d) unit rows for every K of the grid; the same for a seed at any number of threads.

    k_grid: default by `default_k_grid`; K above the number of different rows are left out.
    min_cluster_size: smaller clusters join their cheapest neighbour; default 5, less below 50 rows.
    k: take this K instead of the best silhouette; it is added to the grid.
    fit_dimensions: run the start in that many PCA dimensions (all K are refined in full either way).
    max_rows: above, the curve is of a random sample of that many rows and all rows are assigned at the end.
    threads: None = all cores. on_progress: called with (K done, K in all); may raise to stop.
    name_of: what row i belongs to, for error messages.
    Four rows or fewer different ones than two are one cluster. Raises DataError for no rows and for rows
    that are not unit vectors, ConfigError for options that mean nothing. `method="independent"` with faiss
    is the paper's setting: its curve may differ in the last digits between numbers of threads.
    """
    if method not in ("downward", "independent"):
        raise ConfigError("the sweep is 'downward' or 'independent'", where="method", value=method)
    if (k is not None and k < 1) or (fit_dimensions is not None and fit_dimensions < 1) or max_rows < 2:
        raise ConfigError(
            "K and the number of dimensions must be at least 1, the number of rows to sweep at least 2",
            value={"k": k, "fit_dimensions": fit_dimensions, "max_rows": max_rows},
        )
    with BlockPool(threads) as pool:
        full, _ = checked_rows(rows, pool, name_of)
    generator = np.random.default_rng(seed)
    swept = full
    if len(full) > max_rows:
        swept = full[np.sort(generator.choice(len(full), max_rows, replace=False))]
    n_distinct = len(distinct_rows(swept))
    grid, note = _grid(k_grid, k, len(full), len(swept), n_distinct)
    run = _Run(
        swept, grid, seed, generator, fit_dimensions, threads, on_progress or (lambda done, total: None)
    )
    curve, partitions = run.independent() if method == "independent" else run.downward()
    chosen = choose_k(curve) if k is None else min(grid, key=lambda tried: (abs(tried - k), tried))
    smallest = default_min_cluster_size(len(full)) if min_cluster_size is None else min_cluster_size
    return _finish(full, swept, partitions[chosen], chosen, curve, smallest, n_distinct, note, threads)


def default_min_cluster_size(n: int) -> int:
    """5, or a tenth of the rows below 50, at least 1."""
    return max(1, min(5, n // 10))


def _grid(
    k_grid: Iterable[int] | None, k: int | None, n: int, n_swept: int, n_distinct: int
) -> tuple[tuple[int, ...], str]:
    """The K to try, ascending, and a note."""
    if n < 4 or n_distinct < 2:
        why = f"{n} vectors" if n < 4 else "all vectors are equal"
        return (1,), f"one cluster: {why}"
    asked = default_k_grid(n) if k_grid is None else tuple(k_grid)
    grid, note = usable_grid((*asked, k) if k is not None else asked, n_distinct)
    if n_swept < n:
        sample = f"the curve is of a random sample of {n_swept:,} of {n:,} vectors"
        note = f"{note}; {sample}" if note else sample
    return grid, note


@dataclass(frozen=True, slots=True)
class _Run:
    """What both methods need; each returns the curve (ascending) and the labels at each K."""

    rows: FloatMatrix
    grid: tuple[int, ...]
    seed: int
    generator: np.random.Generator
    fit_dimensions: int | None
    threads: int | None
    on_progress: Progress

    def downward(self) -> tuple[tuple[SweepPoint, ...], dict[int, IntVector]]:
        """Fit above the largest K, then merge to each smaller K and refine, one fused pass a step."""
        points: dict[int, SweepPoint] = {}
        labels: dict[int, IntVector] = {}

        def visited(k: int, part: Partition, score: float) -> None:
            """Keep the best partition seen at this K."""
            if k not in points or score > points[k].silhouette:
                points[k], labels[k] = SweepPoint(k, score, part.objective), part.labels

        with BlockPool(self.threads) as pool:
            seeds = max(int(self.grid[-1] * OVER_SEED), FEWEST_SEEDS)
            part = fit_overseeded(self.rows, seeds, self.generator, pool, self.fit_dimensions)
            at = 0
            for done, k in enumerate(reversed(self.grid)):
                for _ in range(1 + MORE_STEPS):
                    parent = merge_cheapest(part.sums, k)
                    score, nearest = fused_pass(self.rows, part, parent, pool)
                    if at:
                        visited(at, part, score)
                    part, changes = moved(merged(part, parent), nearest, self.rows, pool)
                    at = k
                    if changes <= SETTLED * len(self.rows):
                        break
                self.on_progress(done, len(self.grid))
            visited(at, part, fused_pass(self.rows, part, np.arange(part.k, dtype=np.int32), pool)[0])
        self.on_progress(len(self.grid), len(self.grid))
        return tuple(points[k] for k in self.grid), labels

    def independent(self) -> tuple[tuple[SweepPoint, ...], dict[int, IntVector]]:
        """A fit of its own for every K with faiss, and its exact silhouette."""
        points: list[SweepPoint] = []
        labels: dict[int, IntVector] = {}
        for done, k in enumerate(self.grid, start=1):
            found = fit_faiss(self.rows, k, self.seed) if k > 1 else np.zeros(len(self.rows), np.int32)
            with BlockPool(self.threads) as pool:
                part = partition_of(self.rows, found, k, pool)
                stay = np.arange(part.k, dtype=np.int32)
                score, _ = fused_pass(self.rows, part, stay, pool)
            points.append(SweepPoint(k, score, part.objective))
            labels[k] = part.labels
            self.on_progress(done, len(self.grid))
        return tuple(points), labels


def _finish(
    full: FloatMatrix,
    swept: FloatMatrix,
    labels: IntVector,
    k: int,
    curve: tuple[SweepPoint, ...],
    min_size: int,
    n_distinct: int,
    note: str,
    threads: int | None,
) -> KSweep:
    """All rows in the chosen K's clusters, none too small, with the silhouette of just that."""
    with BlockPool(threads) as pool:
        part = partition_of(swept, labels, int(labels.max()) + 1, pool)
        if len(swept) < len(full):
            part = lloyd(full, unit_centroids(part.sums), FULL_STEPS, pool)
        part = merged(part, absorb_small(part.sums, part.counts, min_size))
    if part.k < k:
        fewer = f"{part.k} clusters in place of {k}: those below {min_size} members joined others"
        note = f"{note}; {fewer}" if note else fewer
    return KSweep(
        labels=part.labels,
        centroids=unit_centroids(part.sums),
        k=k,
        curve=curve,
        effective_k=part.k,
        silhouette=silhouette(full, part.labels, threads=threads).mean,
        objective=part.objective,
        n_swept=len(swept),
        n_distinct=n_distinct,
        note=note,
    )
