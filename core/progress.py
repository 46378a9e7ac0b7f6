"""Progress of a run on stderr: a live line on a terminal, a line a stage elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class ProgressLine:
    """Shows the events of a run as they come."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]}"),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressLine:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, event: dict[str, Any]) -> None:
        """Show one event."""
        kind = event["kind"]
        if kind == "run_started":
            self._say(f"run {event['run_id']}")
        elif kind in {"columns", "warning"}:
            self._say(f"{'note: ' if kind == 'warning' else ''}{event['message']}")
        elif kind == "stage_started":
            self._task = self._progress.add_task(event["stage"], total=None, unit="")
        elif kind == "progress" and self._task is not None:
            total = event["n_total"] or None
            self._progress.update(self._task, completed=event["n_done"], total=total, unit=event["unit"])
        elif kind == "stage_finished":
            if self._task is not None:
                self._progress.remove_task(self._task)
                self._task = None
            source = "from cache" if event["from_cache"] else f"{event['seconds']:.1f} s"
            self._say(f"  {event['stage']}: {source}")

    def _say(self, text: str) -> None:
        self._console.print(escape(text), soft_wrap=True)
