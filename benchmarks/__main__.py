"""All benchmarks, each file in a process of its own: python -m benchmarks [--quick] [NAME ...]."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

QUICK = ("silhouette", "sweep", "map_transport", "vector_store", "thumbnails")
FULL = (
    "silhouette",
    "sweep",
    "sweep_floor",
    "million_facts",
    "map_transport",
    "vector_store",
    "thumbnails",
    "first_map",
    "large_map",
    "client_throughput",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    parser.add_argument("names", nargs="*", help=f"files to run, of {', '.join(FULL)}")
    options = parser.parse_args()
    short = False
    for name in options.names or (QUICK if options.quick else FULL):
        command = [sys.executable, "-m", f"benchmarks.{name}", *(["--quick"] if options.quick else [])]
        short |= subprocess.run(command, cwd=Path(__file__).parents[1], check=False).returncode != 0
    return int(short)


if __name__ == "__main__":
    sys.exit(main())
