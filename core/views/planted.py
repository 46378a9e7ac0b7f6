"""What the Findings page shows of planted errors: how much this audit can see."""

from __future__ import annotations

from dataclasses import dataclass

from core.bench.planted_results import PlantedResult, kept_results, recall_by_level
from core.views.open_run import OpenRun


@dataclass(frozen=True, slots=True)
class PlantedRow:
    """One strength. Counts are of errors; shown_interval: 95 % of the share shown."""

    strength: str
    planted: int
    first: str
    in_five: str
    shown: str
    shown_interval: str
    believed: str


@dataclass(frozen=True, slots=True)
class PlantedView:
    """rows: weakest first, () when nothing was planted yet. missed: planted errors that no finding names.

    sentence: the result in one sentence. command: how to plant.
    """

    rows: tuple[PlantedRow, ...]
    missed: tuple[str, ...]
    sentence: str
    command: str


def planted_view(run: OpenRun) -> PlantedView:
    """Results of errors planted beside the present findings of a run."""
    key = (run.record.get("stages") or {}).get("findings")
    results = [r for r in kept_results(run.folder / "planted.jsonl") if r.of == key]
    distinct = list({(r.name, r.seed): r for r in results}.values())
    rows = tuple(
        PlantedRow(
            f"V {r.level:g}",
            r.n,
            f"{r.first} of {r.n}",
            f"{r.five} of {r.n}",
            f"{r.shown} of {r.n}",
            f"{r.interval.low:.0%} to {r.interval.high:.0%}",
            f"{r.believed} of {r.n}",
        )
        for r in recall_by_level(distinct)
    )
    missed = tuple(
        f"{r.t} ← {r.v} at V {r.level:g}, in {r.n_carriers} captions" for r in distinct if r.rank is None
    )
    return PlantedView(rows, missed, _sentence(distinct), f"python -m core plant {run.run_id} --n 20")


def _sentence(results: list[PlantedResult]) -> str:
    if not results:
        return ""
    weakest = recall_by_level(results)[0]
    return (
        f"Of {weakest.n} errors planted at Cramer's V {weakest.level:g}, the audit shows {weakest.shown} "
        f"({weakest.interval.low:.0%} to {weakest.interval.high:.0%})."
    )
