"""`python -m core bench evian`: do the scores see planted defects?

Paper: Evian 5.2.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from core.domain.run import AuditConfig
from core.errors import ConfigError
from core.runs.workspace import Workspace


def evian_parser(evian: argparse.ArgumentParser) -> None:
    """Options of the benchmark."""
    evian.add_argument("--data", required=True, metavar="FILE", help="responses to plant defects in")
    evian.add_argument("--images", help="folder the image paths are relative to")
    evian.add_argument("--references", metavar="COL", help="column of reference captions")
    evian.add_argument("--objects", metavar="COL", help="column of the objects known to be in the image")
    evian.add_argument("--caption-column", metavar="COL")
    evian.add_argument("--n", type=int, default=200, help="responses to take, each with its defect (200)")
    evian.add_argument("--seed", type=int, default=0)
    evian.add_argument("--preset", default="embedded")
    evian.add_argument("--workspace", default="workspace")
    evian.add_argument("--json", metavar="OUT", help="write the report to this file")
    evian.add_argument("--plot", metavar="HTML", help="draw the two distributions into this file")
    evian.set_defaults(command=bench_evian)


def bench_evian(options: argparse.Namespace) -> int:
    """Run the benchmark, print the table, write what was asked for."""
    from core.bench.evian_plot import write_plot
    from core.bench.evian_report import lines_of
    from core.bench.evian_run import BenchConfig, run_bench
    from core.progress import ProgressLine

    if options.n < 1:
        raise ConfigError("--n must be at least 1", value=options.n)
    audit = AuditConfig(
        captions=options.data,
        images=options.images,
        references_column=options.references,
        objects_column=options.objects,
        caption_column=options.caption_column,
        preset=options.preset,
        seed=options.seed,
    )
    with ProgressLine() as line:
        report = run_bench(
            BenchConfig(audit, options.n, options.seed), Workspace(Path(options.workspace)), line.show
        )
    print("\n".join(lines_of(report)))
    if report["scores_are_baseline"]:
        print("The scores are the embedded baseline's (heuristics), not those of the paper's models.")
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    if options.plot:
        write_plot(report, Path(options.plot))
    return 0
