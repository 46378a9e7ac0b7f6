"""Parquet. Columns of bytes (embedded image files) are named but not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from core.dataset.raw_bytes import FETCH_AGAIN, RawRow, check_names, problem
from core.errors import DataError

ROWS_AT_ONCE = 512


def parquet_columns(path: Path) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """(names that can be read, names that hold bytes, number of rows), from the footer alone."""
    try:
        with pq.ParquetFile(path) as file:
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
    except (pa.ArrowException, OSError, ValueError) as e:
        raise _damaged(path, e) from None
    names = list(schema.names)
    check_names(path, names)
    held = {name for name in names if _holds_bytes(schema.field(name).type)}
    return tuple(n for n in names if n not in held), tuple(n for n in names if n in held), n_rows


def read_parquet(path: Path) -> Iterator[RawRow]:
    """Rows in file order as {column: value}; row = 1-based row. Memory: one row group's columns.

    Raises DataError if the file is damaged: an unknown number of rows would be lost.
    """
    names, _, _ = parquet_columns(path)
    row = 0
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=list(names)):
                yield from _rows(path, batch, row)
                row += batch.num_rows
    except (pa.ArrowException, OSError) as e:
        raise _damaged(path, e, f" after row {row}") from None


def _rows(path: Path, batch: pa.RecordBatch, before: int) -> Iterator[RawRow]:
    try:
        values = batch.to_pylist()
    except (UnicodeDecodeError, ValueError, OverflowError):
        for i in range(batch.num_rows):
            yield _single(path, batch.slice(i, 1), before + i + 1)
        return
    yield from enumerate(values, before + 1)


def _single(path: Path, batch: pa.RecordBatch, row: int) -> RawRow:
    try:
        return row, batch.to_pylist()[0]
    except UnicodeDecodeError as e:
        reason = "a text is not UTF-8; write the column again from correctly decoded text"
        return problem(path, row, "wrong encoding", reason, e.object)
    except (ValueError, OverflowError) as e:
        return problem(path, row, "not a record", f"a value cannot be read: {e}")


def _holds_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return any(_holds_bytes(kind.field(i).type) for i in range(kind.num_fields))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _holds_bytes(kind.value_type)
    return bool(
        pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    )


def _damaged(path: Path, error: Exception, after: str = "") -> DataError:
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    return DataError(f"the Parquet file is damaged{after} ({why})", where=str(path), remedy=FETCH_AGAIN)
