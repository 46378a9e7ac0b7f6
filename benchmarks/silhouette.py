"""Exact cosine silhouette, beside scikit-learn's (all pairs)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import silhouette_score

from benchmarks.harness import Row, in_turns, main, seconds, versus
from benchmarks.vectors import mixture
from core.clusters.silhouette import silhouette

GOALS = {10_000: 200.0, 40_000: 600.0}


def run(quick: bool) -> Iterator[Row]:
    for n in (10_000,) if quick else tuple(GOALS):
        rows, labels = mixture(n, 384, 100)
        theirs = float(silhouette_score(rows, labels, metric="cosine")) if n == 10_000 else None
        mine = silhouette(rows, labels).mean
        if theirs is not None:
            assert abs(mine - theirs) < 2e-6, (mine, theirs)
        ours = np.median([seconds(lambda: silhouette(rows, labels)) for _ in range(5)])  # noqa: B023
        _, peer = in_turns(
            lambda: silhouette(rows, labels),  # noqa: B023
            lambda: silhouette_score(rows, labels, metric="cosine"),  # noqa: B023
            1 if n > 10_000 or quick else 3,
        )
        yield versus(f"silhouette {n // 1000}k x 384, K = 100", float(ours), peer, GOALS[n], "scikit-learn")


if __name__ == "__main__":
    main(run, "silhouette")
