"""Fewer dimensions for a first, cheap look at rows."""

from __future__ import annotations

import numpy as np

from core.seams import FloatMatrix
from core.vectors.row_blocks import BlockPool


def projected(
    rows: FloatMatrix, dimensions: int, generator: np.random.Generator, pool: BlockPool
) -> FloatMatrix:
    """(n, dimensions) coordinates of (n, d) rows on the leading right singular vectors of a sample.

    Not centred: inner products of rows, the cosines, are kept as well as so many numbers can.
    With dimensions >= min(n, d) the rows themselves are returned.
    """
    from sklearn.utils.extmath import randomized_svd

    if dimensions >= min(rows.shape):
        return rows
    size = min(len(rows), max(4096, 4 * dimensions))
    sample = rows[np.sort(generator.choice(len(rows), size, replace=False))]
    basis = randomized_svd(sample, dimensions, n_iter=2, random_state=int(generator.integers(2**31)))[2]
    columns = np.ascontiguousarray(basis.T, dtype=np.float32)
    return np.concatenate(pool.map(lambda start, stop: rows[start:stop] @ columns, len(rows)))
