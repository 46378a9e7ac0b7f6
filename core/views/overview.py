"""What the Overview shows: datasets, runs, and what to look at next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.domain.run import RunInfo, RunState
from core.errors import AuditError
from core.runs.manifest import list_runs
from core.runs.workspace import Workspace
from core.views.findings import feature_name, finding_target, findings_of
from core.views.numbers import counted, duration, when
from core.views.open_run import OpenRun, labels_of, open_run

StepKind = Literal["start", "watch", "resume", "judge", "done"]


@dataclass(frozen=True, slots=True)
class RunCard:
    """One run. summary: what it is, in short clauses. progress: 0..1 of the current stage.

    n_findings, n_judged: None before it is finished. top: its first finding, "t ← v".
    """

    run_id: str
    name: str
    state: RunState
    dataset: str
    summary: str
    started: str
    stage: str
    progress: float | None
    message: str
    n_findings: int | None
    n_judged: int | None
    top: str


@dataclass(frozen=True, slots=True)
class DatasetLine:
    """A dataset over all its runs; n_confirmed: findings somebody confirmed and nobody disputes."""

    name: str
    fingerprint: str
    n_samples: int
    n_images: int
    n_problems: int
    n_runs: int
    n_confirmed: int


@dataclass(frozen=True, slots=True)
class NextStep:
    """The one thing to do next."""

    kind: StepKind
    text: str
    run_id: str | None = None
    finding_id: str | None = None


@dataclass(frozen=True, slots=True)
class OverviewView:
    """runs: newest first. n_*: over all datasets and the newest finished run of each."""

    runs: tuple[RunCard, ...]
    datasets: tuple[DatasetLine, ...]
    step: NextStep
    n_samples: int
    n_findings: int
    n_judged: int
    n_confirmed: int

    @property
    def is_moving(self) -> bool:
        """Whether anything will change by itself."""
        return any(run.state == "running" for run in self.runs)


@dataclass(frozen=True, slots=True)
class _Read:
    """A run with what could be read of it; opened is None if its record is damaged."""

    info: RunInfo
    opened: OpenRun | None
    finding_ids: tuple[str, ...]
    tops: tuple[str, ...]
    verdicts: dict[str, str]

    @property
    def dataset_name(self) -> str:
        return self.opened.dataset_name if self.opened else self.info.name

    def judged(self) -> int:
        return sum(finding_id in self.verdicts for finding_id in self.finding_ids)


def overview_view(workspace: Workspace) -> OverviewView:
    """Everything in a workspace; a damaged run is shown as failed and hides nothing else."""
    runs = [_read(workspace, info) for info in list_runs(workspace)]
    datasets = _datasets(runs)
    newest = {r.opened.fingerprint: r for r in reversed(runs) if r.finding_ids and r.opened}
    return OverviewView(
        runs=tuple(_card(r) for r in runs),
        datasets=datasets,
        step=_next_step(runs),
        n_samples=sum(d.n_samples for d in datasets),
        n_findings=sum(len(r.finding_ids) for r in newest.values()),
        n_judged=sum(r.judged() for r in newest.values()),
        n_confirmed=sum(d.n_confirmed for d in datasets),
    )


def _read(workspace: Workspace, info: RunInfo) -> _Read:
    try:
        opened = open_run(workspace, info.run_id)
        findings = findings_of(opened) if opened.findings is not None else []
        statuses = labels_of(workspace, opened.fingerprint).statuses() if opened.fingerprint else {}
    except (AuditError, KeyError, TypeError):
        return _Read(info, None, (), (), {})
    ids = tuple(f["finding_id"] for f in findings)
    tops = tuple(f"{f['textual_fact']['text']} ← {feature_name(f)}" for f in findings)
    standing = {i: statuses.get(finding_target(i)) for i in ids}
    verdicts = {i: (s.agreed or "disputed") for i, s in standing.items() if s is not None and s.counts}
    return _Read(info, opened, ids, tops, verdicts)


def _card(run: _Read) -> RunCard:
    info, finished = run.info, run.info.state == "finished"
    clauses = []
    if info.n_samples:
        clauses.append(counted(info.n_samples, "caption"))
    if info.n_facts:
        clauses.append(counted(info.n_facts, "sentence"))
    if finished:
        clauses.append(f"took {duration(info.seconds)}")
    clauses.append(f"preset {info.preset}")
    return RunCard(
        run_id=info.run_id,
        name=info.name,
        state=info.state,
        dataset=run.dataset_name,
        summary=" · ".join(clauses),
        started=when(info.started),
        stage=info.stage,
        progress=info.progress,
        message=info.message,
        n_findings=len(run.finding_ids) if finished else None,
        n_judged=run.judged() if finished else None,
        top=run.tops[0] if run.tops else "",
    )


def _datasets(runs: Sequence[_Read]) -> tuple[DatasetLine, ...]:
    """One line a fingerprint, in the order of the newest run."""
    lines: dict[str, list[_Read]] = {}
    for run in runs:
        if run.opened and run.opened.fingerprint and run.info.n_samples:
            lines.setdefault(run.opened.fingerprint, []).append(run)
    found = []
    for fingerprint, members in lines.items():
        newest = members[0]
        assert newest.opened is not None
        confirmed = {i for r in members for i, v in r.verdicts.items() if v == "confirmed"}
        found.append(
            DatasetLine(
                name=newest.dataset_name,
                fingerprint=fingerprint,
                n_samples=newest.info.n_samples,
                n_images=newest.opened.count("n_images"),
                n_problems=newest.opened.count("n_problems"),
                n_runs=len(members),
                n_confirmed=len(confirmed),
            )
        )
    return tuple(found)


def _next_step(runs: Sequence[_Read]) -> NextStep:
    if not runs:
        return NextStep("start", "No audit yet.")
    for run in runs:
        if run.info.state == "running":
            return NextStep("watch", f"‘{run.info.name}’ is running.", run.info.run_id)
    for run in runs:
        for finding_id, top in zip(run.finding_ids, run.tops, strict=True):
            if finding_id not in run.verdicts:
                said = f"{run.judged()} of {counted(len(run.finding_ids), 'finding')} of ‘{run.info.name}’ "
                return NextStep("judge", f"{said}have a verdict. Next: {top}.", run.info.run_id, finding_id)
    for run in runs:
        if run.info.state == "interrupted":
            return NextStep("resume", f"‘{run.info.name}’ was interrupted; resume it.", run.info.run_id)
    return NextStep("done", "Every finding has a verdict. Audit another captions file.")
