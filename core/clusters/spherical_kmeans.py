"""Spherical k-means on unit rows: Lloyd steps, a cheap over-seeded start, and faiss for comparison.

Paper: Symbal 4.1, A.1 (spherical k-means). The objective is the mean cosine of rows to their centroid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.seams import FloatMatrix, IntVector
from core.vectors.leading_directions import projected
from core.vectors.row_blocks import BLOCK_ROWS, BlockPool, cluster_sums, distinct_rows, one_hot

FIT_STEPS = 6
ROWS_A_SEED = 20
"""The start is fitted on a quarter of the rows, but at least on this many a seed."""
FAISS_ITERATIONS = 25


@dataclass(slots=True)
class Partition:
    """labels: (n,) int32 in 0..K-1, no cluster empty. sums: (K, d) float64. counts: (K,) int64."""

    labels: IntVector
    sums: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]

    @property
    def k(self) -> int:
        return len(self.counts)

    @property
    def objective(self) -> float:
        """Mean cosine of rows to the centroid of their cluster, higher = tighter."""
        return float(np.linalg.norm(self.sums, axis=1).sum() / len(self.labels))


def partition_of(rows: FloatMatrix, labels: IntVector, k: int, pool: BlockPool) -> Partition:
    """The partition that labels in 0..k-1 describe; empty clusters are dropped, ids closed up."""
    return closed_up(labels, cluster_sums(rows, labels, k, pool))


def closed_up(labels: IntVector, sums: npt.NDArray[np.float64]) -> Partition:
    """`labels` and `sums` without empty clusters; the order of the others is kept."""
    counts = np.bincount(labels, minlength=len(sums))
    used = counts > 0
    if used.all():
        return Partition(labels, sums, counts)
    new_id = (np.cumsum(used) - 1).astype(np.int32)
    return Partition(new_id[labels], sums[used], counts[used])


def merged(part: Partition, parent: IntVector) -> Partition:
    """Clusters joined as `parent` says ((K,) id in 0..k-1 of the cluster each becomes part of, all used)."""
    return closed_up(parent[part.labels], joined_sums(part.sums, parent))


def joined_sums(sums: npt.NDArray[np.float64], parent: IntVector) -> npt.NDArray[np.float64]:
    """(k, d) sums added up over clusters with the same parent."""
    added: npt.NDArray[np.float64] = one_hot(parent, int(parent.max()) + 1) @ sums
    return added


def moved(part: Partition, labels: IntVector, rows: FloatMatrix, pool: BlockPool) -> tuple[Partition, int]:
    """The partition after rows changed to `labels` (same ids), and how many did.

    The float64 sums are corrected by the rows that moved, or made anew when many did.
    """
    changed = np.flatnonzero(part.labels != labels)
    if len(changed) > len(labels) // 3:
        return partition_of(rows, labels, part.k, pool), len(changed)
    sums = part.sums.copy()
    for start in range(0, len(changed), 4 * BLOCK_ROWS):
        some = changed[start : start + 4 * BLOCK_ROWS]
        change = one_hot(labels[some], part.k) - one_hot(part.labels[some], part.k)
        sums += change @ rows[some].astype(np.float64)
    return closed_up(labels, sums), len(changed)


def unit_centroids(sums: npt.NDArray[np.float64]) -> FloatMatrix:
    """(K, d) float32 sums divided by their length; a sum of length 0 stays 0."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def assign(rows: FloatMatrix, centroids: FloatMatrix, pool: BlockPool) -> IntVector:
    """(n,) id of the centroid with the highest cosine; the first of equals."""
    columns = np.ascontiguousarray(centroids.T)

    def work(start: int, stop: int) -> IntVector:
        nearest: IntVector = pool.product(rows[start:stop], columns).argmax(axis=1).astype(np.int32)
        return nearest

    return np.concatenate(pool.map(work, len(rows)))


def lloyd(rows: FloatMatrix, centroids: FloatMatrix, steps: int, pool: BlockPool) -> Partition:
    """The partition after `steps` >= 1 assignments from `centroids`; stops early when no row moves."""
    part = partition_of(rows, assign(rows, centroids, pool), len(centroids), pool)
    for _ in range(steps - 1):
        part, changes = moved(part, assign(rows, unit_centroids(part.sums), pool), rows, pool)
        if not changes:
            break
    return part


def fit_overseeded(
    rows: FloatMatrix,
    seeds: int,
    generator: np.random.Generator,
    pool: BlockPool,
    dimensions: int | None = None,
) -> Partition:
    """A partition into at most `seeds` clusters, to be merged down: cheap rather than converged.

    Distinct random rows are refined on a random quarter of the rows, then all rows are assigned once.
    dimensions: fit on that many leading directions of the rows (uncentred PCA of a sample); the sums
    returned are those of the full rows either way.
    Departs: Symbal 4.1 fits every K from its own random start.
    """
    space = rows if dimensions is None else projected(rows, dimensions, generator, pool)
    size = max(len(rows) // 4, ROWS_A_SEED * seeds)
    sample = space
    if size < len(rows):
        sample = space[np.sort(generator.choice(len(rows), size, replace=False))]
    candidates = distinct_rows(sample)
    start = sample[np.sort(generator.choice(candidates, min(seeds, len(candidates)), replace=False))]
    start = start / np.maximum(np.linalg.norm(start, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    found = lloyd(sample, start, FIT_STEPS, pool)
    labels = assign(space, unit_centroids(found.sums), pool)
    return partition_of(rows, labels, found.k, pool)


def fit_faiss(rows: FloatMatrix, k: int, seed: int, iterations: int = FAISS_ITERATIONS) -> IntVector:
    """Labels of one spherical k-means by faiss from one random start, no subsampling; on GPU if faiss can.

    Paper: Symbal 4.1, A.1 (the setting of the paper for one K). Not bit-equal over thread counts.
    """
    import faiss

    n, width = rows.shape
    clustering = faiss.Kmeans(
        width,
        k,
        niter=iterations,
        spherical=True,
        seed=seed + 1,
        min_points_per_centroid=1,
        max_points_per_centroid=n,
        gpu=faiss.get_num_gpus() > 0,
    )
    clustering.train(rows)
    labels: IntVector = clustering.index.search(rows, 1)[1][:, 0].astype(np.int32)
    return labels
