"""A map of 200,000 vectors, beside umap-learn's defaults with a seed (fresh processes, one turn)."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.first_map import compared
from benchmarks.harness import Row, main


def run(quick: bool) -> Iterator[Row]:
    n = 40_000 if quick else 200_000
    yield from compared(f"map of {n // 1000}k", n, 1, 10.0, -0.015)


if __name__ == "__main__":
    main(run, "large_map")
