"""Tables of the VNLI stages; each holds its rows in the order of the facts. Paper: VNLI-Critique 4, 5."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from core.domain.judgement import Unscored
from core.domain.vnli import Factuality, FactualityJudgement, Revision
from core.summaries.vnli_revision import self_consistency

FACTUALITY_SCHEMA = pa.schema(
    [
        ("fact_id", pa.int64()),
        ("p_entailment", pa.float64()),
        ("verdict", pa.string()),
        ("how", pa.string()),
        ("explanation", pa.string()),
        ("unsupported", pa.list_(pa.string())),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("raw", pa.string()),
    ]
)
"""One row a fact. verdict null = unscored, then reason says why; p_entailment null also for sentences with
nothing to assess."""

_CONCEPT = pa.struct([("text", pa.string()), ("start", pa.int32()), ("end", pa.int32())])
CRITIQUES_SCHEMA = pa.schema(
    [
        ("fact_id", pa.int64()),
        ("critique", pa.string()),
        ("unsupported", pa.list_(_CONCEPT)),
        ("names", pa.list_(pa.string())),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("raw", pa.string()),
    ]
)
"""One row a sentence that is not entailed. names: what the critique speaks of, for the reasons of a finding.

unsupported: concepts with their place in the sentence (baseline only).
"""

REVISIONS_SCHEMA = pa.schema(
    [
        ("fact_id", pa.int64()),
        ("revision", pa.string()),
        ("p_after", pa.float64()),
        ("verdict_after", pa.string()),
        ("how_after", pa.string()),
        ("after_detail", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("raw", pa.string()),
    ]
)
"""One row a sentence that is not entailed. revision: "" = taken out, null = none could be made (reason)."""


def factuality_table(fact_ids: Iterable[int], found: Sequence[FactualityJudgement]) -> pa.Table:
    """Judgements as rows."""
    rows = []
    for fact_id, one in zip(fact_ids, found, strict=True):
        row: dict[str, object] = {"fact_id": fact_id, "raw": one.raw}
        if isinstance(one, Unscored):
            row |= {"reason": one.reason, "detail": one.detail, "explanation": "", "how": ""}
        else:
            row |= {
                "p_entailment": one.p_entailment,
                "verdict": one.verdict,
                "how": one.how,
                "explanation": one.explanation,
                "unsupported": list(one.unsupported),
            }
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=FACTUALITY_SCHEMA)


def factuality_of(row: Mapping[str, Any]) -> FactualityJudgement:
    """A row as a judgement."""
    if row["verdict"] is None:
        return Unscored(row["reason"], row["detail"] or "", row["raw"] or "")
    return Factuality(
        row["p_entailment"],
        row["verdict"],
        row["how"],
        row["explanation"] or "",
        row["raw"] or "",
        tuple(row["unsupported"] or ()),
    )


def critique_row(
    fact_id: int,
    critique: str | Unscored,
    names: Sequence[str],
    unsupported: Sequence[tuple[str, int, int]] = (),
) -> dict[str, object]:
    """A critique, or why there is none, as a row."""
    row: dict[str, object] = {
        "fact_id": fact_id,
        "names": list(names),
        "unsupported": [{"text": t, "start": a, "end": b} for t, a, b in unsupported],
    }
    if isinstance(critique, Unscored):
        return row | {"reason": critique.reason, "detail": critique.detail, "raw": critique.raw}
    return row | {"critique": critique, "raw": critique}


def revision_row(fact_id: int, one: Revision | Unscored) -> dict[str, object]:
    """A revision, or why there is none, as a row."""
    row: dict[str, object] = {"fact_id": fact_id, "raw": one.raw}
    if isinstance(one, Unscored):
        return row | {"reason": one.reason, "detail": one.detail}
    row["revision"] = one.text
    if isinstance(one.after, Unscored):
        return row | {"after_detail": f"{one.after.reason}: {one.after.detail}".rstrip(": ")}
    if one.after is not None:
        row |= {
            "p_after": one.after.p_entailment,
            "verdict_after": one.after.verdict,
            "how_after": one.after.how,
            "after_detail": one.after.explanation,
        }
    return row


def revision_of(row: Mapping[str, Any]) -> Revision | Unscored:
    """A row as a revision."""
    if row["revision"] is None:
        return Unscored(row["reason"] or "not revised", row["detail"] or "", row["raw"] or "")
    after: FactualityJudgement | None = None
    if row["verdict_after"] is not None:
        after = Factuality(
            row["p_after"], row["verdict_after"], row["how_after"] or "", row["after_detail"] or ""
        )
    elif row["revision"]:
        after = Unscored("not judged", row["after_detail"] or "")
    return Revision(row["revision"], after, row["raw"] or "")


def count_factuality(tables: Iterable[pa.Table]) -> dict[str, object]:
    """Sentences by verdict, unscored by reason, and the mean p_entailment."""
    verdicts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    total, n = 0.0, 0
    for table in tables:
        verdicts.update(v for v in table["verdict"].to_pylist() if v is not None)
        reasons.update(r for r in table["reason"].to_pylist() if r is not None)
        values = table["p_entailment"].drop_null().to_pylist()
        total, n = total + sum(values), n + len(values)
    return {
        "verdicts": dict(sorted(verdicts.items())),
        "n_unscored": reasons.total(),
        "unscored_reasons": dict(sorted(reasons.items())),
        "mean_p_entailment": total / n if n else None,
    }


def count_critiques(tables: Iterable[pa.Table]) -> dict[str, object]:
    """Critiques written, and what came of the rest."""
    reasons: Counter[str] = Counter()
    n = 0
    for table in tables:
        n += table.num_rows
        reasons.update(r for r in table["reason"].to_pylist() if r is not None)
    return {
        "n_flagged": n,
        "n_critiques": n - reasons.total(),
        "unscored_reasons": dict(sorted(reasons.items())),
    }


def count_revisions(tables: Iterable[pa.Table]) -> dict[str, object]:
    """Self-consistency as in the paper's Table 6, with what was deleted or not revised beside it."""
    reasons: Counter[str] = Counter()

    def revisions() -> Iterable[Revision | Unscored]:
        for table in tables:
            for row in table.to_pylist():
                one = revision_of(row)
                if isinstance(one, Unscored):
                    reasons[one.reason] += 1
                yield one

    found = self_consistency(revisions())
    return {
        "flagged": found.flagged,
        "judged": found.judged,
        "accepted": found.accepted,
        "deleted": found.deleted,
        "unscored": found.unscored,
        "self_consistency": found.rate,
        "unscored_reasons": dict(sorted(reasons.items())),
    }
