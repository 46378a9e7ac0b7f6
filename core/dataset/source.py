"""Which format a captions file has (by content first, by extension second) and how to read its rows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from core.dataset.raw_bytes import (
    GZIP_MAGIC,
    HEAD_BYTES,
    RawRow,
    check_readable_file,
    read_head,
)
from core.dataset.read_csv import csv_names, delimiter_of, read_csv
from core.dataset.read_folder import captions_file, check_folder, read_folder
from core.dataset.read_json import read_json
from core.dataset.read_jsonl import read_jsonl
from core.dataset.read_parquet import parquet_columns, read_parquet
from core.dataset.read_tar import is_tar, read_tar
from core.domain.sample import RowProblem
from core.errors import DataError

Format = Literal["jsonl", "json", "csv", "tsv", "parquet", "folder", "webdataset"]

HEAD_ROWS = 1000
HEAD_ROW_BYTES = 8 << 20
FORMATS = "JSONL, JSON, CSV, TSV (each also as .gz or .zst), Parquet or a WebDataset .tar"
_BY_EXTENSION: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
}
_OTHER_FILES = (
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"ARROW1", "an Arrow IPC (Feather) file"),
)
_CONTROL = bytes(b for b in range(32) if b not in b"\t\n\r\x0b\x0c\x1b")


@dataclass(frozen=True, slots=True)
class Source:
    """A captions file whose format is known.

    names: its columns; for JSON those of the first HEAD_ROWS records. unread: columns that hold bytes.
    head: the first rows, at most HEAD_ROWS. whole: True when head is all there is.
    n_rows: rows in the file where that is known without reading it.
    """

    path: Path
    format: Format
    delimiter: str
    names: tuple[str, ...]
    unread: tuple[str, ...]
    head: tuple[RawRow, ...]
    whole: bool
    n_rows: int | None

    def rows(self) -> Iterator[RawRow]:
        """All rows from the start, as a stream. Raises DataError when the file is damaged further on."""
        return _rows(self.path, self.format, self.delimiter)

    def records(self) -> list[dict[str, object]]:
        """The head's readable records."""
        return [dict(row[1]) for row in self.head if not isinstance(row, RowProblem)]

    def has_column(self, name: str) -> bool:
        """Whether any record has the column; reads the whole file only if the head lacks it."""
        if name in self.names:
            return True
        if self.whole or self.format in ("csv", "tsv", "parquet"):
            return False
        return any(name in row[1] for row in self.rows() if not isinstance(row, RowProblem))


def open_source(path: Path) -> Source:
    """Find the format and read the head. Raises DataError for whatever is not a captions file."""
    path = captions_file(path)
    if os.path.isdir(path):
        check_folder(path)
    else:
        check_readable_file(path)
    found, delimiter = detect_format(path)
    unread: tuple[str, ...] = ()
    n_rows = None
    names: tuple[str, ...] = ()
    if found == "parquet":
        names, unread, n_rows = parquet_columns(path)
    elif found in ("csv", "tsv"):
        names = csv_names(path, delimiter)
    head, whole = _read_head_rows(_rows(path, found, delimiter))
    if not head:
        what = "the file has a header but no rows" if names else "the file holds no rows"
        raise DataError(what, where=str(path), remedy="check that it was written completely")
    if not names:
        keys = [key for row in head if not isinstance(row, RowProblem) for key in row[1]]
        names = tuple(dict.fromkeys(keys))
    return Source(path, found, delimiter, names, unread, head, whole, len(head) if whole else n_rows)


def detect_format(path: Path) -> tuple[Format, str]:
    """(format, delimiter); the delimiter is "" unless CSV or TSV. Raises DataError when it is none."""
    if os.path.isdir(path):
        return "folder", ""
    head = read_head(path)
    if is_tar(head):
        return "webdataset", ""
    where = str(path)
    if head.startswith(b"PAR1"):
        return "parquet", ""
    if not head:
        raise DataError("the compressed file is empty inside", where=where, remedy="write it again")
    kind = not_text(head)
    if kind is not None:
        raise DataError(f"this is {kind}, not a captions file", where=where, remedy=f"save it as {FORMATS}")
    extension = _extension(path)
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip()
    if not text:
        raise DataError("the file holds only blank lines", where=where, remedy="write it again")
    if text[0] in "{[" and (found := _json_kind(text, extension)) is not None:
        return found, ""
    by_extension = _BY_EXTENSION.get(extension)
    if by_extension is None:
        raise DataError(
            "the format cannot be told from the content or the name",
            where=where,
            value=extension or path.name,
            remedy=f"save it as {FORMATS} and name it so",
        )
    if by_extension in ("csv", "tsv"):
        header = re.split(r"[\r\n]", text, maxsplit=1)[0]
        return by_extension, delimiter_of(header, "\t" if by_extension == "tsv" else ",")
    return by_extension, ""


def not_text(head: bytes) -> str | None:
    """What the bytes are if not text in UTF-8 or a one-byte encoding; None for text.

    Known signatures first; else a heuristic on the share of control characters.
    """
    for magic, kind in _OTHER_FILES:
        if head.startswith(magic):
            return kind
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16 text (re-save it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8`)"
    if head.startswith(GZIP_MAGIC):
        return "compressed twice"
    share = 1 - len(head.translate(None, _CONTROL)) / len(head)
    try:
        head[: len(head) - 3].decode("utf-8")
        return "a binary file" if share > 0.3 else None
    except UnicodeDecodeError as e:
        cut_short = e.end >= len(head) - 6
        return "a binary file" if share > (0.3 if cut_short else 0.02) else None


def _json_kind(text: str, extension: str) -> Format | None:
    """jsonl or json for text that opens like JSON; None if it is a CSV that happens to."""
    lines = text.split("\n", 1)
    first, rest = lines[0].strip(), lines[1] if len(lines) > 1 else ""
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        if extension in (".csv", ".tsv", ".tab"):
            return None
        if extension in (".jsonl", ".ndjson"):
            return "json" if first in ("[", "{") else "jsonl"
        first_line_is_all = len(lines) == 1 and len(first.encode()) >= HEAD_BYTES - 8
        return "jsonl" if first_line_is_all and first[0] == "{" else "json"
    if isinstance(value, dict):
        return "json" if extension == ".json" and not rest.strip() else "jsonl"
    return "jsonl" if extension in (".jsonl", ".ndjson") and rest.strip() else "json"


def _rows(path: Path, found: Format, delimiter: str) -> Iterator[RawRow]:
    if found == "parquet":
        return read_parquet(path)
    if found == "folder":
        return read_folder(path)
    if found == "webdataset":
        return read_tar(path)
    if found == "json":
        return read_json(path)
    if found == "jsonl":
        return read_jsonl(path)
    return read_csv(path, delimiter)


def _read_head_rows(rows: Iterator[RawRow]) -> tuple[tuple[RawRow, ...], bool]:
    """(the first rows, whether they are all): at most HEAD_ROWS and about HEAD_ROW_BYTES."""
    head: list[RawRow] = []
    size = 0
    for row in islice(rows, HEAD_ROWS):
        head.append(row)
        size += len(str(row))
        if size > HEAD_ROW_BYTES:
            break
    return tuple(head), next(rows, None) is None


def _extension(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] in (".gz", ".gzip", ".zst", ".zstd"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
