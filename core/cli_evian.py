"""`python -m core evian RESPONSES`: Evian on a file of responses alone."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.domain.run import AuditConfig
from core.errors import DataError
from core.runs.workspace import Workspace

N_WORST = 10


def add_evian(commands: Any) -> None:
    """Add `evian` to the command line."""
    parser = commands.add_parser("evian", help="score responses on Evian's three axes")
    parser.add_argument("responses", help="JSONL (.gz), JSON, CSV, TSV or Parquet with a response a row")
    parser.add_argument("--images", help="folder the image paths are relative to")
    parser.add_argument(
        "--images-by-stem",
        action="store_true",
        help="an image that is missing may have another ending: take the file of the same stem",
    )
    parser.add_argument("--references", metavar="COL")
    parser.add_argument("--objects", metavar="COL")
    parser.add_argument("--caption-column", metavar="COL")
    parser.add_argument("--captioner-column", metavar="COL")
    parser.add_argument("--preset", default="embedded")
    parser.add_argument("--name")
    parser.add_argument("--workspace", default="workspace")
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    parser.set_defaults(command=evian)


def evian(options: argparse.Namespace) -> int:
    """Audit with the step evian alone; rows without a usable image keep their text scores."""
    from core.audit.run_audit import run_audit
    from core.progress import ProgressLine
    from core.views.open_run import open_run
    from core.views.triplet_sample import sample_view
    from core.views.triplets import captioner_table, load_triplets, sorted_rows

    workspace = Workspace(Path(options.workspace))
    responses = Path(options.responses)
    if options.images_by_stem and options.images:
        responses = with_found_images(responses, Path(options.images), workspace)
    config = AuditConfig(
        captions=str(responses),
        images=options.images,
        name=options.name,
        references_column=options.references,
        objects_column=options.objects,
        caption_column=options.caption_column,
        captioner_column=options.captioner_column,
        preset=options.preset,
        on_bad_row="keep",
        steps=("evian",),
    )
    with ProgressLine() as line:
        result = run_audit(config, workspace, on_event=line.show, handle_signals=True)
    run = open_run(workspace, result.run_id)
    t = load_triplets(run)
    table = captioner_table(t)
    rows = sorted_rows(t, sorted_all(len(t.sample_ids)), limit=N_WORST)
    worst = [sample_view(run, t, t.sample_ids[i]) for i in rows]
    if options.json:
        print(json.dumps({"run_id": run.run_id, "note": t.note, "captioners": [asdict(r) for r in table],
                          "worst": [asdict(w) for w in worst]}, ensure_ascii=False))  # fmt: skip
        return 0
    print(f"{run.run_id}: {len(t.sample_ids)} triplets{' (baseline)' if t.baseline else ''}")
    print(
        f"{'captioner':<22}{'n':>6}{'overall':>9}{'S_V':>7}{'S_L':>7}{'S_K':>7}   no claim (L, K)   unscored"
    )
    for r in table:
        means = "".join(f"{_number(m):>7}" for m in r.means)
        print(
            f"{r.captioner[:21]:<22}{r.n:>6}{_number(r.overall):>9}{means}   "
            f"{r.defaulted[1]:>7}, {r.defaulted[2]:<8}{r.unscored:>10}"
        )
    print("The ten worst:")
    for w in worst:
        print(f"- {w.sample_id} {w.captioner} overall {_number(w.overall)}")
        for a in w.axes:
            print(f"    {a.symbol} {a.value}: {a.explanation}")
    return 0


def sorted_all(n: int):  # type: ignore[no-untyped-def]
    """0..n-1 as row numbers."""
    import numpy as np

    return np.arange(n, dtype=np.int64)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def with_found_images(responses: Path, images: Path, workspace: Workspace) -> Path:
    """A copy of the file (as JSONL, in the workspace) whose missing images have the ending that exists.

    Only paths with exactly one file of the same stem are changed; the number is printed.
    Raises: DataError if the file has no column of image paths.
    """
    from core.dataset.read_dataset import open_dataset
    from core.dataset.source import open_source
    from core.domain.sample import RowProblem
    from core.runs.files import replacing
    from core.runs.keys import tagged_hash

    column = open_dataset(AuditConfig(captions=str(responses), images=str(images))).columns.image
    if column is None:
        raise DataError("the file has no column of image paths", where=str(responses))
    lines, changed = [], 0
    for row in open_source(responses).rows():
        if isinstance(row, RowProblem):
            continue
        record = dict(row[1])
        found = same_stem(images, str(record.get(column) or ""))
        if found is not None:
            record[column] = found
            changed += 1
        lines.append(json.dumps(record, ensure_ascii=False))
    text = "\n".join(lines) + "\n"
    folder = Path(workspace.create().folder(workspace.root / "inputs"))
    path = folder / f"{responses.name.split('.')[0]}-{tagged_hash({'t': text}, 'faultline-input')[:8]}.jsonl"
    if not path.is_file():
        with replacing(path) as stream:
            stream.write(text.encode())
    print(f"{changed} image paths had another ending", file=sys.stderr)
    return path


def same_stem(images: Path, relative: str) -> str | None:
    """The one file beside a missing image with its stem, relative to `images`; None if none or several."""
    path = images / relative
    if not relative or path.exists() or ".." in Path(relative).parts or os.path.isabs(relative):
        return None
    found: Sequence[Path] = [p for p in path.parent.glob(f"{_literal(path.stem)}.*") if p.is_file()]
    return found[0].relative_to(images).as_posix() if len(found) == 1 else None


def _literal(stem: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in stem)
