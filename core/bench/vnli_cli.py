"""`python -m core bench vnli`: the AutoRater on a file with labelled sentences. Paper: VNLI-Critique 4.2."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from core.errors import ConfigError
from core.runs.workspace import Workspace

FORMATS = ("chocolate", "docci", "mhal", "labels", "objects", "hat")


def vnli_parser(vnli: argparse.ArgumentParser) -> None:
    """Options of the benchmark."""
    vnli.add_argument("--data", required=True, metavar="FILE", help="descriptions with labelled sentences")
    vnli.add_argument("--format", required=True, choices=FORMATS, help="see docs/vnli.md")
    vnli.add_argument("--images", metavar="DIR", help="folder the image paths are relative to")
    vnli.add_argument("--no-references", action="store_true", help="leave the file's references out")
    vnli.add_argument("--no-objects", action="store_true", help="leave the file's object lists out")
    vnli.add_argument("--threshold", type=float, default=0.5, help="entailed from this probability on (.5)")
    vnli.add_argument("--seed", type=int, default=0)
    vnli.add_argument("--preset", default="embedded")
    vnli.add_argument("--workspace", default="workspace")
    vnli.add_argument("--json", metavar="OUT", help="write the report to this file")
    vnli.set_defaults(command=bench_vnli)


def bench_vnli(options: argparse.Namespace) -> int:
    """Run the benchmark, print the tables, write what was asked for."""
    from core.bench.vnli_autorater import BenchConfig, run_bench
    from core.bench.vnli_report import lines_of
    from core.progress import ProgressLine

    data = Path(options.data).expanduser()
    if not data.is_file():
        raise ConfigError("there is no such file", where="--data", value=options.data)
    config = BenchConfig(
        data=data,
        form=options.format,
        images=Path(options.images) if options.images else None,
        preset=options.preset,
        references=not options.no_references,
        objects=not options.no_objects,
        threshold=options.threshold,
        seed=options.seed,
    )
    with ProgressLine() as line:
        report = run_bench(config, Workspace(Path(options.workspace)), line.show)
    print("\n".join(lines_of(report)))
    if report["critic"]["baseline"]:
        print("The critic is the embedded baseline (a heuristic), not the paper's model.")
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0
