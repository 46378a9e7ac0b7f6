"""CSV and TSV with quotes and line ends inside fields, plain or gzip."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from core.dataset.raw_bytes import (
    MAX_ROW_BYTES,
    EncodingAdvice,
    RawRow,
    check_names,
    encoding_remedy,
    open_bytes,
    problem,
    read_head,
)
from core.errors import DataError

MAX_FIELDS = 10_000


def delimiter_of(header: str, by_extension: str) -> str:
    """The delimiter: the extension's own if the header line has it, else the commonest of , ; and tab."""
    if by_extension in header:
        return by_extension
    counts = {mark: header.count(mark) for mark in (",", ";", "\t")}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] else by_extension


def csv_names(path: Path, delimiter: str) -> tuple[str, ...]:
    """Column names from the header line. A column without a name is called "column <place>".

    Raises DataError for a header that is not UTF-8, names a column twice or cannot be read.
    """
    with open_bytes(path) as stream:
        try:
            header = next(csv.reader(_lines(path, stream), delimiter=delimiter, strict=True), [])
        except csv.Error as e:
            raise DataError(f"the header line cannot be read ({e})", where=str(path)) from None
    if any(_has_bad_bytes(name) for name in header):
        remedy = encoding_remedy(read_head(path))
        raise DataError("the header line is not UTF-8", where=str(path), remedy=remedy)
    if len(header) > MAX_FIELDS:
        raise DataError("the header line has more than 10,000 columns", where=str(path), value=len(header))
    names = [name.strip() or f"column {place}" for place, name in enumerate(header, 1)]
    check_names(path, names)
    return tuple(names)


def read_csv(path: Path, delimiter: str) -> Iterator[RawRow]:
    """Rows in file order as {column: text}; row = line the row starts on (the header is line 1).

    Blank lines are no rows; missing cells at the end of a row are None. Bad quoting and surplus cells
    are RowProblems: such a row is never read as something it may not be. Memory: one row.
    """
    names = csv_names(path, delimiter)
    advice = EncodingAdvice(path)
    with open_bytes(path) as stream:
        reader = csv.reader(_lines(path, stream), delimiter=delimiter, strict=True)
        next(reader, None)
        while True:
            first = reader.line_num + 1
            try:
                cells = next(reader, None)
            except csv.Error as e:
                yield problem(path, first, "not a record", _quoting(e, first, reader.line_num))
                continue
            if cells is None:
                return
            if cells:
                yield _record(path, names, cells, (first, reader.line_num), advice)


def _record(
    path: Path, names: tuple[str, ...], cells: list[str], lines: tuple[int, int], advice: EncodingAdvice
) -> RawRow:
    first, last = lines
    if any(_has_bad_bytes(cell) for cell in cells):
        raw = ",".join(cells).encode("utf-8", "surrogateescape")
        return advice.problem(first, raw)
    while len(cells) > len(names) and not cells[-1].strip():
        cells.pop()
    if len(cells) > len(names):
        reason = f"the row has {len(cells)} fields, the header {len(names)}; put quotes around the text"
        if last > first:
            reason += f" (lines {first} to {last} were read as one row)"
        return problem(path, first, "wrong number of fields", reason, ",".join(cells))
    padded: list[str | None] = [*cells, *[None] * (len(names) - len(cells))]
    return first, dict(zip(names, padded, strict=True))


def _quoting(error: csv.Error, first: int, last: int) -> str:
    if "unexpected end of data" in str(error):
        return f"a quote is opened and never closed: lines {first} to {last} were read as one field"
    if "field larger" in str(error):
        return f"a field is longer than {MAX_ROW_BYTES >> 20} MiB; perhaps a quote is never closed"
    span = f" (lines {first} to {last})" if last > first else ""
    return f"quotes inside a quoted field must be doubled{span}: {error}"


def _lines(path: Path, stream: BinaryIO) -> Iterator[str]:
    """Lines with their ends; bytes that are not UTF-8 come through as lone surrogates."""
    csv.field_size_limit(MAX_ROW_BYTES)
    text = io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline="")
    number = 0
    while line := text.readline(MAX_ROW_BYTES + 1):
        number += 1
        if len(line) > MAX_ROW_BYTES:
            what = f"line {number} is longer than {MAX_ROW_BYTES >> 20} MiB"
            raise DataError(what, where=str(path), remedy="check that this is a CSV or TSV file")
        yield line


def _has_bad_bytes(text: str) -> bool:
    return not text.isascii() and any("\udc80" <= c <= "\udcff" for c in text)
