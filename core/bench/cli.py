"""`python -m core bench ...`: measure the method on rebuilt benchmarks."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from core.bench.evian_cli import evian_parser
from core.bench.symbalbench.medical import ReportColumns
from core.bench.vnli_cli import vnli_parser
from core.errors import ConfigError
from core.runs.workspace import Workspace


def add_bench(parser: argparse.ArgumentParser) -> None:
    """The benchmarks as sub-commands."""
    commands = parser.add_subparsers(required=True, metavar="{symbal,evian,vnli}")
    evian_parser(commands.add_parser("evian", help="do Evian's scores see injected defects?"))
    vnli_parser(commands.add_parser("vnli", help="VNLI-Critique's AutoRater against labelled sentences"))
    symbal = commands.add_parser("symbal", help="SymbalBench, rebuilt from COCO or from X-ray reports")
    base = symbal.add_mutually_exclusive_group(required=True)
    base.add_argument("--coco", help="captions_*.json of COCO, or the compact JSONL(.gz)")
    base.add_argument("--reports", help="CSV of X-ray reports with a column of labels: the medical half")
    symbal.add_argument("--instances", help="instances_*.json (found beside --coco if not given)")
    symbal.add_argument(
        "--report-columns", metavar="ID,TEXT,REFERENCES,LABELS",
        default="uid,impression,findings+impression,Problems",
        help="columns of --reports, several references with + (default: Indiana University's reports)",
    )  # fmt: skip
    symbal.add_argument("--settings", default="all", help="all, or how many, spread over the list")
    symbal.add_argument(
        "--pairs", type=int, default=0, metavar="N", help="draw N pairs from the data instead of Table 3's"
    )
    symbal.add_argument(
        "--setting", choices=("reference-based", "reference-free"), default="reference-based",
        help="reference-free compares with the images in --images",
    )  # fmt: skip
    symbal.add_argument("--images", help="folder of COCO's images, for the reference-free setting")
    symbal.add_argument(
        "--judge", choices=("offline", "llm"), default="offline", help="llm: the preset's judge_chat"
    )
    symbal.add_argument("--seed", type=int, default=0)
    symbal.add_argument("--rule", choices=("contrast", "paper"), default="contrast", help="rule that names v")
    symbal.add_argument(
        "--method",
        choices=("symbal", "no-grouping", "direct", "random"),
        default="symbal",
        help="what is measured; direct asks the preset's summarizer_chat",
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
    from core.dataset.images import open_image
    from core.models.registry import Models, load_preset

    config = BenchConfig(
        coco=_path(options.coco),
        instances=_path(options.instances),
        reports=_path(options.reports),
        report_columns=_report_columns(options.report_columns),
        n=_number(options.settings),
        n_pairs=options.pairs,
        seed=options.seed,
        setting=options.setting,
        images=_path(options.images),
        judge=options.judge,
        rule=options.rule,
        method=options.method,
    )
    if options.write:
        samples, settings = prepare(config)
        for setting in settings:
            write_setting(Path(options.write), samples, setting)
        print(f"{len(settings)} settings written to {options.write}")
        return 0
    workspace = Workspace(Path(options.workspace))
    models = Models(load_preset(options.preset), calls_dir=workspace.root / "calls", open_image=open_image)
    outcomes = run_bench(config, workspace, models, _tell)
    print(file=sys.stderr)
    print(table(outcomes))
    for outcome in outcomes:
        if outcome.reason:
            print(f"{outcome.label.name:<36} {outcome.reason}")
    if options.json:
        groups = {name: accuracies(some) for name, some in strata(outcomes).items()}
        asked = {
            "base": "reports" if config.reports else "coco",
            "setting": config.setting,
            "seed": config.seed,
            "rule": config.rule,
            "method": config.method,
            "judge": config.judge,
            "preset": options.preset,
        }
        kept = {**asked, "accuracy": groups, "outcomes": [as_json(o) for o in outcomes]}
        Path(options.json).write_text(json.dumps(kept, ensure_ascii=False, indent=1))
    return 0


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None


def _report_columns(text: str) -> ReportColumns:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 4 or not all(parts):
        raise ConfigError(
            "four columns are wanted, with commas", where="--report-columns", value=text,
            remedy="give ID,TEXT,REFERENCES,LABELS; several references with + between them",
        )  # fmt: skip
    identifier, said, references, labels = parts
    return ReportColumns(identifier, said, tuple(references.split("+")), labels)


def _number(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ConfigError("the number of settings is a whole number or 'all'", where="--settings", value=text)
    return int(text)


def _tell(what: str, done: int, total: int) -> None:
    print(f"\r{what}: {done:,} of {total:,}   ", end="", file=sys.stderr, flush=True)
