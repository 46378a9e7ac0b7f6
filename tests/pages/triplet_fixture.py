"""Evian's stages for the finished run of audit_fixture, with scores that follow from the sample's number."""

from __future__ import annotations

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq

from core.audit.evian_tables import count_triplets, decompositions_table, triplets_table
from core.domain.evian import AxisScore, Decomposition, ScoreTriplet, TagSpan
from core.domain.evian_tags import insert_tags
from core.domain.judgement import Unscored
from core.domain.run import AuditConfig
from core.runs.config_file import write_config
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from tests.pages import audit_fixture

CAPTIONERS = ("Alpha-7B", "Beta-13B")
MODEL = {"name": "evian-baseline-triplets", "revision": "1", "backend": "embedded", "baseline": True}
TAGGER = {**MODEL, "name": "evian-rule-tagger"}
NOTE = "scores are heuristics from alignment scores and text similarity; no fact is checked"
BROKEN = 3
"""The sample whose tagging failed; every axis of it is unscored."""
CHANGED = Unscored("wording changed", "'a' became 'the'", "Marked Response: the picture")


def values(i):
    """(S_V, S_L, S_K) of sample i; None = no claim, 2 by rule. Nothing is unscored but sample BROKEN."""
    return ((5, None, None), (4, 3, None), (1, 5, 4), (2, 1, None))[i % 4]


def overall_of(i):
    return sum(2 if v is None else v for v in values(i)) / 3


def _spans(i, response):
    _, coherence, accuracy = values(i)
    spans, at = [], response.find("There is")
    if accuracy is not None:
        spans.append(TagSpan("KNOW", at, at + 8))
    if coherence is not None:
        spans.append(TagSpan("INFER", at + 9, at + 14))
    return tuple(spans)


def _decomposition(i, response):
    if i == BROKEN:
        return CHANGED
    spans = _spans(i, response)
    return Decomposition(response, spans, insert_tags(response, spans), response, f"Summary of s{i:03}.")


def _axis(value, reason):
    if value is None:
        return AxisScore(2, "no claim: the response has no such passage", defaulted=True)
    return AxisScore(value, reason, expected=value - 0.1)


def _triplet(i):
    if i == BROKEN:
        return ScoreTriplet(f"s{i:03}", CHANGED, CHANGED, CHANGED)
    return ScoreTriplet(
        f"s{i:03}", *(_axis(v, f"{a} of s{i:03}") for v, a in zip(values(i), "VLK", strict=True))
    )


def add_triplets(root, run_id="street-1a2b3c", *, n=60, model=MODEL, tagger=TAGGER, note=NOTE):
    """Add decompositions and triplets, two captioners, and the input file that a selection is cut from."""
    workspace = Workspace(root)
    path = root / "runs" / run_id / "run.json"
    record = json.loads(path.read_text())
    samples = _two_captioners(root / "stages" / "samples" / record["stages"]["samples"])
    keys = {}
    for name, summary, make in (
        ("decompositions", {"model": tagger, "n_unscored": 1}, _decomposition_rows),
        ("triplets", {"model": model, "note": note}, lambda rows: triplets_table(0, [*map(_triplet, rows)])),
    ):
        keys[name] = hashlib.sha256(f"{run_id}{name}".encode()).hexdigest()
        store = StageStore(workspace, name, keys[name])
        table = make(samples if name == "decompositions" else range(n))
        half = n // 2
        for part, (start, stop) in enumerate(((0, half), (half, n))):
            store.write_table(part, table.slice(start, stop - start))
        counts = count_triplets([table]) if name == "triplets" else {}
        store.commit({**summary, **counts})
    record["stages"].update(keys)
    path.write_text(json.dumps(record))
    captions = root.parent / "street.jsonl"
    captions.write_text("".join(json.dumps(input_row(s)) + "\n" for s in samples))
    write_config(path.parent / "config.toml", AuditConfig(captions=str(captions), steps=("symbal", "evian")))
    return run_id


def input_row(sample):
    """A row of the input file, with a column that Faultline does not know."""
    return {"caption": sample["caption"], "captioner": sample["captioner"], "own": sample["sample_id"]}


def _decomposition_rows(samples):
    ids, responses = [s["sample_id"] for s in samples], [s["caption"] for s in samples]
    return decompositions_table(0, ids, responses, [_decomposition(i, r) for i, r in enumerate(responses)])


def _two_captioners(folder):
    rows = []
    for part in sorted(folder.glob("part-*.parquet")):
        table = pq.read_table(part, partitioning=None)
        found = table.to_pylist()
        for i, row in enumerate(found, len(rows)):
            row["captioner"] = CAPTIONERS[i % 3 == 0]
        pq.write_table(pa.Table.from_pylist(found, schema=table.schema), part)
        rows += found
    return rows


def finished_with_triplets(root, *, images=False, **more):
    """A finished run with triplets; its id."""
    return add_triplets(root, audit_fixture.write_finished(root, images=images), **more)
