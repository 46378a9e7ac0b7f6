"""A JSON document with some records changed: a list, or an object that holds the list. Streamed.

Everything between and outside the changed texts goes through as it is, also spaces and the order of keys.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import BinaryIO

from core.dataset.raw_bytes import open_bytes
from core.errors import DataError
from core.export.changes import Done, Plan
from core.export.streams import text_after_bom
from core.export.write_text import edited_record

CHUNK = 1 << 20
_SPACE = " \t\r\n"


def write_json(source: Path, out: BinaryIO, column: str, plan: Plan, key: str = "") -> Done:
    """The document with its changes. key: of the list of records in an object, "" = the document is the list.

    Rows are places in that list, from 1. Memory: one record, or one value of the object beside the list.
    Raises DataError if the document is damaged or has no such list.
    """
    done = Done()
    with open_bytes(source) as stream:
        text = text_after_bom(stream, out)
        copier = _Copier(source, text, out)
        copier.space()
        if not key:
            copier.records(column, plan, done)
        elif not copier.members(key, column, plan, done):
            raise DataError("the document has no such list of records", where=str(source), value=key)
        copier.rest()
    return done


class _Copier:
    """Copies JSON from one stream to another, a value at a time."""

    def __init__(self, path: Path, text: io.TextIOWrapper, out: BinaryIO) -> None:
        self._path, self._text, self._out = path, text, out
        self._buffer, self._at, self._ended = "", 0, False
        self._decoder = json.JSONDecoder()

    def _read(self) -> bool:
        chunk = self._text.read(max(CHUNK, len(self._buffer) - self._at))
        self._ended = not chunk
        self._buffer, self._at = self._buffer[self._at :] + chunk, 0
        return bool(chunk)

    def _write(self, text: str) -> None:
        self._out.write(text.encode("utf-8", "surrogateescape"))

    def _space(self) -> str:
        """The white space that comes, taken but not written."""
        taken = ""
        while True:
            start = self._at
            while self._at < len(self._buffer) and self._buffer[self._at] in _SPACE:
                self._at += 1
            taken += self._buffer[start : self._at]
            if self._at < len(self._buffer) or not self._read():
                return taken

    def space(self) -> None:
        self._write(self._space())

    def _mark(self, expected: str) -> str:
        mark = self._buffer[self._at : self._at + 1]
        if not mark or mark not in expected:
            raise DataError("the JSON document is damaged", where=str(self._path), value=mark or "its end")
        self._at += 1
        return mark

    def _value(self) -> str:
        """The next value as written. Memory: that value."""
        while True:
            try:
                end = self._decoder.raw_decode(self._buffer, self._at)[1]
                if end < len(self._buffer) or self._ended:
                    break
            except ValueError as error:
                if self._ended:
                    raise DataError(
                        f"the JSON document is damaged ({error})", where=str(self._path)
                    ) from None
            self._read()
        raw = self._buffer[self._at : end]
        self._at = end
        return raw

    def records(self, column: str, plan: Plan, done: Done) -> None:
        """A list, its records changed, or left out with the comma before or after them."""
        self._write(self._mark("["))
        lead, row, written = self._space(), 0, 0
        if self._buffer[self._at : self._at + 1] == "]":
            self._write(lead + self._mark("]"))
            return
        while True:
            row += 1
            done.n_rows += 1
            raw = self._value()
            if plan.keeps(row):
                if row in plan.edits:
                    raw = edited_record(self._path, raw, column, plan.edits[row], done)
                self._write(("," if written else "") + lead + raw)
                written += 1
            else:
                done.n_left_out += 1
            tail = self._space()
            mark = self._mark(",]")
            if mark == "]":
                self._write(tail + mark)
                return
            if tail:
                self._write(tail)
            lead = self._space()

    def members(self, key: str, column: str, plan: Plan, done: Done) -> bool:
        """An object; the list under `key` with its changes, all else copied. Whether the list was there."""
        self._write(self._mark("{"))
        self.space()
        found = False
        while self._buffer[self._at : self._at + 1] != "}":
            name = self._value()
            self._write(name)
            self.space()
            self._write(self._mark(":"))
            self.space()
            if json.loads(name) == key and not found and self._buffer[self._at : self._at + 1] == "[":
                self.records(column, plan, done)
                found = True
            elif self._buffer[self._at : self._at + 1] == "[":
                self.records("", Plan(), Done())
            else:
                self._write(self._value())
            self.space()
            if self._buffer[self._at : self._at + 1] == ",":
                self._write(self._mark(","))
                self.space()
        self._write(self._mark("}"))
        return found

    def rest(self) -> None:
        """What is left, written as it is."""
        self._write(self._buffer[self._at :])
        while chunk := self._text.read(CHUNK):
            self._write(chunk)
