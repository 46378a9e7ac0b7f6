"""run.json: the state of a run, true even when its process is gone."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.domain.run import RunInfo, RunState
from core.errors import AuditError, RunError
from core.runs.events import read_events
from core.runs.files import read_json, write_error, write_json
from core.runs.workspace import Workspace

MANIFEST = "run.json"


def start_run(run_dir: Path, fields: Mapping[str, Any]) -> None:
    """Write run.json in state "running" for this process."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    write_json(
        run_dir / MANIFEST,
        {
            **fields,
            "state": "running",
            "pid": os.getpid(),
            "process_started": process_started(os.getpid()),
            "host": socket.gethostname(),
            "started": started,
            "seconds": 0.0,
            "message": "",
        },
    )


def update_run(run_dir: Path, **fields: Any) -> None:
    """Change fields of run.json, whole or not at all."""
    write_json(run_dir / MANIFEST, {**read_json(run_dir / MANIFEST), **fields})


def finish_run(run_dir: Path, state: RunState, *, message: str = "", seconds: float = 0.0) -> None:
    """Write the final state."""
    update_run(run_dir, state=state, message=message, seconds=round(seconds, 3))


@contextlib.contextmanager
def claim_run(run_dir: Path) -> Iterator[None]:
    """Hold the run for this process. Raises: RunError if another process executes it."""
    try:
        stream = (run_dir / ".claim").open("a+")
    except OSError as error:
        raise write_error(run_dir / ".claim", error) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunError(
                "the run is already going on in another process",
                where=run_dir.name,
                remedy="wait for it, or stop it with `python -m core runs cancel`",
            ) from error
        yield


def is_claimed(run_dir: Path) -> bool:
    """True while a live process on this machine executes the run."""
    try:
        with (run_dir / ".claim").open("a+") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def read_manifest(workspace: Workspace, run_id: str) -> dict[str, Any]:
    """run.json with the true state. Raises: RunError if there is no such run or it is damaged."""
    run_dir = workspace.run_dir(run_id)
    if not run_dir.is_dir():
        raise RunError("there is no such run", value=run_id, remedy="see `python -m core runs list`")
    found = read_json(run_dir / MANIFEST)
    if not isinstance(found, dict):
        raise RunError("a file of the workspace is damaged", where=f"{run_id}/{MANIFEST}")
    if found.get("state") == "running" and not _is_alive(run_dir, found):
        found["state"] = "interrupted"
        found["message"] = "the process ended before the run did; resume goes on from the finished parts"
    return found


def _is_alive(run_dir: Path, manifest: Mapping[str, Any]) -> bool:
    """The claim decides on this machine; a run of another host is believed for a minute of silence."""
    if manifest.get("host") == socket.gethostname():
        return is_claimed(run_dir)
    with contextlib.suppress(OSError):
        silent = datetime.now(UTC).timestamp() - (run_dir / "events.jsonl").stat().st_mtime
        return silent < 60
    return False


def process_started(pid: int) -> str:
    """When the process started, in clock ticks since boot; "" where /proc does not tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return ""


def run_info(workspace: Workspace, run_id: str) -> RunInfo:
    """A run as listed. A damaged run is listed as failed, with the reason."""
    try:
        m = read_manifest(workspace, run_id)
    except AuditError as error:
        return RunInfo(run_id, run_id, "failed", "", "", 0, 0, 0, "", 0.0, "", None, error.sentence())
    dataset = m.get("dataset") or {}
    stage, progress = _where(workspace, run_id) if m.get("state") == "running" else ("", None)
    return RunInfo(
        run_id=run_id,
        name=str(m.get("name", run_id)),
        state=m.get("state", "failed"),
        preset=str(m.get("preset", "")),
        setting=str(dataset.get("setting", "")),
        n_samples=int(dataset.get("n_samples", 0)),
        n_facts=int(dataset.get("n_facts", 0)),
        n_unscored=int(dataset.get("n_unscored", 0)),
        started=str(m.get("started", "")),
        seconds=float(m.get("seconds", 0.0)),
        stage=stage,
        progress=progress,
        message=str(m.get("message", "")),
    )


def _where(workspace: Workspace, run_id: str) -> tuple[str, float | None]:
    """The stage a run is in, and how far."""
    for event in reversed(read_events(workspace.run_dir(run_id) / "events.jsonl")):
        if event["kind"] == "progress":
            total = event.get("n_total") or 0
            return str(event.get("stage", "")), (event.get("n_done", 0) / total if total else None)
        if event["kind"] == "stage_started":
            return str(event.get("stage", "")), None
        if event["kind"] == "run_started":
            break
    return "", None


def list_runs(workspace: Workspace) -> list[RunInfo]:
    """All runs, newest first."""
    infos = [run_info(workspace, run_id) for run_id in workspace.run_ids()]
    return sorted(infos, key=lambda info: info.started, reverse=True)
