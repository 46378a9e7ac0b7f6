"""The sweep over K with its silhouettes, beside faiss.Kmeans for every K (the paper's setting).

The peer: faiss.Kmeans(spherical, 25 iterations, no subsampling) for each K, then the same exact silhouette.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.harness import Row, main, versus
from benchmarks.vectors import caption_sentences, mixture
from core.clusters.sweep_k import KSweep, Method, sweep_k
from core.seams import FloatMatrix

GRID = tuple(range(10, 201, 10))


class Run(NamedTuple):
    found: KSweep
    seconds: float


def timed(
    rows: FloatMatrix, grid: tuple[int, ...], method: Method, dimensions: int | None = None, seed: int = 0
) -> Run:
    began = time.perf_counter()
    found = sweep_k(
        rows,
        k_grid=grid,
        method=method,
        fit_dimensions=dimensions,
        seed=seed,
        min_cluster_size=1,
        max_rows=len(rows),
    )
    return Run(found, time.perf_counter() - began)


def compared(
    name: str,
    rows: FloatMatrix,
    grid: tuple[int, ...],
    rounds: int,
    goals: dict[int | None, float],
    labels: np.ndarray | None,
) -> Iterator[Row]:
    """Ours (full, and with a start in PCA dimensions where a goal says so) and the peer in turns."""
    mine: dict[int | None, list[Run]] = {form: [] for form in goals}
    theirs = []
    for seed in range(rounds):
        for form in goals:
            mine[form].append(timed(rows, grid, "downward", form, seed))
        theirs.append(timed(rows, grid, "independent", seed=seed))
    peer = float(np.median([r.seconds for r in theirs]))
    for form, goal in goals.items():
        label = name if form is None else f"{name}, PCA {form}"
        yield versus(f"sweep {label}", float(np.median([r.seconds for r in mine[form]])), peer, goal, "faiss")
        margin = curve(mine[form]) - curve(theirs)
        found, other = mine[form][0].found, theirs[0].found
        worst = f"at K = {grid[int(margin.argmin())]}, mean {margin.mean():+.4f}"
        yield Row("  least silhouette above faiss", float(margin.min()), 0, worst, f"mean of {rounds} seeds")
        if labels is not None:
            nmi, peers = (normalized_mutual_info_score(labels, f.labels) for f in (found, other))
            chosen = f"chosen K {found.k}", f"faiss: K {other.k}"
            yield Row("  NMI with the true clusters", float(nmi), round(float(peers), 4), *chosen)


def curve(runs: list[Run]) -> np.ndarray:
    """(number of K,) silhouette at each K, mean over the runs."""
    return np.mean([[point.silhouette for point in r.found.curve] for r in runs], axis=0)


def run(quick: bool) -> Iterator[Row]:
    if quick:
        rows, labels = mixture(8_000, 512, 60)
        yield from compared("8k x 512", rows, (10, 20, 30, 40, 60, 80, 100), 1, {None: 3.0}, labels)
        return
    rows, labels = mixture(40_000, 1024, 100)
    yield from compared("40k x 1024 mixture", rows, GRID, 3, {None: 8.0, 128: 12.0}, labels)
    real = caption_sentences()
    if real is None:
        print("real caption sentences: left out, ../shared/data is missing")
        return
    yield from compared(f"{len(real):,} caption sentences x 384", real, GRID, 3, {None: 5.0}, None)


if __name__ == "__main__":
    main(run, "sweep")
