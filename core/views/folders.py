"""Folders on the server, for choosing a file, and captions files worth suggesting."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import ConfigError
from core.views.numbers import size

ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".ndjson")
_SKIPPED = {
    "node_modules",
    "__pycache__",
    "site-packages",
    "workspace",
    "stages",
    "runs",
    "labels",
    "thumbnails",
}
MOST_ENTRIES = 500
MOST_SUGGESTIONS = 12
_MOST_LOOKED_AT = 4000


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a folder. detail: the size of a file in words."""

    name: str
    path: str
    is_folder: bool
    detail: str


@dataclass(frozen=True, slots=True)
class FolderView:
    """A folder: its sub-folders, then the files that could hold captions. left_out: entries not listed."""

    path: str
    parent: str | None
    entries: tuple[Entry, ...]
    left_out: int


def folder_view(path: str, *, folders_only: bool = False) -> FolderView:
    """List a folder; hidden entries and other files are left out. Raises ConfigError if it cannot be read."""
    folder = Path(path).expanduser().absolute()
    if not folder.is_dir():
        folder = folder.parent
    try:
        found = sorted(os.scandir(folder), key=lambda e: (not _is_folder(e), e.name.lower()))
    except OSError as e:
        raise ConfigError(f"this folder cannot be read ({e.strerror or e})", where=str(folder)) from None
    entries = [
        Entry(e.name, e.path, _is_folder(e), "" if _is_folder(e) else size(_n_bytes(e)))
        for e in found
        if not e.name.startswith(".") and (_is_folder(e) or (not folders_only and is_captions_name(e.name)))
    ]
    parent = None if folder.parent == folder else str(folder.parent)
    return FolderView(str(folder), parent, tuple(entries[:MOST_ENTRIES]), max(0, len(entries) - MOST_ENTRIES))


def is_captions_name(name: str) -> bool:
    """Whether a file of this name could hold captions."""
    plain = name.lower().removesuffix(".gz")
    return plain.endswith(ENDINGS)


def suggestions(roots: Sequence[Path], depth: int = 3) -> tuple[str, ...]:
    """Captions files in or below these folders, nearest first; a bounded look, hidden folders skipped."""
    found: dict[str, None] = {}
    for root in roots:
        for path in _walk(root, depth):
            found.setdefault(str(path))
            if len(found) >= MOST_SUGGESTIONS:
                return tuple(found)
    return tuple(found)


def recent_captions(runs: Path) -> tuple[str, ...]:
    """Captions files of earlier runs that are still there, newest run first. runs: the folder of runs."""
    found: dict[str, None] = {}
    try:
        configs = sorted(runs.glob("*/config.toml"), key=lambda p: -p.stat().st_mtime)
    except OSError:
        return ()
    for config in configs[:50]:
        try:
            captions = tomllib.loads(config.read_text("utf-8")).get("captions")
        except (OSError, ValueError):
            continue
        if isinstance(captions, str) and Path(captions).is_file():
            found.setdefault(captions)
    return tuple(found)


def _walk(root: Path, depth: int) -> Iterator[Path]:
    level, looked_at = [root], 0
    for _ in range(depth):
        below: list[Path] = []
        for folder in level:
            try:
                entries = sorted(os.scandir(folder), key=lambda e: e.name)
            except OSError:
                continue
            for entry in entries:
                looked_at += 1
                if looked_at > _MOST_LOOKED_AT:
                    return
                if entry.name.startswith(".") or entry.name in _SKIPPED:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    below.append(Path(entry.path))
                elif is_captions_name(entry.name) and _n_bytes(entry):
                    yield Path(entry.path)
        level = below


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _n_bytes(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size
    except OSError:
        return 0
