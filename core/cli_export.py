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
    "card": "section Known limitations of a dataset card, Markdown",
    "datasheet": "answers of a datasheet, Markdown",
    "croissant": "croissant.json with responsible-AI fields",
    "coco": "COCO captions with accepted revisions",
    "label-studio": "Label Studio tasks, sentences judged wrong as pre-annotations",
    "fiftyone": "labels.json for FiftyOne",
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
    parser.add_argument("--findings", default="all", help="card, datasheet, croissant: as for the report")
    parser.add_argument("--license", default="", help="croissant: licence of the dataset")
    parser.add_argument("--url", default="", help="croissant: where the dataset is")
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
        "card": _text,
        "datasheet": _text,
        "croissant": _croissant,
        "coco": _annotations,
        "label-studio": _annotations,
        "fiftyone": _annotations,
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


def _text(run: OpenRun, options: argparse.Namespace) -> dict[str, Any]:
    from core.export.card import card_markdown, datasheet_markdown

    make = card_markdown if options.what == "card" else datasheet_markdown
    text = make(run, options.findings)
    _write(Path(options.out), text.encode("utf-8", "replace"))
    return {"lines": text.count("\n")}


def _croissant(run: OpenRun, options: argparse.Namespace) -> dict[str, Any]:
    from core.export.croissant import croissant_json

    data = croissant_json(run, license_name=options.license, url=options.url, findings=options.findings)
    _write(Path(options.out), data)
    return {"bytes": len(data)}


def _annotations(run: OpenRun, options: argparse.Namespace) -> dict[str, Any]:
    from core.export.annotations import LABEL_STUDIO_CONFIG, write_coco, write_fiftyone, write_label_studio
    from core.export.corrected import replacing
    from core.export.drops import plan_of

    path = Path(options.out)
    with replacing(path) as out:
        if options.what == "label-studio":
            n = write_label_studio(run, out)
            _write(path.with_suffix(".config.xml"), LABEL_STUDIO_CONFIG.encode())
            return {"tasks": n}
        write = write_coco if options.what == "coco" else write_fiftyone
        return {"captions" if options.what == "coco" else "images": write(run, out, plan_of(run).edits)}


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise ConfigError(f"the export cannot be written ({error.strerror})", where=str(path)) from None
