"""A JSON document: a top-level list of records (read as a stream), or an object that holds one list."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

from core.dataset.raw_bytes import (
    FETCH_AGAIN,
    MAX_ROW_BYTES,
    EncodingAdvice,
    RawRow,
    encoding_remedy,
    open_bytes,
)
from core.dataset.read_coco import coco_rows, is_coco_captions
from core.dataset.read_jsonl import as_record
from core.errors import DataError

CHUNK_CHARACTERS = 1 << 20
MAX_OBJECT_BYTES = 1 << 30
LIST_KEYS = ("data", "rows", "records", "samples", "examples", "items")
AS_LINES = "write one record a line (.jsonl)"


def read_json(path: Path) -> Iterator[RawRow]:
    """Records in order; row = 1-based place in the list.

    A top-level list is streamed (memory: one record); an object is read whole (up to 1 GiB) and its list
    under one of LIST_KEYS taken, or COCO's annotations; an object without one is a single record.
    Raises DataError if the document is broken: what follows the break would be lost.
    """
    with open_bytes(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape")
        reader = _ListReader(path, text)
        if reader.opens_list():
            yield from reader.records()
            return
    yield from _read_object(path)


class _ListReader:
    """Takes one value after the other from a JSON list without holding the list."""

    def __init__(self, path: Path, text: io.TextIOWrapper) -> None:
        self._path, self._text = path, text
        self._buffer, self._at = "", 0
        self._ended = False
        self._decoder = json.JSONDecoder()
        self._advice = EncodingAdvice(path)

    def opens_list(self) -> bool:
        """Whether the document is a list; steps over its bracket."""
        opens = self._peek() == "["
        self._at += opens
        return opens

    def records(self) -> Iterator[RawRow]:
        """The list's values in order."""
        number = 0
        if self._peek() == "]":
            self._at += 1
        else:
            more = True
            while more:
                number += 1
                yield self._next_record(number)
                mark = self._peek()
                if mark not in (",", "]"):
                    raise self._broken(number, "a comma or the end of the list is missing")
                self._at += 1
                more = mark == ","
        if self._peek():
            raise self._broken(number, "there is text after the end of the list")

    def _next_record(self, number: int) -> RawRow:
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
                if end < len(self._buffer) or self._ended:
                    break
            except RecursionError:
                raise self._broken(number - 1, "the JSON is nested too deeply") from None
            except ValueError as e:
                message = e.msg if isinstance(e, json.JSONDecodeError) else str(e)
                if self._ended or len(self._buffer) - self._at > MAX_ROW_BYTES:
                    raise self._broken(number - 1, f"not valid JSON ({message})") from None
            self._read(max(CHUNK_CHARACTERS, len(self._buffer) - self._at))
        raw = self._buffer[self._at : end]
        self._at = end
        if not raw.isascii() and any("\udc80" <= c <= "\udcff" for c in raw):
            return self._advice.problem(number, raw.encode("utf-8", "surrogateescape"))
        return as_record(self._path, number, value)

    def _peek(self) -> str:
        """The next character that is not white space; "" at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if self._ended:
                return ""
            self._read(CHUNK_CHARACTERS)

    def _read(self, n: int) -> None:
        chunk = self._text.read(n)
        self._ended = not chunk
        self._buffer, self._at = self._buffer[self._at :] + chunk, 0

    def _broken(self, after: int, why: str) -> DataError:
        return DataError(
            f"the JSON list is damaged or cut off after record {after}: {why}",
            where=str(self._path),
            remedy=f"{FETCH_AGAIN}, or {AS_LINES} so that one bad record does not stop the rest",
        )


def _read_object(path: Path) -> Iterator[RawRow]:
    where = str(path)
    with open_bytes(path) as stream:
        raw = stream.read(MAX_OBJECT_BYTES + 1)
    if len(raw) > MAX_OBJECT_BYTES:
        raise DataError("a JSON object above 1 GiB is not read", where=where, remedy=AS_LINES)
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise DataError("the file is not UTF-8", where=where, remedy=encoding_remedy(raw)) from None
    except (ValueError, RecursionError) as e:
        raise DataError(f"the file is not valid JSON ({e})", where=where, remedy=FETCH_AGAIN) from None
    if is_coco_captions(value):
        yield from coco_rows(path, value)
        return
    lists = [key for key in LIST_KEYS if isinstance(value, dict) and isinstance(value.get(key), list)]
    if lists:
        for number, record in enumerate(value[lists[0]], 1):
            yield as_record(path, number, record)
        return
    if isinstance(value, dict) and sum(_holds_records(v) for v in value.values()) > 1:
        raise DataError(
            "the file holds several lists of records, not one",
            where=where,
            value=", ".join(value),
            remedy="join them into one list of records, each with its caption and image path",
        )
    yield as_record(path, 1, value)


def _holds_records(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)
