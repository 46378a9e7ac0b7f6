"""What people accepted on a run, and the sentences that stay wrong: the plan of an export and its drop "
"list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from core.export.changes import Plan, Revision, edits_of
from core.labels.revisions import accepted_revisions
from core.runs.config_file import read_config
from core.runs.files import read_json
from core.views.open_run import OpenRun, labels_of

FLAGGED = ("Contradiction", "Neutral")


def accepted(run: OpenRun) -> dict[str, tuple[Revision, ...]]:
    """sample_id -> revisions accepted by everybody who decided on them. Disputed ones are not used."""
    if not run.fingerprint:
        return {}
    found = accepted_revisions(labels_of(run.workspace, run.fingerprint))
    return {
        sample: tuple(
            Revision(
                start,
                end,
                one.text or "",
                ", ".join(label.annotator for label in one.labels),
                one.labels[-1].time,
            )
            for (start, end), one in sorted(places.items())
        )
        for sample, places in found.items()
    }


def drop_list(run: OpenRun) -> Iterator[dict[str, Any]]:
    """Sentences judged wrong that no accepted revision repairs or takes out, with the reason, in order."""
    repaired = {(s, r.start, r.end) for s, revisions in accepted(run).items() for r in revisions}
    rows: list[int] = []
    for one in flagged_sentences(run):
        if (one["sample_id"], one["start"], one["end"]) not in repaired:
            rows = rows or _rows_of(run)
            yield {
                "sample_id": one["sample_id"],
                "row": rows[one["sample_index"]],
                "start": one["start"],
                "end": one["end"],
                "sentence": one["sentence"],
                "reason": f"no accepted revision; {one['reason']}",
            }


def flagged_sentences(run: OpenRun) -> Iterator[dict[str, Any]]:
    """Sentences judged wrong, with verdict and reason, in the order of the samples.

    By the sentence critic (step vnli) where the run has it, else by the scorer of the findings, whose verdict
    is Contradiction.
    """
    flagged = {fact_id: (verdict, reason) for fact_id, verdict, reason in _flagged(run)}
    for fact in _facts(run, flagged) if flagged else ():
        verdict, reason = flagged[fact["fact_id"]]
        yield {**fact, "sentence": fact["text"], "verdict": verdict, "reason": reason}


def _flagged(run: OpenRun) -> Iterator[tuple[int, str, str]]:
    """(fact_id, verdict, reason) of sentences judged wrong."""
    if run.stage("factuality") is not None:
        for row in _stage(run, "factuality", ["fact_id", "verdict", "explanation"]):
            if row["verdict"] in FLAGGED:
                judged = f"{row['verdict']} by the sentence critic"
                yield row["fact_id"], row["verdict"], _reason(judged, row["explanation"])
        return
    below = float(read_json(run.need_stage("scores") / "stage.json")["summary"].get("wrong_below", 0.5))
    for row in _stage(run, "scores", ["fact_id", "value", "explanation"]):
        if row["value"] is not None and row["value"] < below:
            yield row["fact_id"], FLAGGED[0], _reason(f"alignment {row['value']:.2f}", row["explanation"])


def _reason(judged: str, why: str | None) -> str:
    return f"{judged}: {why}" if why else judged


def _facts(run: OpenRun, wanted: Mapping[int, object]) -> Iterator[dict[str, Any]]:
    ids = pa.array(sorted(wanted), pa.int64())
    columns = ["fact_id", "sample_index", "sample_id", "text", "start", "end"]
    for part in _parts(run, "facts"):
        table = pq.read_table(part, columns=columns, partitioning=None)
        yield from table.filter(pc.is_in(table["fact_id"], value_set=ids)).to_pylist()


def _rows_of(run: OpenRun) -> list[int]:
    return [row["row"] for row in _stage(run, "samples", ["row"])]


def _stage(run: OpenRun, stage: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    for part in _parts(run, stage):
        yield from pq.read_table(part, columns=columns, partitioning=None).to_pylist()


def _parts(run: OpenRun, stage: str) -> list[Path]:
    return sorted(run.need_stage(stage).glob("part-*.parquet"))


def plan_of(run: OpenRun, *, leave_out: bool = False, only: frozenset[int] | None = None) -> Plan:
    """Accepted revisions, and, if asked, without the rows on the drop list. only: rows to keep, None = all.

    Raises DataError if a revision does not fit its caption any more.
    """
    left_out: dict[int, list[str]] = defaultdict(list)
    for drop in drop_list(run) if leave_out else ():
        left_out[drop["row"]].append(drop["reason"])
    reasons = {row: "; ".join(found) for row, found in left_out.items()}
    return Plan(edits_of(run, accepted(run)), reasons, only)


def input_of(run: OpenRun) -> tuple[Path, str]:
    """(captions file, column of the caption) of a run."""
    columns = (run.record.get("dataset") or {}).get("columns") or {}
    config = read_config(run.folder / "config.toml")
    return Path(config.captions), str(columns.get("caption") or config.caption_column or "caption")
