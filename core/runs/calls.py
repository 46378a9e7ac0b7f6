"""Answers of models, kept for all runs: one small database a role, safe against kills and second writers."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import RunError

BATCH = 500
NAME = "answers.sqlite"


class CallStore:
    """Answers under the hash of their question; a first answer is never replaced.

    Every answer is committed when it comes (write-ahead log): a killed process loses none. A second
    process may read and write beside it. Raises: RunError if the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None

    def get_many(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Key -> answer of those that are known."""
        if self._database is None and not (self.folder / NAME).exists():
            return {}  # a look creates nothing
        wanted = list(dict.fromkeys(keys))
        found: dict[str, dict[str, Any]] = {}
        with self._lock:
            for start in range(0, len(wanted), BATCH):
                some = wanted[start : start + BATCH]
                marks = ",".join("?" * len(some))
                rows = self._execute(f"SELECT key, answer FROM answers WHERE key IN ({marks})", some)
                found.update((key, json.loads(answer)) for key, answer in rows)
        return found

    def put(self, key: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer for good."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        text = json.dumps(answer, ensure_ascii=False)
        with self._lock:
            self._execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?)", [key, text, now])

    def note(self, name: str, value: str) -> None:
        """Put a fact about the model on record; a later one replaces it."""
        with self._lock:
            self._execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", [name, value])

    def noted(self, name: str) -> str:
        """What was last put on record, "" if nothing."""
        if self._database is None and not (self.folder / NAME).exists():
            return ""
        with self._lock:
            rows = self._execute("SELECT value FROM notes WHERE name = ?", [name])
        return str(rows[0][0]) if rows else ""

    def __len__(self) -> int:
        if self._database is None and not (self.folder / NAME).exists():
            return 0
        with self._lock:
            return int(self._execute("SELECT count(*) FROM answers", [])[0][0])

    def close(self) -> None:
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _execute(self, statement: str, values: list[str]) -> list[tuple[Any, ...]]:
        try:
            if self._database is None:
                self._database = self._open()
            return self._database.execute(statement, values).fetchall()
        except (sqlite3.Error, OSError) as error:
            raise RunError(
                f"the kept answers of models cannot be used: {error}",
                where=f"{self.folder.name}/{NAME}",
                remedy="free some space or check the rights of the workspace, then resume the run",
            ) from error

    def _open(self) -> sqlite3.Connection:
        self.folder.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(
            self.folder / NAME, timeout=60, isolation_level=None, check_same_thread=False
        )
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(
            "CREATE TABLE IF NOT EXISTS answers "
            "(key TEXT PRIMARY KEY, answer TEXT, answered TEXT) WITHOUT ROWID"
        )
        database.execute("CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT)")
        return database
