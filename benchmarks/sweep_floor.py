"""How near the sweep comes to what its matrix products alone must cost.

The floor: floating-point operations of all products of rows with centroids, at the rate of a large matrix
product on the same cores, measured between the sweeps.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from unittest.mock import patch

import numpy as np

from benchmarks.harness import Row, main, seconds
from benchmarks.sweep import GRID, timed
from benchmarks.vectors import mixture
from core.clusters import spherical_kmeans, sweep_k

SIDE = 4096
GOAL = 0.65


def operations(rows: np.ndarray) -> int:
    """Multiplications and additions of a sweep's products, counted while one runs."""
    done = [0]
    fused, assign = sweep_k.fused_pass, spherical_kmeans.assign

    def counted_fused(some, part, parent, pool):  # type: ignore[no-untyped-def]
        done[0] += 2 * some.size * part.k
        return fused(some, part, parent, pool)

    def counted_assign(some, centroids, pool):  # type: ignore[no-untyped-def]
        done[0] += 2 * some.size * len(centroids)
        return assign(some, centroids, pool)

    with (
        patch.object(sweep_k, "fused_pass", counted_fused),
        patch.object(spherical_kmeans, "assign", counted_assign),
    ):
        chosen = timed(rows, GRID, "downward").found.effective_k
    return done[0] + 2 * rows.size * chosen  # the exact silhouette at the end


def run(quick: bool) -> Iterator[Row]:
    rows, _ = mixture(8_000 if quick else 40_000, 1024, 100)
    work = operations(rows)
    square = np.random.default_rng(0).random((SIDE, SIDE), np.float32)
    sweeps, products = [], []
    for _ in range(3):
        products.append(seconds(lambda: square @ square))
        sweeps.append(timed(rows, GRID, "downward").seconds)
    peak = 2 * SIDE**3 / statistics.median(products)
    took = statistics.median(sweeps)
    yield Row(
        f"sweep {len(rows) // 1000}k x 1024 against its floor",
        work / peak / took,
        GOAL,
        f"{work / took / 1e9:.0f} GFLOP/s",
        f"matrix product {SIDE}^3: {peak / 1e9:.0f} GFLOP/s",
    )


if __name__ == "__main__":
    main(run, "sweep_floor")
