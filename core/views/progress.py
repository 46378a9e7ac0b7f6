"""How far a run is, read from its events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.runs.events import read_events
from core.views.numbers import count, duration
from core.views.open_run import OpenRun

TITLES = {
    "samples": "Read captions and images",
    "problems": "List rows with problems",
    "facts": "Split captions into sentences",
    "concepts": "Find what each sentence names",
    "reference_concepts": "Find what the references name",
    "fact_vectors": "Embed sentences",
    "fact_grouping": "Group similar sentences",
    "image_vectors": "Embed images",
    "joint_image_vectors": "Embed images for scoring",
    "scores": "Score sentences against images",
    "text_clusters": "Rank clusters, name the textual facts",
    "image_grouping": "Group the images of each cluster",
    "findings": "Name visual features, rank findings",
    "fact_map": "Draw the map of sentences",
    "image_map": "Draw the map of images",
}
"""In the order they run; a stage that is not listed is shown under its own name."""

StageState = Literal["done", "cached", "active", "waiting"]


@dataclass(frozen=True, slots=True)
class StageLine:
    """One stage. fraction: 0..1 of an active stage, None if unknown. detail: counts or time in words."""

    name: str
    title: str
    state: StageState
    detail: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class ProgressView:
    """overall: 0..1 over all stages. now: what is being done, in words. columns: the columns chosen."""

    run_id: str
    name: str
    state: str
    message: str
    stages: tuple[StageLine, ...]
    overall: float
    now: str
    columns: str
    warnings: tuple[str, ...]
    seconds: str


def progress_view(run: OpenRun) -> ProgressView:
    """The progress of a run as its events tell it; a run without events yet is waiting at 0."""
    events = read_events(run.folder / "events.jsonl")
    lines = stage_lines(events, active=run.info.state == "running")
    if run.info.state == "finished":  # a run from before a stage was invented never had it
        lines = tuple(line for line in lines if line.state != "waiting")
    done = sum(_done(line) for line in lines)
    overall = 1.0 if run.info.state == "finished" else done / max(1, len(lines))
    current = next((line for line in lines if line.state == "active"), None)
    return ProgressView(
        run_id=run.run_id,
        name=run.info.name,
        state=run.info.state,
        message=run.info.message,
        stages=lines,
        overall=overall,
        now=f"{current.title}: {current.detail}"
        if current and current.detail
        else (current or _WAITING).title,
        columns=next((str(e.get("message", "")) for e in reversed(events) if e.get("kind") == "columns"), ""),
        warnings=tuple(
            dict.fromkeys(str(e.get("message", "")) for e in events if e.get("kind") == "warning")
        ),
        seconds=duration(run.info.seconds),
    )


_WAITING = StageLine("", "Starting", "waiting", "")


def _done(line: StageLine) -> float:
    return {"done": 1.0, "cached": 1.0, "active": line.fraction or 0.0, "waiting": 0.0}[line.state]


def stage_lines(events: Sequence[Mapping[str, Any]], *, active: bool) -> tuple[StageLine, ...]:
    """The stages with their state, in the order they run. Only events of the last start count.

    active: whether the run is running; in a stopped run an unfinished stage is waiting.
    """
    starts = [i for i, e in enumerate(events) if e.get("kind") == "run_started"]
    lines: dict[str, StageLine] = {}
    for event in events[starts[-1] if starts else 0 :]:
        name = event.get("stage")
        if isinstance(name, str):
            lines[name] = _after(lines.get(name), name, event)
    if not active:
        lines = {n: replace(s, state="waiting") if s.state == "active" else s for n, s in lines.items()}
    known = [name for name in TITLES if name in lines or _may_come(name, lines)]
    other = [name for name in lines if name not in TITLES]
    return tuple(lines.get(n) or StageLine(n, TITLES[n], "waiting", "") for n in (*known, *other))


def _may_come(name: str, lines: Mapping[str, StageLine]) -> bool:
    """Whether a stage without events is still ahead: nothing after it has begun."""
    order = list(TITLES)
    return not any(later in lines for later in order[order.index(name) + 1 :])


def _after(line: StageLine | None, name: str, event: Mapping[str, Any]) -> StageLine:
    title = TITLES.get(name, name.replace("_", " ").capitalize())
    before = line or StageLine(name, title, "active", "")
    kind = event.get("kind")
    if kind == "stage_finished":
        cached = bool(event.get("from_cache"))
        detail = "from cache" if cached else duration(event.get("seconds"))
        return StageLine(name, title, "cached" if cached else "done", detail, 1.0)
    if kind == "progress":
        n_done, n_total = event.get("n_done", 0), event.get("n_total")
        unit = event.get("unit", "")
        if not n_total:
            return replace(before, state="active", detail=f"{count(n_done)} {unit}".strip())
        detail = f"{count(n_done)} of {count(n_total)} {unit}".strip()
        return replace(before, state="active", detail=detail, fraction=min(1.0, n_done / n_total))
    return before
