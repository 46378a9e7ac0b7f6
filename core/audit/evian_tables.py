"""Tables of the Evian stages: a row a sample, in sample order.

Paper: Evian 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from core.domain.evian import AXES, AxisScore, Decomposition, ScoreTriplet, TagSpan
from core.domain.evian_tags import insert_tags
from core.domain.judgement import Unscored

_SPAN = pa.struct([("tag", pa.string()), ("start", pa.int32()), ("stop", pa.int32())])
DECOMPOSITIONS_SCHEMA = pa.schema(
    [
        ("sample_index", pa.int32()),
        ("sample_id", pa.string()),
        ("response", pa.string()),
        ("spans", pa.list_(_SPAN)),
        ("cleaned_response", pa.string()),
        ("cleaned_unscored", pa.list_(pa.string())),
        ("visual_summary", pa.string()),
        ("summary_unscored", pa.list_(pa.string())),
        ("new_words", pa.list_(pa.string())),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("raw", pa.string()),
    ]
)
"""reason: why there is no decomposition, null if there is one.

*_unscored: [reason, detail, raw] of a failed step.
"""

_AXIS_FIELDS = (
    ("score", pa.int8()),
    ("expected", pa.float64()),
    ("defaulted", pa.bool_()),
    ("explanation", pa.string()),
    ("reason", pa.string()),
    ("raw", pa.string()),
)
TRIPLETS_SCHEMA = pa.schema(
    [("sample_index", pa.int32()), ("sample_id", pa.string())]
    + [(f"{axis}_{name}", kind) for axis in AXES for name, kind in _AXIS_FIELDS]
)
"""AXIS_score: 1..5, null = unscored, then AXIS_reason says why and AXIS_explanation in what detail."""


def decompositions_table(
    first: int, ids: Sequence[str], responses: Sequence[str], found: Sequence[Decomposition | Unscored]
) -> pa.Table:
    """Decompositions as rows. first: sample_index of the first."""
    rows = []
    for i, (sample_id, response, one) in enumerate(zip(ids, responses, found, strict=True)):
        row: dict[str, object] = {"sample_index": first + i, "sample_id": sample_id, "response": response}
        if isinstance(one, Unscored):
            row |= {"reason": one.reason, "detail": one.detail, "raw": one.raw}
        else:
            row["spans"] = [{"tag": s.tag, "start": s.start, "stop": s.stop} for s in one.spans]
            row["new_words"] = list(one.new_words)
            row |= _step("cleaned_response", "cleaned_unscored", one.cleaned_response)
            row |= _step("visual_summary", "summary_unscored", one.visual_summary)
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=DECOMPOSITIONS_SCHEMA)


def _step(text: str, failed: str, value: str | Unscored) -> dict[str, object]:
    if isinstance(value, Unscored):
        return {failed: [value.reason, value.detail, value.raw]}
    return {text: value}


def decomposition_of(row: Mapping[str, Any]) -> Decomposition | Unscored:
    """A row of the table as a decomposition, or why there is none."""
    if row["reason"] is not None:
        return Unscored(row["reason"], row["detail"] or "", row["raw"] or "")
    spans = tuple(TagSpan(s["tag"], s["start"], s["stop"]) for s in row["spans"] or ())

    def step(text: str, failed: str) -> str | Unscored:
        return Unscored(*row[failed]) if row[failed] else str(row[text] or "")

    return Decomposition(
        row["response"],
        spans,
        insert_tags(row["response"], spans),
        step("cleaned_response", "cleaned_unscored"),
        step("visual_summary", "summary_unscored"),
        tuple(row["new_words"] or ()),
    )


def triplets_table(first: int, triplets: Sequence[ScoreTriplet]) -> pa.Table:
    """Triplets as rows. first: sample_index of the first."""
    rows = []
    for i, triplet in enumerate(triplets):
        row: dict[str, object] = {"sample_index": first + i, "sample_id": triplet.sample_id}
        for axis in AXES:
            row |= {f"{axis}_{k}": v for k, v in _axis(triplet.axis(axis)).items()}
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=TRIPLETS_SCHEMA)


def _axis(score: AxisScore | Unscored) -> dict[str, object]:
    if isinstance(score, Unscored):
        return {"defaulted": False, "explanation": score.detail, "reason": score.reason, "raw": score.raw}
    return {
        "score": score.value,
        "expected": score.expected,
        "defaulted": score.defaulted,
        "explanation": score.explanation,
        "raw": score.raw,
    }


def count_triplets(tables: Iterable[pa.Table]) -> dict[str, object]:
    """Per axis: scored, defaulted, mean of the scores that were not defaulted, unscored by reason."""
    counts: dict[str, dict[str, Any]] = {
        a: {"n_scored": 0, "n_defaulted": 0, "sum": 0, "unscored": Counter()} for a in AXES
    }
    for table in tables:
        for axis, c in counts.items():
            score = table[f"{axis}_score"].to_pylist()
            defaulted = table[f"{axis}_defaulted"].to_pylist()
            own = [s for s, d in zip(score, defaulted, strict=True) if s is not None and not d]
            c["n_scored"] += len(own)
            c["sum"] += sum(own)
            c["n_defaulted"] += sum(defaulted)
            c["unscored"].update(r for r in table[f"{axis}_reason"].to_pylist() if r is not None)
    for c in counts.values():
        c["mean"] = c.pop("sum") / c["n_scored"] if c["n_scored"] else None
        c["unscored"] = dict(sorted(c["unscored"].items()))
    return {"axes": counts}


def score_arrays(table: pa.Table) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """(scores, defaulted) of a triplets table, each (n, 3) in the order of AXES; NaN = unscored."""
    scores = [table[f"{a}_score"].cast(pa.float64()).to_numpy(zero_copy_only=False) for a in AXES]
    defaulted = [np.asarray(table[f"{a}_defaulted"].to_pylist(), np.bool_) for a in AXES]
    return np.stack(scores, axis=1).astype(np.float64), np.stack(defaulted, axis=1)


def expected_array(table: pa.Table) -> np.ndarray[Any, Any]:
    """(n, 3) expected scores where known, else the integer ones; NaN = unscored."""
    scores, _ = score_arrays(table)
    finer = np.stack(
        [table[f"{a}_expected"].to_numpy(zero_copy_only=False).astype(np.float64) for a in AXES], axis=1
    )
    return np.where(np.isnan(finer), scores, finer)
