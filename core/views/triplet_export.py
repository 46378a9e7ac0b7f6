"""The selected rows of a captions file, in the file's own format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from core.dataset.source import open_source
from core.domain.sample import RowProblem
from core.runs.config_file import read_config
from core.views.open_run import OpenRun


def export_name(run: OpenRun) -> str:
    """Name of the download: the input's name with "-selected" before its ending."""
    path = Path(read_config(run.folder / "config.toml").captions)
    stem, _, ending = path.name.removesuffix(".gz").rpartition(".")
    return f"{stem or path.stem}-selected.{ending or 'jsonl'}"


def export_selection(run: OpenRun, rows: Iterable[int]) -> bytes:
    """The records of these rows of the input (as in the samples' `row`), every column kept.

    Raises: DataError if the input cannot be read any more.
    """
    source = open_source(Path(read_config(run.folder / "config.toml").captions))
    if source.format == "parquet":
        table = pq.read_table(source.path)
        taken = sorted(r - 1 for r in rows)
        buffer = io.BytesIO()
        pq.write_table(table.take(pa.array(taken, pa.int64())), buffer)
        return buffer.getvalue()
    wanted = set(rows)

    def records() -> Iterator[Mapping[str, object]]:
        for row in source.rows():
            if not isinstance(row, RowProblem) and row[0] in wanted:
                yield row[1]

    if source.format in ("csv", "tsv"):
        text = io.StringIO()
        writer = csv.DictWriter(
            text, source.names, delimiter=source.delimiter, extrasaction="ignore", lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(records())
        return text.getvalue().encode()
    lines = [json.dumps(dict(r), ensure_ascii=False) for r in records()]
    if source.format == "json":
        return ("[\n" + ",\n".join(lines) + "\n]\n").encode()
    return "".join(f"{line}\n" for line in lines).encode()
