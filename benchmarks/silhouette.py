"""Exact cosine silhouette, beside scikit-learn's (all pairs)."""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.metrics import silhouette_score

from benchmarks.harness import Row, in_turns, main, versus
from benchmarks.vectors import mixture
from core.clusters.silhouette import silhouette
from core.seams import FloatMatrix, IntVector

GOALS = {10_000: 200.0, 40_000: 600.0}
QUICK_GOAL = 60.0
"""scikit-learn's time at 10,000 rows varies threefold from run to run: one turn can only show a fault."""


def run(quick: bool) -> Iterator[Row]:
    for n, goal in ((10_000, QUICK_GOAL),) if quick else tuple(GOALS.items()):
        rows, labels = mixture(n, 384, 100)

        def ours(rows: FloatMatrix = rows, labels: IntVector = labels) -> float:
            return silhouette(rows, labels).mean

        def theirs(rows: FloatMatrix = rows, labels: IntVector = labels) -> float:
            return float(silhouette_score(rows, labels, metric="cosine"))

        mine, exact = ours(), theirs()
        yield Row(
            f"  difference at {n // 1000}k", abs(mine - exact), 2e-6, f"{mine:.7f}", f"{exact:.7f}", True
        )
        rounds = 1 if quick else 5 if n == 10_000 else 2
        took, peer = in_turns(lambda ours=ours: [ours() for _ in range(5)], theirs, rounds)
        yield versus(f"silhouette {n // 1000}k x 384, K = 100", took / 5, peer, goal, "scikit-learn")


if __name__ == "__main__":
    main(run, "silhouette")
