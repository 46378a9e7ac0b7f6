"""A stage's output: parts in a content-addressed folder, committed by stage.json, written last."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import RunError
from core.runs.files import TMP_PREFIX, read_json, replacing, write_json
from core.runs.keys import file_sha256
from core.runs.workspace import Workspace

_PART = re.compile(r"part-(\d{5,})\.(parquet|npy)")


class StageStore:
    """The parts of one stage under one key. Parts are tables (.parquet) or arrays (.npy)."""

    def __init__(self, workspace: Workspace, stage: str, key: str) -> None:
        self.workspace = workspace
        self.stage = stage
        self.key = key
        self.path = workspace.stage_dir(stage, key)
        self._checked: set[int] = set()

    @property
    def is_complete(self) -> bool:
        return (self.path / "stage.json").is_file()

    def record(self) -> dict[str, Any]:
        """stage.json. Raises: RunError if the stage was not committed."""
        found: dict[str, Any] = read_json(self.path / "stage.json")
        return found

    @property
    def output_hash(self) -> str:
        """Hash of all parts' bytes; equal outputs have equal hashes."""
        return str(self.record()["output_hash"])

    def part_indices(self) -> list[int]:
        """Numbers of the parts there are, ascending."""
        if not self.path.is_dir():
            return []
        matches = (_PART.fullmatch(p.name) for p in self.path.iterdir())
        return sorted(int(m.group(1)) for m in matches if m)

    def part_paths(self) -> list[Path]:
        return [self._existing(i) for i in self.part_indices()]

    def has_part(self, index: int) -> bool:
        """True if the part is there and whole; a damaged part of an unfinished stage is removed."""
        if index in self._checked:
            return True
        for path in (self._path(index, "parquet"), self._path(index, "npy")):
            if path.is_file():
                if _is_whole(path):
                    self._checked.add(index)
                    return True
                path.unlink()
        return False

    def write_table(self, index: int, table: pa.Table) -> None:
        """Write a part; same table, same bytes."""
        self.workspace.folder(self.path)
        with replacing(self._path(index, "parquet")) as stream:
            pq.write_table(table, stream, compression="zstd", store_schema=True)
        self._checked.add(index)

    def write_array(self, index: int, array: npt.NDArray[Any]) -> None:
        """Write a part of rows."""
        self.workspace.folder(self.path)
        with replacing(self._path(index, "npy")) as stream:
            np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
        self._checked.add(index)

    def read_part(self, index: int, columns: list[str] | None = None) -> pa.Table:
        return pq.read_table(self._existing(index), columns=columns, partitioning=None)

    def iter_tables(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        for index in self.part_indices():
            yield self.read_part(index, columns)

    def read_table(self, columns: list[str] | None = None) -> pa.Table:
        """All parts in order as one table."""
        tables = list(self.iter_tables(columns))
        if not tables:
            raise RunError("a stage has no parts", where=self.stage)
        return pa.concat_tables(tables).combine_chunks()

    def read_array(self) -> npt.NDArray[np.float32]:
        """All rows in order: memory-mapped for a single part, else one array; (0, 0) without parts."""
        paths = self.part_paths()
        if not paths:
            return np.zeros((0, 0), np.float32)
        if len(paths) == 1:
            return np.asarray(np.load(paths[0], mmap_mode="r", allow_pickle=False))
        return np.concatenate([np.load(p, allow_pickle=False) for p in paths])

    def commit(self, summary: Mapping[str, object]) -> None:
        """Mark the stage as finished; nothing is written to it afterwards."""
        self._write_record(self.key, summary)

    def publish(self, key: str, summary: Mapping[str, object]) -> StageStore:
        """Finish parts written under a provisional key and move them to the key of their content.

        If that key is finished already, its parts are kept and these are dropped.
        """
        final = StageStore(self.workspace, self.stage, key)
        if final.is_complete:
            shutil.rmtree(self.path)
            return final
        self._write_record(key, summary)
        shutil.rmtree(final.path, ignore_errors=True)
        os.rename(self.path, final.path)
        return final

    def clear(self) -> None:
        """Drop all parts, before a stage that cannot be resumed is read anew."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._checked.clear()

    def _write_record(self, key: str, summary: Mapping[str, object]) -> None:
        self.workspace.folder(self.path)
        parts = {p.name: file_sha256(p) for p in self.part_paths()}
        digest = hashlib.sha256("".join(parts.values()).encode()).hexdigest()
        versions = {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "pyarrow": pa.__version__,
        }
        record = {
            "stage": self.stage,
            "key": key,
            "n_parts": len(parts),
            "summary": dict(summary),
            "parts": parts,
            "output_hash": digest,
            "versions": versions,
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_json(self.path / "stage.json", record)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the stage: a second audit that wants it waits, then finds it finished.

        Leftovers of a killed writer are removed once the lock is held.
        """
        self.workspace.folder(self.path.parent)
        with (self.path.parent / f".lock-{self.key}").open("a") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            if self.path.is_dir() and not self.is_complete:
                for leftover in self.path.glob(f"{TMP_PREFIX}*"):
                    leftover.unlink(missing_ok=True)
            yield

    def _path(self, index: int, ending: str) -> Path:
        return self.path / f"part-{index:05d}.{ending}"

    def _existing(self, index: int) -> Path:
        for ending in ("parquet", "npy"):
            if (path := self._path(index, ending)).is_file():
                return path
        raise RunError("a part of a stage is missing", where=f"{self.stage} part {index}")


def _is_whole(path: Path) -> bool:
    """Cheap check that a part was not cut: the parquet footer, or the array's size by its header."""
    try:
        if path.suffix == ".parquet":
            pq.read_metadata(path)
        else:
            np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, pa.ArrowException):
        return False
    return True
