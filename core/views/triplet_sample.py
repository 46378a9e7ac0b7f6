"""One response on the Triplets page: its tagged text, its three scores with reasons, their provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from core.audit.evian_tables import decomposition_of
from core.domain.evian import AXES, AXIS_SYMBOLS, Axis, Tag
from core.domain.evian_tags import untagged
from core.domain.judgement import Unscored
from core.errors import RunError
from core.views.open_run import OpenRun
from core.views.triplets import Triplets, cell, stage_summary

NAMES: dict[Axis, str] = {
    "image_text_consistency": "Image-text consistency",
    "logical_coherence": "Logical coherence",
    "factual_accuracy": "Factual accuracy",
}
NO_CAPTIONER = "(no captioner)"
ROWS_AT_MOST = 5000
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AxisLine:
    """One score as read on screen. value: "4", "no claim" or "not scored"."""

    name: str
    symbol: str
    value: str
    explanation: str
    expected: float | None
    raw: str


@dataclass(frozen=True, slots=True)
class TripletSample:
    """One sample opened. pieces: the response in order, with its tag ("" = visual)."""

    sample_id: str
    captioner: str
    instruction: str
    image_sha256: str | None
    pieces: tuple[tuple[str, Tag | str], ...]
    visual_summary: str
    new_words: tuple[str, ...]
    axes: tuple[AxisLine, ...]
    overall: float | None
    provenance: tuple[tuple[str, str], ...]


def sample_view(run: OpenRun, t: Triplets, sample_id: str) -> TripletSample:
    """One sample with its parts and reasons. Raises: RunError for an id that is not in the run."""
    if sample_id not in t.sample_ids:
        raise RunError("this run has no such sample", where=run.run_id, value=sample_id)
    index = t.sample_ids.index(sample_id)
    sample = _row(run, "samples", index)
    scores = _row(run, "triplets", index)
    found = decomposition_of(_row(run, "decompositions", index))
    if isinstance(found, Unscored):
        pieces: tuple[tuple[str, str], ...] = ((str(sample["caption"]), ""),)
        summary = f"not made: {found.reason} ({found.detail})"
        news: tuple[str, ...] = ()
    else:
        pieces = _pieces(found.response, found.spans)
        said = found.visual_summary
        summary = said if isinstance(said, str) else f"not made: {said.reason} ({said.detail})"
        news = found.new_words
    total = t.overall[index]
    return TripletSample(
        sample_id,
        t.captioners[index],
        str(sample["instruction"] or ""),
        sample["image_sha256"],
        pieces,
        summary,
        news,
        tuple(_axis_line(scores, a, t, index, i) for i, a in enumerate(AXES)),
        None if np.isnan(total) else float(total),
        _provenance(run),
    )


def _pieces(response: str, spans: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    free = list(untagged(response, spans))
    pieces: list[tuple[str, str]] = []
    for i, (a, b) in enumerate(free):
        pieces.append((response[a:b], ""))
        if i < len(spans):
            pieces.append((response[spans[i].start : spans[i].stop], spans[i].tag))
    return tuple(p for p in pieces if p[0])


def _axis_line(row: Mapping[str, Any], axis: Axis, t: Triplets, index: int, i: int) -> AxisLine:
    reason = row[f"{axis}_reason"]
    explanation = row[f"{axis}_explanation"] or ""
    return AxisLine(
        NAMES[axis],
        AXIS_SYMBOLS[axis],
        cell(t, index, i),
        f"{reason}: {explanation}" if reason else explanation,
        row[f"{axis}_expected"],
        row[f"{axis}_raw"] or "",
    )


def _provenance(run: OpenRun) -> tuple[tuple[str, str], ...]:
    lines = []
    for label, stage in (("Decomposed by", "decompositions"), ("Scored by", "triplets")):
        model = stage_summary(run, stage)["model"]
        mark = ", baseline" if model["baseline"] else ""
        lines.append((label, f"{model['name']} {model['revision']} ({model['backend']}{mark})"))
        lines.append((f"Key of {stage}", run.need_stage(stage).name))
    return tuple(lines)


def _row(run: OpenRun, stage: str, index: int) -> dict[str, Any]:
    """One row of a stage, reading only the part that holds it."""
    for path in sorted(run.need_stage(stage).glob("part-*.parquet")):
        n = pq.read_metadata(path).num_rows
        if index < n:
            row: dict[str, Any] = pq.read_table(path, partitioning=None).slice(index, 1).to_pylist()[0]
            return row
        index -= n
    raise RunError("a part of a stage is missing", where=stage)
