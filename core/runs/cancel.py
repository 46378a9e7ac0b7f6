"""Asking a run to stop between batches; finished parts are kept."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from types import FrameType

from core.errors import AuditCancelledError

CANCEL_FILE = "cancel"
CHECK_EVERY_S = 0.05


def request_cancel(run_dir: Path) -> None:
    """Ask the process that executes the run to stop at its next batch."""
    (run_dir / CANCEL_FILE).touch()


class CancelToken:
    """Looks for the request, at most every 50 ms."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        self._file = run_dir / CANCEL_FILE
        self._looked = 0.0
        self._asked = False

    def clear(self) -> None:
        """Forget an earlier request, when the run starts again."""
        self._file.unlink(missing_ok=True)
        self._asked = False

    def ask(self) -> None:
        self._asked = True

    def raise_if_requested(self) -> None:
        """Raises: AuditCancelledError once a stop was asked for."""
        now = time.monotonic()
        if not self._asked and now - self._looked >= CHECK_EVERY_S:
            self._looked = now
            self._asked = self._file.exists()
        if self._asked:
            raise AuditCancelledError(
                "the run was cancelled; what was finished is kept",
                remedy="go on with it by `python -m core runs resume`",
            )

    def on_signals(self) -> None:
        """Ctrl+C and SIGTERM ask for a stop; a second Ctrl+C ends the process at once."""

        def handle(number: int, frame: FrameType | None) -> None:
            if self._asked:
                raise KeyboardInterrupt
            self.ask()

        signal.signal(signal.SIGINT, handle)
        signal.signal(signal.SIGTERM, handle)
