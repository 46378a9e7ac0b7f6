"""Exact cosine silhouette in linear time.

On unit rows the mean cosine distance of x to a cluster C is 1 - x.S_C/|C| with S_C the sum of its rows, so
that all distances of a row to all clusters are one matrix product: O(n K d) in place of O(n^2 d).
Paper: Symbal 4.1, A.1 (K is selected by the silhouette; the paper does not say how it is computed).
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from core.errors import DataError
from core.seams import FloatMatrix, FloatVector, IntVector
from core.vectors.row_blocks import BLOCK_ROWS, BlockPool, checked_rows, cluster_sums

Real = TypeVar("Real", np.float32, np.float64)
Sizes = npt.NDArray[np.int64]

NO_DISTANCE = 1e-6
"""Below this, both mean distances are rounding: the row sits in a blob of duplicates, s = 0."""
RECHECK_BELOW = 0.1
"""Where both mean distances are smaller, sums and products are repeated in float64: (b - a) / max(a, b)
would otherwise magnify the rounding of float32 of about 1e-7."""


class Silhouette(NamedTuple):
    """values: (n,) float64 in [-1, 1], higher = better separated. mean: their mean."""

    values: FloatVector
    mean: float


def silhouette(
    rows: npt.NDArray[np.floating],
    labels: npt.NDArray[np.integer],
    block: int = BLOCK_ROWS,
    threads: int | None = None,
) -> Silhouette:
    """Exact cosine silhouette of every row, as `sklearn.metrics.silhouette_samples(metric="cosine")`.

    rows: (n, d) unit rows. labels: (n,) any integers. Memory: about block * K numbers a thread.
    A row alone in its cluster has 0 (as scikit-learn); so has a row whose both mean distances are below
    1e-6; with a single cluster the silhouette is not defined and all values are 0.
    Raises DataError for rows that are not unit vectors and for labels of another number.
    """
    if labels.shape != rows.shape[:1]:
        raise DataError(
            f"there must be one label for each of the {rows.shape[0]} vectors", value=tuple(labels.shape)
        )
    with BlockPool(threads) as pool:
        unit, squares = checked_rows(rows, pool)
        own, counts = _dense(labels)
        if len(counts) < 2:
            return Silhouette(np.zeros(len(unit)), 0.0)
        values, larger = _fast_values(unit, squares, own, counts, pool, block)
        again = np.flatnonzero(larger < RECHECK_BELOW).astype(np.int32)
        if len(again):
            values[again] = _exact_values(unit, again, own, counts, pool, block)
    return Silhouette(values, float(values.mean()))


def _fast_values(
    unit: FloatMatrix, squares: FloatVector, own: IntVector, counts: Sizes, pool: BlockPool, block: int
) -> tuple[FloatVector, FloatVector]:
    """(n,) silhouettes by float32 products, and max(a, b) of each row."""
    means = cluster_sums(unit, own, len(counts), pool, None) / counts[:, None]
    columns = np.ascontiguousarray(means.T.astype(np.float32))

    def work(start: int, stop: int) -> tuple[FloatVector, FloatVector]:
        mine = own[start:stop]
        similar = own_and_nearest(pool.product(unit[start:stop], columns), mine)
        return silhouette_values(*similar, counts[mine], squares[start:stop])

    values, larger = zip(*pool.map(work, len(unit), block), strict=True)
    return np.concatenate(values), np.concatenate(larger)


def _exact_values(
    unit: FloatMatrix, index: IntVector, own: IntVector, counts: Sizes, pool: BlockPool, block: int
) -> FloatVector:
    """Silhouettes of the rows at `index` in float64, rows divided by their exact length."""

    def exact_rows(rows: FloatMatrix) -> npt.NDArray[np.float64]:
        wide = rows.astype(np.float64)
        wide /= np.linalg.norm(wide, axis=1, keepdims=True)
        return wide

    columns = (cluster_sums(unit, own, len(counts), pool, exact_rows) / counts[:, None]).T

    def work(start: int, stop: int) -> FloatVector:
        mine = own[index[start:stop]]
        similar = own_and_nearest(exact_rows(unit[index[start:stop]]) @ columns, mine)
        return silhouette_values(*similar, counts[mine])[0]

    return np.concatenate(pool.map(work, len(index), block))


def _dense(labels: npt.NDArray[np.integer]) -> tuple[IntVector, Sizes]:
    """Labels closed up to 0..K-1 and the size of each cluster."""
    if labels.min() < 0 or labels.max() > 4 * len(labels):
        labels = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(labels)
    new_id = (np.cumsum(sizes > 0) - 1).astype(np.int32)
    return new_id[labels], sizes[sizes > 0]


def own_and_nearest(near: npt.NDArray[Real], own: IntVector) -> tuple[npt.NDArray[Real], npt.NDArray[Real]]:
    """(rows,) mean similarity of each row to its own cluster and to the most similar other one.

    near: (rows, K >= 2) mean similarity of each row to each cluster, x.S_C/|C|. own: (rows,) its cluster.
    """
    index = np.arange(len(own))
    mine = near[index, own]
    near[index, own] = -np.inf
    other = near[index, near.argmax(axis=1)]
    near[index, own] = mine
    return mine, other


def silhouette_values(
    mine: npt.NDArray[Real],
    other: npt.NDArray[Real],
    members: npt.NDArray[np.integer],
    squares: FloatVector | float = 1.0,
) -> tuple[FloatVector, FloatVector]:
    """(rows,) silhouette of each row, and the larger of its two mean distances, max(a, b).

    mine, other: as by `own_and_nearest`. members: size of each row's own cluster. squares: x.x of the row,
    taken out of its own cluster's sum.
    """
    to_own = np.maximum(1.0 - (mine.astype(np.float64) * members - squares) / np.maximum(members - 1, 1), 0.0)
    to_other = np.maximum(1.0 - other.astype(np.float64), 0.0)
    larger = np.maximum(to_own, to_other)
    counted = (members > 1) & (larger >= NO_DISTANCE)
    return np.where(counted, (to_other - to_own) / np.where(counted, larger, 1.0), 0.0), larger
