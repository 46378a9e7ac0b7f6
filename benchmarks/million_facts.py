"""A million facts grouped on a small machine: time and memory, printed.

Rows are memory-mapped from a file; K up to 400. No peer: faiss for every K would take hours.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

from benchmarks.harness import Row, main
from benchmarks.vectors import unit
from core.clusters.sweep_k import sweep_k

WIDTH = 384
CENTRES = 400
AT_ONCE = 50_000


def written(path: Path, n: int) -> np.ndarray:
    """(n, 384) unit rows of a mixture, written piece by piece and mapped."""
    rng = np.random.default_rng(0)
    weight = 1 / np.arange(1, CENTRES + 1)
    centres = unit(rng.standard_normal((CENTRES, WIDTH), np.float32))
    rows = open_memmap(path, "w+", np.float32, (n, WIDTH))
    for start in range(0, n, AT_ONCE):
        label = rng.choice(CENTRES, min(AT_ONCE, n - start), p=weight / weight.sum())
        noise = rng.standard_normal((len(label), WIDTH), np.float32) * np.float32(1.3 / np.sqrt(WIDTH))
        rows[start : start + len(label)] = unit(centres[label] + noise)
    rows.flush()
    return np.load(path, mmap_mode="r")


def run(quick: bool) -> Iterator[Row]:
    n = 100_000 if quick else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        rows = written(Path(folder) / "rows.npy", n)
        began = time.perf_counter()
        found = sweep_k(rows)
        took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    seen = f"K = {found.k} of {found.curve[0].k}..{found.curve[-1].k}, silhouette {found.silhouette:.3f}"
    name = f"sweep {n // 1000:,}k x {WIDTH}"
    yield Row(f"{name}, GiB at the peak", peak / 2**30, 8.0, seen, "mapped pages counted", at_most=True)
    yield Row(f"{name}, seconds", took, 600.0, f"{took:.1f} s", "goal: it finishes", at_most=True)


if __name__ == "__main__":
    main(run, "million_facts")
