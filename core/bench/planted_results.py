"""Results of planted errors: kept a line each as they come, and summed up by strength."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from statsmodels.stats.proportion import proportion_confint

from core.bench.planted_pairs import Plan
from core.bench.symbalbench.names import means, plain
from core.domain.cluster import Interval
from core.domain.finding import Finding
from core.findings.believe import holds_up


@dataclass(frozen=True, slots=True)
class PlantedResult:
    """One planted error and what became of it.

    rank_t: rank of the first finding that names t, None if none does. rank: of the first finding that names
    t and has v among its five candidates. v_first: v is that finding's first. said: (t, v) of finding one.
    believed: the finding at `rank` has q < .05 and replicated. of: key of the findings it was planted beside.
    """

    t: str
    v: str
    level: float
    achieved: float
    n_carriers: int
    n_with_v: int
    rank_t: int | None
    rank: int | None
    v_first: bool
    believed: bool
    said: tuple[str, str]
    seed: int
    of: str

    @property
    def name(self) -> str:
        return f"{self.t}--{self.v}--{self.level}"


@dataclass(frozen=True, slots=True)
class Recall:
    """Of `n` errors planted at a level: how many are found first, among five, among all shown, and believed.

    interval: Wilson's 95 % interval of the share found among all shown.
    """

    level: float
    n: int
    first: int
    five: int
    shown: int
    believed: int
    interval: Interval


def result_of(
    plan: Plan, findings: Sequence[Finding], *, seed: int, of: str, called: Mapping[str, str]
) -> PlantedResult:
    """Where the planted error stands among the findings. called: names counted under another."""

    def same(said: str, name: str) -> bool:
        return means(said, name) or plain(called.get(said, said)) == plain(called.get(name, name))

    names_t = [f for f in findings if same(f.textual_fact.text, plan.t)]
    both = [f for f in names_t if any(same(c.text, plan.v) for c in f.visual_feature.candidates[:5])]
    best = both[0] if both else None
    said = (findings[0].textual_fact.text, findings[0].visual_feature.text) if findings else ("", "")
    return PlantedResult(
        plan.t, plan.v, plan.level, plan.achieved, len(plan.rows), plan.with_v,
        names_t[0].rank if names_t else None,
        best.rank if best else None,
        best is not None and same(best.visual_feature.text, plan.v),
        best is not None and holds_up(best.association.q, best.association.replicated),
        said, seed, of,
    )  # fmt: skip


def recall_by_level(results: Sequence[PlantedResult]) -> list[Recall]:
    """One row a level, weakest first."""
    rows = []
    for level in sorted({r.level for r in results}):
        some = [r for r in results if r.level == level]
        shown = sum(r.rank is not None for r in some)
        low, high = proportion_confint(shown, len(some), method="wilson")
        rows.append(
            Recall(
                level,
                len(some),
                sum(r.rank == 1 for r in some),
                sum(r.rank is not None and r.rank <= 5 for r in some),
                shown,
                sum(r.believed for r in some),
                Interval(float(low), float(high)),
            )
        )
    return rows


def write_result(file: Path, result: PlantedResult) -> None:
    """Append a result."""
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")


def kept_results(file: Path) -> list[PlantedResult]:
    """All results on record; a line cut by a kill is left out."""
    if not file.is_file():
        return []
    kept = []
    for line in file.read_text("utf-8").splitlines():
        try:
            fields = json.loads(line)
            kept.append(PlantedResult(**{**fields, "said": tuple(fields["said"])}))
        except (ValueError, KeyError, TypeError):
            continue
    return kept
