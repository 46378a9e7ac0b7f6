"""WebDataset: a tar whose members of one key are a sample (`0001.jpg`, `0001.txt`, `0001.json`)."""

from __future__ import annotations

import json
import posixpath
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from core.dataset.raw_bytes import FETCH_AGAIN, MAX_ROW_BYTES, RawRow, open_bytes, problem
from core.dataset.read_folder import IMAGE_ENDINGS
from core.errors import DataError

TAR_MAGIC = (257, b"ustar")
BLOCK = 512
TEXT_ENDINGS = ("txt", "cap", "caption")


def is_tar(head: bytes) -> bool:
    """Whether the first bytes are those of a tar archive."""
    at, magic = TAR_MAGIC
    return head[at : at + len(magic)] == magic


def key_of(name: str) -> tuple[str, str]:
    """(key, ending) of a member as WebDataset splits it: at the first dot of the last part."""
    folder, last = posixpath.split(name)
    stem, _, ending = last.partition(".")
    return posixpath.join(folder, stem), ending.lower()


def read_tar(path: Path) -> Iterator[RawRow]:
    """Samples in order as {"__key__", "image", "caption", fields of the .json}; row = place, from 1.

    image: name of the image's member; unpack the archive and give its folder to audit the images too. Memory:
    one sample. Raises DataError if the archive is damaged.
    """
    row, key, bad = 0, "", ""
    record: dict[str, object] = {}
    with open_bytes(path) as stream:
        try:
            tail = _Tail(stream)
            with tarfile.open(fileobj=cast(BinaryIO, tail), mode="r|") as archive:
                for member in archive:
                    if not member.isfile() or posixpath.basename(member.name).startswith("."):
                        continue
                    name, ending = key_of(member.name)
                    if name != key and row:
                        yield _done(path, row, record, bad)
                    if name != key or not row:
                        row, key, record, bad = row + 1, name, {"__key__": name}, ""
                    bad = _take(archive, member, ending, record) or bad
            tail.check()
        except (tarfile.TarError, EOFError) as error:
            what = f"the archive is damaged after sample {row} ({error})"
            raise DataError(what, where=str(path), remedy=FETCH_AGAIN) from None
    if row:
        yield _done(path, row, record, bad)


class _Tail:
    """A stream that remembers its end: a whole archive ends in zeros, a cut one often goes unseen."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._last = stream, b""

    def read(self, n: int = -1) -> bytes:
        data = self._stream.read(n)
        self._last = (self._last + data[-BLOCK:])[-BLOCK:]
        return data

    def check(self) -> None:
        """Raises tarfile.ReadError if the archive does not end as one."""
        while self.read(1 << 20):
            pass
        if self._last.strip(b"\0") or len(self._last) < BLOCK:
            raise tarfile.ReadError("its end is missing")


def _done(path: Path, row: int, record: dict[str, object], bad: str) -> RawRow:
    return problem(path, row, "not a record", bad, record.get("__key__", "")) if bad else (row, record)


def _take(archive: tarfile.TarFile, member: tarfile.TarInfo, ending: str, record: dict[str, object]) -> str:
    """Put what a member says into the record; what is wrong with it, "" if nothing."""
    if f".{ending.rpartition('.')[2]}" in IMAGE_ENDINGS:
        record.setdefault("image", member.name)
        return ""
    if ending not in TEXT_ENDINGS and ending != "json":
        return ""
    if member.size > MAX_ROW_BYTES:
        return f"{member.name} is larger than {MAX_ROW_BYTES >> 20} MiB"
    stream = archive.extractfile(member)
    try:
        text = stream.read().decode("utf-8-sig") if stream else ""
        if ending != "json":
            record["caption"] = text
            return ""
        value = json.loads(text)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        return f"{member.name} cannot be read ({error})"
    if not isinstance(value, dict):
        return f"{member.name} is not a JSON object"
    for name, found in value.items():
        record.setdefault(name, found)
    return ""
