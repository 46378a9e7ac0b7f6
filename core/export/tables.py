"""Findings as JSON, verdicts and the drop list as tables: what other programs read on."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.domain.label import HumanLabel
from core.export.safe_cells import safe_cell
from core.labels.replay import standing_labels
from core.views.findings import finding_target, findings_of, is_believed
from core.views.open_run import OpenRun, labels_of

VERDICTS_SCHEMA = pa.schema(
    [
        ("kind", pa.string()),
        ("target", pa.string()),
        ("verdict", pa.string()),
        ("text", pa.string()),
        ("note", pa.string()),
        ("annotator", pa.string()),
        ("time", pa.string()),
        ("standing", pa.bool_()),
        ("withdrawn", pa.bool_()),
        ("textual_fact", pa.string()),
        ("visual_feature", pa.string()),
        ("label_id", pa.string()),
        ("supersedes", pa.string()),
        ("dataset", pa.string()),
        ("run_id", pa.string()),
    ]
)
"""One row a label ever given. kind: what the target is ("finding", "fact", "revision", ...). text: what an
edited sentence becomes. standing: the annotator's verdict now."""

DROPS_SCHEMA = pa.schema(
    [
        ("sample_id", pa.string()),
        ("row", pa.int64()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("sentence", pa.string()),
        ("reason", pa.string()),
    ]
)


def findings_json(run: OpenRun) -> bytes:
    """The findings with their verdicts and where all of it comes from, as one JSON document."""
    statuses = labels_of(run.workspace, run.fingerprint).statuses() if run.fingerprint else {}
    findings = []
    for finding in findings_of(run):
        status = statuses.get(finding_target(finding["finding_id"]))
        verdicts = sorted(status.by_annotator.items()) if status else []
        findings.append(
            {
                **finding,
                "believed": is_believed(finding["association"]),
                "verdict": status.agreed if status else None,
                "verdicts": [
                    {"annotator": n, "verdict": v.verdict, "note": v.note, "time": v.time}
                    for n, v in verdicts
                ],
            }
        )
    document = {
        **{k: v for k, v in (run.findings or {}).items() if k != "findings"},
        "provenance": {
            "run_id": run.run_id,
            "fingerprint": run.fingerprint,
            "started": run.info.started,
            "stages": dict(run.record.get("stages") or {}),
        },
        "findings": findings,
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def verdicts_table(run: OpenRun) -> pa.Table:
    """Every label on the dataset, in the order given."""
    labels = labels_of(run.workspace, run.fingerprint).labels() if run.fingerprint else ()
    names = {
        finding_target(f["finding_id"]): (f["textual_fact"]["text"], f["visual_feature"]["text"])
        for f in findings_of(run)
    }
    standing = {label.label_id for label in standing_labels(labels).values()}
    return pa.Table.from_pylist([_row(label, names, standing) for label in labels], schema=VERDICTS_SCHEMA)


def _row(label: HumanLabel, names: Mapping[str, tuple[str, str]], standing: set[str]) -> dict[str, Any]:
    t, v = names.get(label.target, (None, None))
    kind = label.target.partition(":")[0]
    more = {"kind": kind, "standing": label.label_id in standing, "textual_fact": t, "visual_feature": v}
    return {"text": None, **asdict(label), **more}


def csv_bytes(table: pa.Table) -> bytes:
    """A table as CSV that is safe to open in a spreadsheet; `core.export.safe_cells.plain_cell` undoes it."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(table.column_names)
    for row in table.to_pylist():
        writer.writerow([safe_cell(value) for value in row.values()])
    return text.getvalue().encode("utf-8", "replace")


def parquet_bytes(table: pa.Table, run: OpenRun) -> bytes:
    """A table as Parquet; run and fingerprint are in its metadata."""
    metadata = {"faultline_run": run.run_id, "faultline_dataset": run.fingerprint}
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), out, compression="zstd")
    return out.getvalue()


def drops_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """A drop list as a table."""
    return pa.Table.from_pylist(list(rows), schema=DROPS_SCHEMA)
