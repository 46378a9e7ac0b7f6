"""events.jsonl: what a run does, as it does it; the dashboard and the command line read it."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


class EventLog:
    """Append-only; each event is one JSON line, written and flushed at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._seq = _last_seq(path)

    def emit(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Write one event with its time (UTC) and running number."""
        with self._lock:
            self._seq += 1
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            event = {"seq": self._seq, "time": now, "kind": kind, **fields}
            with self._path.open("ab") as stream:
                if stream.tell() and not _ends_line(self._path):
                    stream.write(b"\n")  # a killed writer's half line stays a line of its own
                stream.write((json.dumps(event, ensure_ascii=False) + "\n").encode())
        return event


def read_events(path: Path, after: int = 0) -> list[dict[str, Any]]:
    """Events with a number above `after`; half-written or damaged lines are passed over."""
    events = []
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and int(event.get("seq", 0)) > after:
            events.append(event)
    return events


def _last_seq(path: Path) -> int:
    events = read_events(path)
    return int(events[-1]["seq"]) if events else 0


def _ends_line(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, 2)
        return stream.read(1) == b"\n"
