"""Texts read from streams, with the byte order mark passed on."""

from __future__ import annotations

import io
from typing import BinaryIO

BOM = b"\xef\xbb\xbf"


def text_after_bom(stream: BinaryIO, out: BinaryIO) -> io.TextIOWrapper:
    """The stream as text; a byte order mark goes to `out`, so that it is in neither's way.

    Bytes that are not UTF-8 come through as lone surrogates, line ends as they are.
    """
    head = stream.read(len(BOM))
    if head == BOM:
        out.write(BOM)
        head = b""
    return io.TextIOWrapper(
        io.BufferedReader(_Chain(head, stream)), "utf-8", errors="surrogateescape", newline=""
    )


class _Chain(io.RawIOBase):
    """A stream with its first bytes put back."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head, self._stream = head, stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]  # a writable buffer, by the protocol
        data = self._head[: len(view)] or self._stream.read(len(view))
        self._head = self._head[len(data) :]
        view[: len(data)] = data
        return len(data)
