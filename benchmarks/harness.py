"""Time two ways of the same work in turns and say how they compare."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PACKAGES = ("numpy", "scipy", "scikit-learn", "faiss-cpu", "umap-learn", "duckdb", "plotly", "pillow")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. ratio: how many times better than the peer (or the measure itself).

    goal: what it must reach; with `at_most` what it must not pass. ours, peer: what was seen, in words.
    """

    name: str
    ratio: float
    goal: float
    ours: str
    peer: str
    at_most: bool = False

    @property
    def ok(self) -> bool:
        return self.ratio <= self.goal if self.at_most else self.ratio >= self.goal


def in_turns(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median seconds of both, run one after the other `rounds` times so that both see the same machine."""
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(seconds(ours))
        theirs.append(seconds(peer))
    return statistics.median(mine), statistics.median(theirs)


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def versus(name: str, mine: float, theirs: float, goal: float, what: str) -> Row:
    """The row of two times. what: the peer's name."""
    return Row(name, theirs / mine, goal, words(mine), f"{what}: {words(theirs)}")


def words(duration: float) -> str:
    return f"{duration:.1f} s" if duration >= 10 else f"{duration * 1000:,.3g} ms"


def provenance() -> dict[str, object]:
    """Where figures were measured: processor, cores, versions."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "measured": datetime.now(UTC).isoformat(timespec="minutes"),
        "processor": _processor(),
        "cores": cores,
        "python": platform.python_version(),
        "versions": found,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def line(row: Row) -> str:
    """`name ratio goal ok|short`, and what was seen."""
    sign = "<=" if row.at_most else ">="
    verdict = "ok" if row.ok else "short"
    return f"{row.name:<44}{row.ratio:>10.3g} {sign} {row.goal:<8g}{verdict:<7}{row.ours}   ({row.peer})"


def main(run: Callable[[bool], Sequence[Row]], name: str) -> None:
    """Run one file of benchmarks: print its lines, keep its results, exit 1 if one falls short."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="small sizes; results are not kept")
    quick = parser.parse_args().quick
    rows = []
    for row in run(quick):
        print(line(row), flush=True)
        rows.append(row)
    if not quick:
        RESULTS.mkdir(exist_ok=True)
        kept = {**provenance(), "rows": [{**asdict(r), "ok": r.ok} for r in rows]}
        (RESULTS / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")
    sys.exit(any(not row.ok for row in rows))
