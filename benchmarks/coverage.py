"""How often the 95 % interval of a prevalence holds the true share, by scorer, share and number of verdicts.

Verdicts and facts are drawn independently; the truth is the share they are drawn with. Beside ours: Wilson's
interval of the verdicts alone, and PPI++ as `ppi-python` gives it. Printed: coverage and mean width.

    python benchmarks/coverage.py [--datasets 2000] [--facts 1000] [--verdicts 12 25 50 200]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from ppi_py import ppi_mean_ci

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.findings.prevalence import prevalence

Vector = npt.NDArray[np.float64]
Scorer = Callable[[np.random.Generator, Vector], Vector]

SHARES = (0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9)
VERDICTS = (12, 25, 50, 200)
SCORERS: dict[str, Scorer] = {
    "good": lambda g, y: np.where(y == 1, g.beta(5, 2, len(y)), g.beta(2, 5, len(y))),
    "nearly perfect, hard": lambda g, y: np.where(g.random(len(y)) < 0.02, 1 - y, y),
    "useless": lambda g, y: g.random(len(y)),
    "the wrong way round": lambda g, y: np.where(y == 1, g.beta(2, 5, len(y)), g.beta(5, 2, len(y))),
    "rarely says wrong": lambda g, y: np.where(g.random(len(y)) < 0.05, 1.0, 0.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=2000)
    parser.add_argument("--facts", type=int, default=1000)
    parser.add_argument("--verdicts", type=int, nargs="*", default=VERDICTS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    worst = 1.0
    print("scorer, verdicts: coverage / width at true share " + ", ".join(f"{s:g}" for s in SHARES))
    for name, scorer in SCORERS.items():
        for n in options.verdicts:
            cells = [cell(scorer, n, s, options.facts, options.datasets) for s in SHARES]
            worst = min(worst, *(c[0][0] for c in cells))
            for way, method in enumerate(("here", "Wilson", "ppi-python")):
                shown = "  ".join(f"{100 * c[way][0]:5.1f}/{c[way][1]:.2f}" for c in cells)
                print(f"{name + ', ' + str(n):<28}{method:<11}{shown}", flush=True)
    print(f"worst coverage here: {worst:.1%}")


def cell(scorer: Scorer, n: int, share: float, facts: int, datasets: int) -> list[tuple[float, float]]:
    """(coverage, mean width) of ours, Wilson's and plain PPI++."""
    generator = np.random.default_rng([n, int(1000 * share), facts])
    hits, widths = np.zeros(3), np.zeros(3)
    for _ in range(datasets):
        y = (generator.random(n + facts) < share).astype(np.float64)
        f = np.clip(scorer(generator, y), 0, 1)
        found = prevalence(y[:n] > 0, f[:n], f[n:])
        plain = ppi_mean_ci(y[:n], f[:n], f[n:], alpha=0.05)
        for way, (low, high) in enumerate(
            (
                (found.interval.low, found.interval.high),
                (found.verdicts_interval.low, found.verdicts_interval.high),
                (float(np.ravel(plain[0])[0]), float(np.ravel(plain[1])[0])),
            )
        ):
            hits[way] += low <= share <= high
            widths[way] += min(high, 1) - max(low, 0)
    return [(h / datasets, w / datasets) for h, w in zip(hits, widths, strict=True)]


if __name__ == "__main__":
    main()
