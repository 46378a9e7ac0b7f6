"""Join clusters greedily where it costs least: Ward's rule on the sphere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.seams import IntVector

Sums = npt.NDArray[np.float64]


def merge_cheapest(sums: Sums, k: int) -> IntVector:
    """Which of the k clusters left each of the K clusters becomes part of; (K,) ids in 0..k-1, all used.

    sums: (K, d) float64 sums of the clusters' unit rows. Joining a and b loses |S_a| + |S_b| - |S_a + S_b|
    of the spherical k-means objective (the summed cosine of rows to their centroid); the cheapest pair is
    joined again and again. The order of the clusters is kept (a merged one counts as its first member).
    Ties go to the first pair.
    Departs: Symbal 4.1 runs k-means anew for every K.
    """
    count = len(sums)
    parent = np.arange(count, dtype=np.int32)
    gram, loss = _losses(sums)
    for _ in range(count - max(k, 1)):
        low, high = sorted(divmod(int(loss.argmin()), count))
        _join(gram, loss, low, high)
        parent[parent == high] = low
    return _dense(parent)


def absorb_small(sums: Sums, counts: npt.NDArray[np.integer], min_size: int) -> IntVector:
    """As `merge_cheapest`, joining the smallest cluster to its cheapest partner until none is too small."""
    count = len(sums)
    sizes = counts.astype(np.float64)
    parent = np.arange(count, dtype=np.int32)
    gram, loss = _losses(sums)
    for _ in range(count - 1):
        smallest = int(sizes.argmin())
        if sizes[smallest] >= min_size:
            break
        low, high = sorted((smallest, int(loss[smallest].argmin())))
        _join(gram, loss, low, high)
        sizes[low] += sizes[high]
        sizes[high] = np.inf
        parent[parent == high] = low
    return _dense(parent)


def _dense(parent: IntVector) -> IntVector:
    """Ids closed up to 0..k-1, in order."""
    return np.unique(parent, return_inverse=True)[1].astype(np.int32)


def _losses(sums: Sums) -> tuple[Sums, Sums]:
    """(K, K) inner products of the sums, and what joining each pair loses (inf on the diagonal)."""
    gram = sums @ sums.T
    squares = np.diag(gram)
    lengths = np.sqrt(squares)
    joined = np.sqrt(np.maximum(squares[:, None] + squares[None, :] + 2 * gram, 0))
    loss = lengths[:, None] + lengths[None, :] - joined
    np.fill_diagonal(loss, np.inf)
    return gram, loss


def _join(gram: Sums, loss: Sums, low: int, high: int) -> None:
    """Make cluster `low` the union of both, in place; `high` can never be chosen again."""
    gram[low] += gram[high]
    gram[:, low] += gram[:, high]
    loss[high] = loss[:, high] = np.inf
    squares = np.diag(gram)
    lengths = np.sqrt(np.maximum(squares, 0))
    joined = np.sqrt(np.maximum(squares[low] + squares + 2 * gram[low], 0))
    row = np.where(np.isinf(loss[low]), np.inf, lengths[low] + lengths - joined)
    loss[low] = loss[:, low] = row
