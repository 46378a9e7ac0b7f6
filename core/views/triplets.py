"""What the Triplets page shows: scores on three axes, their distributions, selection and single samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from core.audit.evian_tables import expected_array, score_arrays
from core.domain.evian import AXES, Axis
from core.errors import RunError
from core.findings.evian_selection import Weights, overall, select_above, select_top
from core.runs.files import read_json
from core.views.open_run import OpenRun

NAMES: dict[Axis, str] = {
    "image_text_consistency": "Image-text consistency",
    "logical_coherence": "Logical coherence",
    "factual_accuracy": "Factual accuracy",
}
NO_CAPTIONER = "(no captioner)"
ROWS_AT_MOST = 5000
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Triplets:
    """All triplets of a run, in sample order.

    scores, expected: (n, 3) in the order of AXES, NaN = unscored. defaulted: (n, 3). overall: (n,).
    row: (n,) row in the input file. model: of the scores; baseline: True = heuristics, and note says so.
    """

    run_id: str
    sample_ids: tuple[str, ...]
    captioners: tuple[str, ...]
    row: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    expected: npt.NDArray[np.float64]
    defaulted: npt.NDArray[np.bool_]
    overall: npt.NDArray[np.float64]
    model: str
    tagger: str
    baseline: bool
    note: str

    def weighted(self, weights: Weights, count_defaulted: bool) -> Triplets:
        """The same scores under another overall score."""
        return replace(
            self,
            overall=overall(self.scores, self.defaulted, weights, count_defaulted=count_defaulted),
        )


@dataclass(frozen=True, slots=True)
class Distribution:
    """Of one axis. counts: of 1..5 without defaults. n_default: "no claim", 2 by rule."""

    axis: Axis
    name: str
    counts: tuple[int, int, int, int, int]
    n_default: int
    n_unscored: int
    mean: float | None


@dataclass(frozen=True, slots=True)
class CaptionerRow:
    """Means of one captioner; the axes' means leave defaults out, None = nothing scored."""

    captioner: str
    n: int
    overall: float | None
    means: tuple[float | None, float | None, float | None]
    defaulted: tuple[int, int, int]
    unscored: int


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """kept: row numbers of the triplets. by_captioner: (name, kept, all)."""

    kept: Rows
    n_dropped: int
    n_unscored: int
    lowest: float | None
    by_captioner: tuple[tuple[str, int, int], ...]


def has_triplets(run: OpenRun) -> bool:
    """Whether the run scored triplets."""
    return run.stage("triplets") is not None


def load_triplets(run: OpenRun) -> Triplets:
    """All scores of a run, without texts. Raises: RunError if Evian was not part of it."""
    if not has_triplets(run):
        raise RunError(
            "this run has no triplets", where=run.run_id, remedy="audit with the step evian (--steps evian)"
        )
    axes = [f"{a}_{f}" for a in AXES for f in ("score", "expected", "defaulted")]
    table = _table(run, "triplets", ["sample_id", *axes])
    samples = _table(run, "samples", ["captioner", "row"])
    scores, defaulted = score_arrays(table)
    summary, tagging = stage_summary(run, "triplets"), stage_summary(run, "decompositions")
    return Triplets(
        run.run_id,
        tuple(table["sample_id"].to_pylist()),
        tuple(c or NO_CAPTIONER for c in samples["captioner"].to_pylist()),
        np.asarray(samples["row"].to_pylist(), np.int64),
        scores,
        expected_array(table),
        defaulted,
        overall(scores, defaulted),
        summary["model"]["name"],
        tagging["model"]["name"],
        bool(summary["model"]["baseline"] or tagging["model"]["baseline"]),
        str(summary.get("note", "")),
    )


def filter_rows(
    t: Triplets, captioners: Sequence[str] = (), low: float = 1.0, high: float = 5.0, *, unscored: bool = True
) -> Rows:
    """Row numbers of these captioners (none = all) whose overall score lies in low..high."""
    keep = np.ones(len(t.sample_ids), np.bool_)
    if captioners:
        wanted = set(captioners)
        keep &= np.array([c in wanted for c in t.captioners], np.bool_)
    with np.errstate(invalid="ignore"):
        inside = (t.overall >= low - 1e-9) & (t.overall <= high + 1e-9)
    return np.flatnonzero(keep & (inside | (np.isnan(t.overall) & unscored))).astype(np.int64)


def distributions(t: Triplets, rows: Rows) -> tuple[Distribution, ...]:
    """Of the three axes over some rows."""
    return tuple(_distribution(t, rows, i, axis) for i, axis in enumerate(AXES))


def _distribution(t: Triplets, rows: Rows, i: int, axis: Axis) -> Distribution:
    values, default = t.scores[rows, i], t.defaulted[rows, i]
    own = values[~default & ~np.isnan(values)]
    counts = [int((own == s).sum()) for s in range(1, 6)]
    return Distribution(
        axis,
        NAMES[axis],
        (counts[0], counts[1], counts[2], counts[3], counts[4]),
        int(default.sum()),
        int(np.isnan(values).sum()),
        float(own.mean()) if len(own) else None,
    )


def captioner_table(t: Triplets, rows: Rows | None = None) -> tuple[CaptionerRow, ...]:
    """A row a captioner, best overall first."""
    rows = np.arange(len(t.sample_ids)) if rows is None else rows
    names = np.asarray(t.captioners, dtype=object)[rows]
    found = []
    for name in sorted(set(names.tolist())):
        own = rows[names == name]
        parts = distributions(t, own)
        scored = t.overall[own][~np.isnan(t.overall[own])]
        found.append(
            CaptionerRow(
                name,
                len(own),
                float(scored.mean()) if len(scored) else None,
                (parts[0].mean, parts[1].mean, parts[2].mean),
                (parts[0].n_default, parts[1].n_default, parts[2].n_default),
                len(own) - len(scored),
            )
        )
    return tuple(sorted(found, key=lambda r: (-(r.overall or 0.0), r.captioner)))


def sorted_rows(t: Triplets, rows: Rows, *, worst_first: bool = True, limit: int = ROWS_AT_MOST) -> Rows:
    """Rows by overall score, ties by the unrounded scores; unscored ones last."""
    fine = overall(t.expected, t.defaulted)[rows]
    key, second = t.overall[rows], fine
    sign = 1 if worst_first else -1
    order = np.lexsort((np.nan_to_num(sign * second, nan=9), np.nan_to_num(sign * key, nan=9)))
    return rows[order][:limit]


def cell(t: Triplets, row: int, axis: int) -> str:
    """A score as read in a table: "4", "no claim" or "not scored"."""
    if t.defaulted[row, axis]:
        return "no claim"
    value = t.scores[row, axis]
    return "not scored" if np.isnan(value) else f"{int(value)}"


def select(
    t: Triplets, rows: Rows, *, n: int | None = None, threshold: float | None = None, stratify: bool = False
) -> Selection:
    """The best n of some rows (by captioner if stratified), or those at or above a threshold."""
    values = t.overall[rows]
    if n is not None:
        sources = [t.captioners[i] for i in rows] if stratify else None
        taken = select_top(values, n, sources)
    else:
        taken = select_above(values, 1.0 if threshold is None else threshold)
    kept = rows[taken]
    names = np.asarray(t.captioners, dtype=object)
    by = tuple(
        (name, int((names[kept] == name).sum()), int((names[rows] == name).sum()))
        for name in sorted(set(names[rows].tolist()))
    )
    lowest = float(t.overall[kept].min()) if len(kept) else None
    return Selection(kept, len(rows) - len(kept), int(np.isnan(values).sum()), lowest, by)


def stage_summary(run: OpenRun, stage: str) -> Mapping[str, Any]:
    summary: Mapping[str, Any] = read_json(run.need_stage(stage) / "stage.json")["summary"]
    return summary


def _table(run: OpenRun, stage: str, columns: list[str]) -> pa.Table:
    parts = sorted(run.need_stage(stage).glob("part-*.parquet"))
    return pa.concat_tables([pq.read_table(p, columns=columns, partitioning=None) for p in parts])
