"""The weighted neighbour graph UMAP lays out, in numpy.

The same graph as `umap.umap_.fuzzy_simplicial_set` (a test compares them), without the eight seconds that
compiling it takes in every new process. McInnes et al., UMAP (arXiv 1802.03426), algorithms 2 and 3.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from core.embeddings.neighbours import Neighbours
from core.seams import FloatVector

BISECTIONS = 64
TOLERANCE = 1e-5
SMALLEST_SCALE = 1e-3
"""A bandwidth is at least this part of the mean distance (of the row, or of all rows where rho = 0)."""


def fuzzy_graph(found: Neighbours) -> sp.coo_matrix:
    """(n, n) symmetric membership strengths in (0, 1] from neighbours that begin with the row itself."""
    n, k = found.index.shape
    distance = found.distance.astype(np.float64)
    nearest = _first_positive(distance)
    scale = _bandwidths(distance, nearest, np.log2(k))
    beyond = distance - nearest[:, None]
    near = (beyond <= 0) | (scale == 0)[:, None]
    strength = np.where(near, 1.0, np.exp(-np.maximum(beyond, 0) / np.where(scale > 0, scale, 1)[:, None]))
    strength[found.index == np.arange(n)[:, None]] = 0
    row = np.repeat(np.arange(n, dtype=np.int32), k)
    one_way = sp.csr_matrix((strength.ravel().astype(np.float32), (row, found.index.ravel())), shape=(n, n))
    one_way.eliminate_zeros()
    back = one_way.T.tocsr()
    both = one_way.multiply(back)
    union = (one_way + back - both).tocoo()
    union.eliminate_zeros()
    return union


def _first_positive(distance: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> FloatVector:
    """(n,) distance to the nearest row that is not the same, 0 where all are."""
    positive = np.where(distance > 0, distance, np.inf).min(axis=1)
    return np.where(np.isfinite(positive), positive, 0.0)


def _bandwidths(
    distance: np.ndarray[tuple[int, int], np.dtype[np.float64]], nearest: FloatVector, target: float
) -> FloatVector:
    """(n,) sigma with which a row's strengths add up to `target`, by bisection for all rows at once."""
    beyond = np.maximum(distance[:, 1:] - nearest[:, None], 0)
    low, high, middle = np.zeros(len(beyond)), np.full(len(beyond), np.inf), np.ones(len(beyond))
    open_rows = np.arange(len(beyond))
    for _ in range(BISECTIONS):
        total = np.exp(-beyond[open_rows] / middle[open_rows, None]).sum(axis=1)
        going = np.abs(total - target) >= TOLERANCE
        open_rows, total = open_rows[going], total[going]
        if not len(open_rows):
            break
        now = middle[open_rows]
        too_wide = total > target
        high[open_rows[too_wide]] = now[too_wide]
        low[open_rows[~too_wide]] = now[~too_wide]
        bounded = np.isfinite(high[open_rows])
        halved = (low[open_rows] + np.where(bounded, high[open_rows], 0)) / 2
        middle[open_rows] = np.where(bounded, halved, now * 2)
    of_row = distance.mean(axis=1)
    floor = SMALLEST_SCALE * np.where(nearest > 0, of_row, distance.mean())
    sigma: FloatVector = np.maximum(middle, floor)
    return sigma
