"""`python -m core bench ...`: measure the method on rebuilt benchmarks."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from core.bench.evian_cli import evian_parser
from core.bench.vnli_cli import vnli_parser
from core.errors import ConfigError
from core.runs.workspace import Workspace


def add_bench(parser: argparse.ArgumentParser) -> None:
    """The benchmarks as sub-commands."""
    commands = parser.add_subparsers(required=True, metavar="{symbal,evian,vnli}")
    evian_parser(commands.add_parser("evian", help="do Evian's scores see injected defects?"))
    vnli_parser(commands.add_parser("vnli", help="VNLI-Critique's AutoRater against labelled sentences"))
    symbal = commands.add_parser("symbal", help="SymbalBench, natural images, rebuilt from COCO")
    symbal.add_argument("--coco", required=True, help="captions_*.json of COCO, or the compact JSONL(.gz)")
    symbal.add_argument("--instances", help="instances_*.json (found beside --coco if not given)")
    symbal.add_argument("--settings", default="all", help="all, or how many, spread over the list")
    symbal.add_argument("--seed", type=int, default=0)
    symbal.add_argument("--rule", choices=("contrast", "paper"), default="contrast", help="rule that names v")
    symbal.add_argument(
        "--method", choices=("symbal", "no-grouping", "random"), default="symbal", help="what is measured"
    )
    symbal.add_argument("--preset", default="embedded")
    symbal.add_argument("--json", metavar="OUT", help="write every outcome and the table to this file")
    symbal.add_argument("--write", metavar="DIR", help="only write the settings as caption files with labels")
    symbal.add_argument("--workspace", default="workspace")
    symbal.set_defaults(command=_symbal)


def _symbal(options: argparse.Namespace) -> int:
    from core.bench.symbalbench.evaluate import accuracies, as_json, strata, table
    from core.bench.symbalbench.run import BenchConfig, prepare, run_bench
    from core.bench.symbalbench.settings import write_setting
    from core.models.registry import Models, load_preset

    config = BenchConfig(
        coco=Path(options.coco),
        instances=Path(options.instances) if options.instances else None,
        n=_number(options.settings),
        seed=options.seed,
        rule=options.rule,
        method=options.method,
    )
    if options.write:
        samples, settings = prepare(config)
        for setting in settings:
            write_setting(Path(options.write), samples, setting)
        print(f"{len(settings)} settings written to {options.write}")
        return 0
    outcomes = run_bench(
        config, Workspace(Path(options.workspace)), Models(load_preset(options.preset)), _tell
    )
    print(file=sys.stderr)
    print(table(outcomes))
    for outcome in outcomes:
        if outcome.reason:
            print(f"{outcome.label.name:<36} {outcome.reason}")
    if options.json:
        groups = {name: accuracies(some) for name, some in strata(outcomes).items()}
        asked = {"seed": config.seed, "rule": config.rule, "method": config.method, "preset": options.preset}
        kept = {**asked, "accuracy": groups, "outcomes": [as_json(o) for o in outcomes]}
        Path(options.json).write_text(json.dumps(kept, ensure_ascii=False, indent=1))
    return 0


def _number(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ConfigError("the number of settings is a whole number or 'all'", where="--settings", value=text)
    return int(text)


def _tell(what: str, done: int, total: int) -> None:
    print(f"\r{what}: {done:,} of {total:,}   ", end="", file=sys.stderr, flush=True)
