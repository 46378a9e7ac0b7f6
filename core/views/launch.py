"""Start the command line in a process of its own; it outlives the dashboard."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import RunError
from core.runs.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parents[2]
WAIT_SECONDS = 180.0
"""The demo draws its images before its run has a name; a command that fails is seen at once."""


@dataclass(frozen=True, slots=True)
class Started:
    """A process that has begun. log: what it prints."""

    process: subprocess.Popen[bytes]
    log: Path
    run_file: Path


def start(arguments: Sequence[str], workspace: Workspace) -> Started:
    """`python -m core ARGUMENTS --workspace W`, detached. Raises RunError if it cannot begin."""
    folder = Path(workspace.root).absolute() / "started"
    stamp = f"{time.time_ns():x}-{os.getpid()}"
    log, run_file = folder / f"{stamp}.log", folder / f"{stamp}.run"
    command = [sys.executable, "-m", "core", *arguments]
    command += ["--workspace", str(Path(workspace.root).absolute()), "--run-file", str(run_file)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                cwd=REPOSITORY,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
    except OSError as e:
        raise RunError(f"the audit could not be started ({e.strerror or e})", where=str(folder)) from None
    threading.Thread(target=process.wait, daemon=True).start()  # reaped, so that it never looks alive
    return Started(process, log, run_file)


def wait_for_run(started: Started, seconds: float = WAIT_SECONDS) -> str:
    """The id of the run just started.

    Raises RunError with what the command said if it ended without a run, or took too long to begin.
    """
    deadline = time.monotonic() + seconds
    while True:
        ended = started.process.poll() is not None
        run_id = _text(started.run_file)
        if run_id:
            return run_id
        if ended:
            raise RunError(_last_words(started.log))
        if time.monotonic() > deadline:
            raise RunError(
                "the audit did not begin in time", where=str(started.log), remedy="look into this file"
            )
        time.sleep(0.05)


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in _text(log).splitlines() if line.strip()]
    errors = [line.removeprefix("error:").strip() for line in lines if line.startswith("error:")]
    said = errors[-1] if errors else lines[-1] if lines else "it said nothing"
    return f"the audit did not start: {said.rstrip('.')}"
