"""How far a map can be trusted: do neighbours on it belong together?"""

from __future__ import annotations

import numpy as np

from core.seams import FloatMatrix
from core.vectors.row_blocks import BlockPool

NEIGHBOURS = 15
QUERIES = 500
QUERIES_AT_ONCE = 32


def trustworthiness(
    rows: FloatMatrix,
    places: FloatMatrix,
    *,
    k: int = NEIGHBOURS,
    queries: int = QUERIES,
    seed: int = 0,
    threads: int | None = None,
) -> float | None:
    """Trustworthiness of the map in [0, 1], higher = better; None for fewer than 2 k + 2 rows.

    rows: (n, d) unit rows. places: (n, 2). As `sklearn.manifold.trustworthiness(metric="cosine")` (Venna and
    Kaski), averaged over `queries` random rows; each is compared with all n rows, so it does not depend on a
    sample's density.
    """
    n = len(rows)
    if n < 2 * k + 2:
        return None
    asked = np.random.default_rng(seed).choice(n, min(queries, n), replace=False)

    def work(start: int, stop: int) -> float:
        some = asked[start:stop]
        distance = 1 - rows[some] @ rows.T
        distance[np.arange(len(some)), some] = np.inf
        apart = ((places[some, None, :].astype(np.float64) - places[None, :, :]) ** 2).sum(axis=2)
        apart[np.arange(len(some)), some] = np.inf
        near = np.argpartition(apart, k, axis=1)[:, :k]
        penalty = 0.0
        for query, mine in zip(distance, near, strict=True):
            rank = 1 + np.searchsorted(np.sort(query), query[mine])
            penalty += float(np.maximum(rank - k, 0).sum())
        return penalty

    with BlockPool(threads) as pool:
        total = sum(pool.map(work, len(asked), QUERIES_AT_ONCE))
    return 1 - total * 2 / (len(asked) * k * (2 * n - 3 * k - 1))
