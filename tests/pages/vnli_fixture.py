"""Sentence factuality, critiques and revisions for the finished run of audit_fixture.

Wrong sentences are flagged. By the sample's number their revision is: a rewrite that the critic accepts, one
that it does not, a deletion, or none.
"""

from __future__ import annotations

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq

from core.audit.vnli_tables import (
    CRITIQUES_SCHEMA,
    REVISIONS_SCHEMA,
    critique_row,
    factuality_table,
    revision_row,
)
from core.domain.judgement import Unscored
from core.domain.vnli import Factuality, Revision
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from tests.pages import audit_fixture as base

MODEL = {"name": "vnli-baseline", "revision": "1", "backend": "embedded", "baseline": True}
CAPTIONERS = ("Alpha", "Beta")


def revision_of(i):
    """What is proposed for the wrong sentence of sample i."""
    t, _ = base.PAIRS[i % 3]
    if i % 4 == 0:
        return Revision(
            f"There is a red thing near the middle of it, no {t}.", Factuality(0.9, "Entailment", "x")
        )
    if i % 4 == 1:
        return Revision("There is a pole.", Factuality(0.1, "Non-entailment", "x"))
    return Revision("", None) if i % 4 == 2 else Unscored("no safe edit", "no main verb")


def add_vnli(root, run_id, *, captioners=False, n=60):
    """Add the stages to a finished run. captioners: samples alternate between two, two samples an image."""
    facts = list(range(2 * n))
    wrong = [i for i in range(n) if base.is_wrong(i)]
    judged = [
        Unscored("no judged concept", "names nothing") if f % 2 == 0
        else Factuality(0.1, "Non-entailment", "baseline", f"<b>{base.PAIRS[f // 2 % 3][0]}</b>")
        if base.is_wrong(f // 2) else Factuality(0.8, "Entailment", "baseline")
        for f in facts
    ]  # fmt: skip
    critiques = [
        critique_row(
            2 * i + 1,
            f"'{base.PAIRS[i % 3][0]}' finds no support in <i>the list</i>.",
            [base.PAIRS[i % 3][0]],
        )
        for i in wrong
    ]
    tables = {
        "factuality": factuality_table(facts, judged),
        "critiques": pa.Table.from_pylist(critiques, schema=CRITIQUES_SCHEMA),
        "revisions": pa.Table.from_pylist(
            [revision_row(2 * i + 1, revision_of(i)) for i in wrong], schema=REVISIONS_SCHEMA
        ),
    }
    keys = {name: hashlib.sha256(f"{run_id}{name}".encode()).hexdigest() for name in tables}
    for name, table in tables.items():
        store = StageStore(Workspace(root), name, keys[name])
        store.write_table(0, table)
        store.commit({"model": MODEL, "threshold": 0.5})
    path = root / "runs" / run_id / "run.json"
    record = json.loads(path.read_text())
    record["stages"].update(keys)
    path.write_text(json.dumps(record))
    if captioners:
        _name_captioners(root, record["stages"]["samples"])
    return run_id


def _name_captioners(root, key):
    position = 0
    for path in sorted((root / "stages" / "samples" / key).glob("part-*.parquet")):
        table = pq.read_table(path)
        rows = table.to_pylist()
        for row in rows:
            row["captioner"] = CAPTIONERS[position % 2]
            row["meta"] = json.dumps({"image": f"{position // 2}.jpg"})
            position += 1
        pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
