"""`python -m core report RUN --out audit.html`: a run as one file to send around."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.runs.workspace import Workspace


def add_report(commands: Any) -> None:
    """Add `report` to the command line."""
    parser = commands.add_parser("report", help="write the report of a run as one HTML file")
    parser.add_argument("run", help="name of the run")
    parser.add_argument("--out", default="audit.html", metavar="FILE", help="file to write (audit.html)")
    parser.add_argument(
        "--findings", default="all", metavar="WHICH", help="all, confirmed, or ranks such as 1,3,5"
    )
    parser.add_argument("--sections", metavar="NAMES", help="sections with commas (default: all)")
    parser.add_argument(
        "--max-images", type=int, default=12, metavar="N", help="thumbnails a finding (default 12)"
    )
    parser.add_argument("--max-mb", type=float, default=15.0, metavar="MB", help="size at most (default 15)")
    parser.add_argument("--date", help="date on the report (default: today)")
    parser.add_argument("--title", default="")
    parser.add_argument("--author", default="")
    parser.add_argument("--notes", default="", help="a note for the reader, shown first")
    parser.add_argument("--workspace", default="workspace")
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    parser.set_defaults(command=report)


def report(options: argparse.Namespace) -> int:
    """Build the report and write it."""
    from core.report.build import build_report
    from core.report.data import SECTIONS, Options
    from core.views.open_run import open_run

    run = open_run(Workspace(Path(options.workspace)), options.run)
    sections: list[Any] = list(SECTIONS)
    if options.sections:
        sections = [name.strip() for name in options.sections.split(",")]
    made = build_report(
        run,
        Options(
            findings=options.findings,
            sections=tuple(sections),
            max_images=options.max_images,
            max_mb=options.max_mb,
            date=date.today().isoformat() if options.date is None else options.date,
            title=options.title,
            author=options.author,
            notes=options.notes,
        ),
    )
    path = Path(options.out)
    try:
        path.write_bytes(made.html)
    except OSError as error:
        raise ConfigError(f"the report cannot be written ({error.strerror})", where=str(path)) from None
    if options.json:
        print(
            json.dumps(
                {
                    "out": str(path),
                    "bytes": len(made.html),
                    "findings": made.n_findings,
                    "images": made.n_images,
                }
            )
        )
        return 0
    print(f"{path}: {made.n_findings} findings, {made.n_images} images, {len(made.html) / 1e6:.1f} MB")
    for n, why in ((made.left_out, "left out to keep the size"), (made.broken, "could not be read any more")):
        if n:
            print(f"{n} images {why}", file=sys.stderr)
    return 0
