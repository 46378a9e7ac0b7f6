"""The first map of 10,000 vectors in a fresh process, beside umap-learn's defaults with a seed.

A fresh process matters: compiling is most of what a first map costs. Each way runs in a process of its own,
in turns.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import Row, main, versus
from benchmarks.vectors import sentence_like
from core.embeddings.trustworthiness import trustworthiness

OURS = """
from core.embeddings.project_umap import project_umap
places = project_umap(rows, seed=0).places
"""
PEER = """
import umap
places = umap.UMAP(metric="cosine", random_state=0).fit_transform(rows)
"""
CODE = """
import sys, time
began = time.perf_counter()
import numpy as np
rows = np.load(sys.argv[1])
{way}
np.save(sys.argv[2], places)
print(time.perf_counter() - began)
"""
ROOT = Path(__file__).parents[1]


def fresh(way: str, rows: Path, places: Path) -> float:
    """Seconds from the first import to the saved map, in a new process."""
    command = [sys.executable, "-W", "ignore", "-c", CODE.format(way=way), str(rows), str(places)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def compared(name: str, n: int, rounds: int, goal: float, least: float) -> Iterator[Row]:
    """Time, and trustworthiness of ours less the peer's (at least `least`)."""
    rows = sentence_like(n)
    with tempfile.TemporaryDirectory() as folder:
        at, mine, theirs = (Path(folder) / f"{file}.npy" for file in ("rows", "ours", "peer"))
        np.save(at, rows)
        times = [(fresh(OURS, at, mine), fresh(PEER, at, theirs)) for _ in range(rounds)]
        ours, peer = (statistics.median(t) for t in zip(*times, strict=True))
        yield versus(name, ours, peer, goal, "umap-learn defaults")
        trusted = [trustworthiness(rows, np.load(file)) or 0.0 for file in (mine, theirs)]
    seen = (f"{value:.4f}" for value in trusted)
    yield Row("  trustworthiness less the peer's", trusted[0] - trusted[1], least, *seen)


def run(quick: bool) -> Iterator[Row]:
    n = 4_000 if quick else 10_000
    yield from compared(f"first map of {n // 1000}k, fresh process", n, 1 if quick else 3, 4.0, -0.015)


if __name__ == "__main__":
    main(run, "first_map")
