"""Identity of images by content, remembered so that an unchanged file is read once."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from core.dataset.images import ImageError, ImageFolder, check_image, check_image_folder, read_image_bytes
from core.domain.sample import ImageRef

VERSION = 1
"""Raised when the checks of core.dataset.images change: what was remembered is then forgotten."""

_TABLE = """CREATE TABLE IF NOT EXISTS images (
    path TEXT PRIMARY KEY, stamp TEXT NOT NULL, sha256 TEXT, width INTEGER, height INTEGER,
    kind TEXT, reason TEXT) WITHOUT ROWID"""

_SELECT = "SELECT path, stamp, sha256, width, height, kind, reason FROM images WHERE path IN ({})"


@dataclass(frozen=True, slots=True)
class ImageProblem:
    """Why an image cannot be used. kind: as RowProblem.kind."""

    kind: str
    reason: str


Looked = ImageRef | ImageProblem


class ImageIndex:
    """Looks images up in one folder: sha256, size, or what is wrong with them.

    What was found is kept in a SQLite file under `folder` (None: in memory), one for each image folder,
    and used again while the file's size, times and inode stay the same. It is a cache: a damaged or
    unwritable one is started anew and changes no result. Threads: reads and decodes in `workers` of them.
    """

    def __init__(self, image_root: Path, folder: Path | None = None, workers: int | None = None) -> None:
        check_image_folder(image_root)
        self.root = image_root
        self._base = image_root.resolve()
        self._workers = workers or min(8, max(2, os.cpu_count() or 2))
        self._db = _open_cache(self._base, folder)
        self.n_decoded = 0

    def close(self) -> None:
        """Close the cache; what was looked up is already written."""
        self._db.close()

    def __enter__(self) -> ImageIndex:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def look_up(self, paths: Iterable[str]) -> dict[str, Looked]:
        """Every given path -> its ImageRef or ImageProblem. Bounded by the number of paths given."""
        distinct = list(dict.fromkeys(paths))
        folder = ImageFolder(self._base)
        located = [_locate(folder, path) for path in distinct]
        files = {f.relative: f for f in located if isinstance(f, _File)}
        known = self._remembered(files)
        new = [f for name, f in files.items() if name not in known]
        with ThreadPoolExecutor(self._workers) as pool:
            fresh = dict(zip((f.relative for f in new), pool.map(_examine, new), strict=True))
        self.n_decoded += len(new)
        self._remember(new, fresh)
        known |= fresh
        return {
            path: known[f.relative] if isinstance(f, _File) else f
            for path, f in zip(distinct, located, strict=True)
        }

    def _remembered(self, files: dict[str, _File]) -> dict[str, Looked]:
        known: dict[str, Looked] = {}
        with suppress(sqlite3.Error):  # locked or damaged meanwhile: the files are read again
            for chunk in _chunks(list(files), 500):
                query = _SELECT.format(",".join("?" * len(chunk)))
                for path, stamp, sha256, width, height, kind, reason in self._db.execute(query, chunk):
                    if stamp == files[path].stamp:
                        good = ImageRef(path, sha256, width, height) if sha256 else None
                        known[path] = good or ImageProblem(kind, reason)
        return known

    def _remember(self, new: Sequence[_File], fresh: dict[str, Looked]) -> None:
        rows: list[tuple[object, ...]] = []
        for file in new:
            found = fresh[file.relative]
            if isinstance(found, ImageRef):
                rows.append((file.relative, file.stamp, found.sha256, found.width, found.height, None, None))
            else:
                rows.append((file.relative, file.stamp, None, None, None, found.kind, found.reason))
        if rows:
            with _tolerant(self._db):
                self._db.executemany("INSERT OR REPLACE INTO images VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    relative: str
    stamp: str


def _locate(folder: ImageFolder, path: str) -> _File | ImageProblem:
    try:
        found = folder.locate(path)
        status = found.stat()
    except ImageError as e:
        return ImageProblem(e.kind, e.what)
    except OSError as e:
        return ImageProblem("missing image", f"the file cannot be opened ({e.strerror})")
    relative = os.path.relpath(found, folder.base)
    if not _storable(relative):
        return ImageProblem("missing image", "the file's name is not valid UTF-8; rename it")
    stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_dev}:{status.st_ino}"
    return _File(found, relative, stamp)


def _examine(file: _File) -> Looked:
    try:
        return check_image(read_image_bytes(file.path), file.relative)
    except ImageError as e:
        return ImageProblem(e.kind, e.what)


def _open_cache(base: Path, folder: Path | None) -> sqlite3.Connection:
    if folder is not None:
        name = hashlib.sha256(os.fsencode(base)).hexdigest()[:16]
        file = folder / f"{name}.v{VERSION}.sqlite"
        for _ in range(2):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                return _connect(str(file))
            except sqlite3.DatabaseError as e:
                if "locked" in str(e) or not file.is_file():
                    break
                file.unlink(missing_ok=True)
            except OSError:
                break
    return _connect(":memory:")


def _connect(name: str) -> sqlite3.Connection:
    # Made by one process after another; a lost last write only means that a file is read again.
    db = sqlite3.connect(name, timeout=30, check_same_thread=False)
    try:
        db.execute("PRAGMA synchronous=OFF")
        db.execute(_TABLE)
        db.execute("SELECT COUNT(*) FROM images").fetchone()
        db.commit()
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


@contextmanager
def _tolerant(db: sqlite3.Connection) -> Iterator[None]:
    """One transaction; a full disk or a lock by another process only costs the memory of this batch."""
    try:
        with closing(db.cursor()):
            yield
        db.commit()
    except sqlite3.Error:
        db.rollback()


def _storable(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _chunks(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]
