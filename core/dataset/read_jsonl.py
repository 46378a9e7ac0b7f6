"""JSON Lines: one record a line, plain or gzip."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from core.dataset.raw_bytes import MAX_ROW_BYTES, EncodingAdvice, RawRow, numbered_lines, problem


def read_jsonl(path: Path) -> Iterator[RawRow]:
    """Records in file order; row = line number. Blank lines are no rows. Memory: one line.

    Raises DataError when the file as a whole cannot be read; a bad line is a RowProblem.
    """
    advice = EncodingAdvice(path)
    for number, raw in numbered_lines(path):
        if raw is None:
            reason = f"the line is longer than {MAX_ROW_BYTES >> 20} MiB"
            yield problem(path, number, "row too long", reason)
            continue
        if not raw.strip():
            continue
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            yield advice.problem(number, raw)
            continue
        yield _record(path, number, text)


def _record(path: Path, number: int, text: str) -> RawRow:
    try:
        value = json.loads(text)
    except RecursionError:
        return problem(path, number, "not a record", "the JSON is nested too deeply", text)
    except ValueError as e:
        where = f" at character {e.colno}" if isinstance(e, json.JSONDecodeError) else ""
        message = e.msg if isinstance(e, json.JSONDecodeError) else str(e)
        return problem(path, number, "not a record", f"not valid JSON: {message}{where}", text)
    return as_record(path, number, value)


def as_record(path: Path, number: int, value: object) -> RawRow:
    """A JSON value as a row; anything but an object is a problem."""
    if isinstance(value, dict):
        return number, value
    kind = {list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number or truth value")
    return problem(path, number, "not a record", f"expected a JSON object, found {kind}", value)
