"""Bytes of a captions file: opening, gzip, bounded lines, and what to say about a wrong encoding."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from core.domain.sample import RowProblem
from core.errors import DataError, shorten

RawRow = tuple[int, Mapping[str, object]] | RowProblem
"""(row, record) as read, or why the row is no record. row: 1-based line, or record for .json and Parquet."""

MAX_ROW_BYTES = 64 << 20
HEAD_BYTES = 1 << 16
GUESS_BYTES = 1 << 20
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
FETCH_AGAIN = "fetch or write the file again"

# Well-formed multi-byte sequences of UTF-8 (The Unicode Standard, table 3-7), surrogates left out.
_MULTI_BYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
    rb"|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")


def check_readable_file(path: Path) -> None:
    """Raises DataError unless `path` is a regular, readable file with at least one byte."""
    where = str(path)
    try:
        found = path.stat()
    except FileNotFoundError:
        raise DataError("there is no such file", where=where, remedy="check the path") from None
    except (OSError, ValueError) as e:
        raise DataError(f"the file cannot be opened ({e})", where=where, remedy="check the path") from None
    if stat.S_ISDIR(found.st_mode):
        raise DataError("this is a folder, not a captions file", where=where, remedy="give one file in it")
    if not stat.S_ISREG(found.st_mode):
        raise DataError(
            "this is a pipe or device, not a regular file", where=where, remedy="save the captions to a file"
        )
    if found.st_size == 0:
        raise DataError("the file is empty (0 bytes)", where=where, remedy=FETCH_AGAIN)
    if not os.access(path, os.R_OK):
        raise DataError(
            "there is no permission to read the file", where=where, remedy="change its permissions"
        )


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if gzip or zstd (by content). Raises DataError if damaged or unreadable."""
    try:
        with path.open("rb") as plain:
            if plain.peek(2)[:2] == GZIP_MAGIC:
                with gzip.open(plain) as packed:
                    yield cast(BinaryIO, packed)
            elif plain.peek(4)[:4] == ZSTD_MAGIC:
                import pyarrow as pa  # slow to import, and seldom needed here

                with pa.CompressedInputStream(pa.PythonFile(plain, mode="r"), "zstd") as stream:
                    yield io.BufferedReader(stream, 1 << 20)
            else:
                yield plain
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise DataError(
            "the compressed file is damaged or cut off", where=str(path), remedy=FETCH_AGAIN
        ) from None
    except OSError as e:
        raise DataError(f"the file cannot be read ({e.strerror or e})", where=str(path)) from None


def read_head(path: Path, n_bytes: int = HEAD_BYTES) -> bytes:
    """The first bytes, decompressed."""
    with open_bytes(path) as stream:
        return stream.read(n_bytes)


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """(1-based line number, bytes without line end); None for a line above MAX_ROW_BYTES.

    A byte order mark is dropped. Memory stays within one line.
    """
    with open_bytes(path) as stream:
        number = 0
        while raw := stream.readline(MAX_ROW_BYTES + 1):
            number += 1
            too_long = len(raw) > MAX_ROW_BYTES and not raw.endswith(b"\n")
            while too_long and raw and not raw.endswith(b"\n"):
                raw = stream.readline(MAX_ROW_BYTES)
            line = raw.rstrip(b"\r\n")
            yield number, None if too_long else (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)


def check_names(path: Path, names: Sequence[str]) -> None:
    """Raises DataError if two columns have the same name."""
    name, times = Counter(names).most_common(1)[0] if names else ("", 1)
    if times > 1:
        raise DataError("two columns have the same name", where=str(path), value=name, remedy="rename one")


def problem(path: Path, row: int, kind: str, reason: str, value: object = "") -> RowProblem:
    """A row that is left out. value: as seen, shortened for lists on screen."""
    return RowProblem(path.name, row, kind, reason, shown(value), kept=False)


def shown(value: object) -> str:
    """A value as text for a list of problems: encodable and at most 120 characters long."""
    if isinstance(value, bytes):
        text = value[:400].decode("utf-8", "backslashreplace")
    else:
        text = value if isinstance(value, str) else repr(value)
    return shorten(text).encode("utf-8", "backslashreplace").decode()


class EncodingAdvice:
    """Says why bytes are not UTF-8 and how to repair the file; looks at the file's head once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._remedy: str | None = None

    def problem(self, row: int, raw: bytes) -> RowProblem:
        """The row as a "wrong encoding" problem."""
        return problem(self._path, row, "wrong encoding", self.reason(raw), raw)

    def reason(self, raw: bytes) -> str:
        """What is wrong with `raw`, and what to do."""
        try:
            raw.decode("utf-8")
            seen = "not UTF-8"
        except UnicodeDecodeError as e:
            seen = f"not UTF-8 (byte 0x{raw[e.start]:02x} at byte {e.start + 1} of the row)"
        if self._remedy is None:
            self._remedy = encoding_remedy(read_head(self._path, GUESS_BYTES))
        return f"{seen}; {self._remedy}"


def encoding_remedy(head: bytes) -> str:
    """What to do about a file that is not UTF-8, naming its likely encoding when that is consistent."""
    name = legacy_encoding(head)
    if name is None:
        return "re-save the file as UTF-8"
    return f"the file looks like {name}: re-save it as UTF-8, for example with `iconv -f {name} -t UTF-8`"


def legacy_encoding(head: bytes) -> str | None:
    """ISO-8859-1 or WINDOWS-1252 if `head` reads as such throughout, else None.

    A heuristic: no well-formed multi-byte UTF-8, and high bytes stand alone between ASCII (as accented
    letters do, and the paired bytes of East Asian encodings do not).
    """
    runs = [m.group() for m in _HIGH_RUN.finditer(head)]
    if not runs or _MULTI_BYTE.search(head):
        return None
    if sum(len(r) > 1 for r in runs) > 0.3 * len(runs):
        return None
    if not any(0x80 <= b <= 0x9F for run in runs for b in run):
        return "ISO-8859-1"
    try:
        head.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return "WINDOWS-1252"
