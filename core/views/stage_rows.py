"""Rows of a stage's Parquet parts, read by position without reading the rest."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import RunError


@lru_cache(maxsize=256)
def _parts(folder: Path, committed_ns: int) -> tuple[tuple[Path, ...], tuple[int, ...]]:
    """Part files in order and the number of rows before the end of each."""
    paths = tuple(sorted(folder.glob("part-*.parquet")))
    return paths, tuple(accumulate(pq.read_metadata(path).num_rows for path in paths))


def _open(folder: Path) -> tuple[tuple[Path, ...], tuple[int, ...]]:
    try:
        return _parts(folder, (folder / "stage.json").stat().st_mtime_ns)
    except (OSError, pa.ArrowException) as e:
        raise RunError(
            "a finished stage of this run is missing or damaged",
            where=str(folder),
            value=str(e),
            remedy="resume the run, which computes it again",
        ) from None


def n_rows(folder: Path) -> int:
    """Rows in all parts. Raises RunError if the stage is not finished."""
    ends = _open(folder)[1]
    return ends[-1] if ends else 0


def rows_at(folder: Path, columns: Sequence[str], indices: Sequence[int]) -> list[dict[str, Any]]:
    """The rows at these 0-based positions, as dicts, in the order asked for.

    Reads only the parts that hold them. Raises RunError if the stage is missing or damaged, or a
    position lies outside.
    """
    paths, ends = _open(folder)
    wanted: dict[int, list[int]] = {}
    for index in sorted(set(indices)):
        if not 0 <= index < (ends[-1] if ends else 0):
            raise RunError("a stage has fewer rows than its run needs", where=str(folder), value=index)
        wanted.setdefault(bisect_right(ends, index), []).append(index)
    found: dict[int, dict[str, Any]] = {}
    for part, members in wanted.items():
        first = ends[part - 1] if part else 0
        table = _read(paths[part], columns)
        rows = table.take(pa.array([i - first for i in members], pa.int64())).to_pylist()
        found.update(zip(members, rows, strict=True))
    return [found[index] for index in indices]


def rows_where(folder: Path, columns: Sequence[str], column: str, value: str) -> pa.Table:
    """All rows whose `column` is `value`, in order."""
    paths, _ = _open(folder)
    try:
        return pq.read_table(list(paths), columns=list(columns), filters=[(column, "=", value)])
    except (OSError, pa.ArrowException) as e:
        raise RunError("a finished stage of this run is damaged", where=str(folder), value=str(e)) from None


def rows_in(folder: Path, columns: Sequence[str], column: str, values: Sequence[int]) -> list[dict[str, Any]]:
    """All rows whose `column` is one of `values`, in the order of the stage. Raises as `rows_where`."""
    paths, _ = _open(folder)
    if not values or not paths:
        return []
    try:
        table = pq.read_table(list(paths), columns=list(columns), filters=[(column, "in", set(values))])
    except (OSError, pa.ArrowException) as e:
        raise RunError("a finished stage of this run is damaged", where=str(folder), value=str(e)) from None
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _read(path: Path, columns: Sequence[str]) -> pa.Table:
    try:
        return pq.read_table(path, columns=list(columns))
    except (OSError, pa.ArrowException) as e:
        raise RunError("a part of a finished stage is damaged", where=str(path), value=str(e)) from None
