"""`python -m core export RUN WHAT --out FILE`: findings, verdicts and corrected captions for other "
"programs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import ConfigError
from core.runs.workspace import Workspace

if TYPE_CHECKING:
    from core.views.open_run import OpenRun

KINDS = {
    "findings": "findings with their verdicts and provenance, JSON",
    "verdicts": "every verdict ever given, CSV or (by the ending .parquet) Parquet",
    "captions": "the captions file in its own format with accepted revisions only",
    "drops": "sentences judged wrong that no accepted revision repairs, CSV or Parquet",
    "selected": "the captions file with the rows whose Evian score reaches --threshold",
}


def add_export(commands: Any) -> None:
    """Add `export` to the command line."""
    said = "; ".join(f"{name}: {what}" for name, what in KINDS.items())
    parser = commands.add_parser(
        "export", help="write findings, verdicts or corrected captions", description=said
    )
    parser.add_argument("run", help="name of the run")
    parser.add_argument("what", choices=list(KINDS))
    parser.add_argument("--out", required=True, metavar="FILE", help="file to write")
    parser.add_argument(
        "--leave-out", action="store_true", help="captions: without the rows on the drop list"
    )
    parser.add_argument(
        "--threshold", type=float, default=3.0, help="selected: lowest overall score kept (3)"
    )
    parser.add_argument("--workspace", default="workspace")
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    parser.set_defaults(command=export)


def export(options: argparse.Namespace) -> int:
    """Write one export and say what it holds."""
    from core.views.open_run import open_run

    run = open_run(Workspace(Path(options.workspace)), options.run)
    writers: dict[str, Callable[[OpenRun, argparse.Namespace], dict[str, Any]]] = {
        "findings": _findings,
        "verdicts": _verdicts,
        "captions": _captions,
        "drops": _drops,
        "selected": _captions,
    }
    said = {"out": options.out, **writers[options.what](run, options)}
    if options.json:
        print(json.dumps(said, ensure_ascii=False))
        return 0
    numbers = ", ".join(
        f"{value:,} {name.replace('_', ' ')}" for name, value in said.items() if isinstance(value, int)
    )
    print(f"{options.out}: {numbers}")
    for why in said.get("failed", ()):
        print(why, file=sys.stderr)
    return 0


def _findings(run: OpenRun, options: argparse.Namespace) -> dict[str, Any]:
    from core.export.tables import findings_json

    data = findings_json(run)
    _write(Path(options.out), data)
    return {"findings": len(json.loads(data)["findings"])}


def _verdicts(run: OpenRun, options: argparse.Namespace) -> dict[str, Any]:
    from core.export.tables import verdicts_table

    return _table(run, options, verdicts_table(run), "verdicts")


def _drops(run: OpenRun, options: argparse.Namespace) -> dict[str, Any]:
    from core.export.drops import drop_list
    from core.export.tables import drops_table

    return _table(run, options, drops_table(list(drop_list(run))), "sentences")


def _table(run: OpenRun, options: argparse.Namespace, table: Any, name: str) -> dict[str, Any]:
    from core.export.tables import csv_bytes, parquet_bytes

    path = Path(options.out)
    _write(path, parquet_bytes(table, run) if path.suffix == ".parquet" else csv_bytes(table))
    return {name: table.num_rows}


def _captions(run: OpenRun, options: argparse.Namespace) -> dict[str, Any]:
    from core.export.corrected import export_corrected
    from core.export.drops import input_of, plan_of
    from core.export.selected import selected_rows

    only = selected_rows(run, options.threshold) if options.what == "selected" else None
    plan = plan_of(run, leave_out=options.leave_out, only=only)
    source, column = input_of(run)
    done = export_corrected(source, Path(options.out), column, plan)
    return {
        "rows": done.n_rows,
        "changed": done.n_changed,
        "revisions": done.n_revisions,
        "left_out": done.n_left_out,
        "not_revised": len(done.failed),
        "failed": [f"row {p.row}: {p.reason}" for p in done.failed[:20]],
    }


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise ConfigError(f"the export cannot be written ({error.strerror})", where=str(path)) from None
