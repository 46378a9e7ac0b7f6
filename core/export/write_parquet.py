"""Parquet with some captions changed: same schema, metadata, row groups and compression; other values "
"the same."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import DataError
from core.export.changes import Done, Plan
from core.export.locate import NotLocatedError, locate, with_spans
from core.export.write_text import fail, succeed

ROWS_AT_ONCE = 16_384


def write_parquet(source: Path, out: BinaryIO, column: str, plan: Plan) -> Done:
    """The file with its changes. Memory: a batch of a row group. Rows count from 1.

    Raises DataError if the file is damaged.
    """
    done = Done()
    try:
        with pq.ParquetFile(source) as file:
            schema = file.schema_arrow
            with pq.ParquetWriter(out, schema, compression=_compression(file), version="2.6") as writer:
                for group in range(file.num_row_groups):
                    _group(source, file, group, writer, column, plan, done)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"the Parquet file cannot be read or written ({error})", where=str(source)) from None
    return done


def _group(
    source: Path,
    file: pq.ParquetFile,
    group: int,
    writer: pq.ParquetWriter,
    column: str,
    plan: Plan,
    done: Done,
) -> None:
    kept = []
    for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, row_groups=[group]):
        first = done.n_rows + 1
        changed = _edited(source, batch, first, column, plan, done)
        if plan.left_out or plan.only is not None:
            keep = np.array([plan.keeps(first + i) for i in range(batch.num_rows)])
            done.n_left_out += int((~keep).sum())
            changed = changed.filter(pa.array(keep))
        done.n_rows += batch.num_rows
        kept.append(changed)
    table = pa.Table.from_batches(kept, schema=writer.schema)
    if table.num_rows:
        writer.write_table(table, row_group_size=table.num_rows)


def _edited(
    source: Path, batch: pa.RecordBatch, first: int, column: str, plan: Plan, done: Done
) -> pa.RecordBatch:
    rows = [row for row in range(first, first + batch.num_rows) if row in plan.edits and plan.keeps(row)]
    if not rows:
        return batch
    place = batch.schema.get_field_index(column)
    values = batch.column(place).to_pylist()
    for row in rows:
        edit = plan.edits[row]
        try:
            value = values[row - first]
            values[row - first] = with_spans(value, locate(value, edit))
        except NotLocatedError as error:
            fail(source, edit, done, str(error))
        else:
            succeed(edit, done)
    return batch.set_column(
        place, batch.schema.field(place), pa.array(values, batch.schema.field(place).type)
    )


def _compression(file: pq.ParquetFile) -> str:
    """As the first column is compressed."""
    if not file.num_row_groups or not file.metadata.num_columns:
        return "snappy"
    found = str(file.metadata.row_group(0).column(0).compression).lower()
    return "none" if found == "uncompressed" else found
