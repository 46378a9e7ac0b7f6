"""JSON Lines, CSV and TSV with some rows changed: every other byte goes through as it is."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from core.dataset.raw_bytes import MAX_ROW_BYTES, open_bytes, problem
from core.export.changes import Done, Plan, RowEdit
from core.export.json_text import edit_json
from core.export.locate import NotLocatedError, apply_spans, locate
from core.export.streams import BOM, text_after_bom


def write_jsonl(source: Path, out: BinaryIO, column: str, plan: Plan) -> Done:
    """The file with its changes. Memory: one line. Rows are lines, as the reader counts them."""
    done = Done()
    with open_bytes(source) as stream:
        for row, line in enumerate(stream, 1):
            if line.strip():
                done.n_rows += 1
                if not plan.keeps(row):
                    done.n_left_out += 1
                    continue
                if row in plan.edits:
                    line = _edited_line(source, line, column, plan.edits[row], done)
            out.write(line)
    return done


def _edited_line(source: Path, line: bytes, column: str, edit: RowEdit, done: Done) -> bytes:
    lead = BOM if line.startswith(BOM) else b""
    text = line.removeprefix(BOM).decode("utf-8")
    changed = edited_record(source, text, column, edit, done)
    return lead + changed.encode("utf-8", "surrogatepass")


def edited_record(source: Path, text: str, column: str, edit: RowEdit, done: Done) -> str:
    """A JSON record as text with its edit; unchanged, and listed in done.failed, if that cannot be."""
    try:
        value = json.loads(text)[column]
        spans = {(column, *path): found for path, found in locate(value, edit).items()}
        changed = edit_json(text, spans)
    except (NotLocatedError, KeyError, ValueError) as error:
        fail(source, edit, done, str(error))
        return text
    succeed(edit, done)
    return changed


def fail(source: Path, edit: RowEdit, done: Done, why: str) -> None:
    """List a row whose revision could not be applied."""
    reason = f"{why}; the row is as it was"
    done.failed.append(problem(source, edit.row, "not revised", reason, edit.sample_id))


def succeed(edit: RowEdit, done: Done) -> None:
    """Count a changed row."""
    done.n_changed += 1
    done.n_revisions += len(edit.revisions)


def write_csv(source: Path, out: BinaryIO, column: str, plan: Plan, delimiter: str) -> Done:
    """The file with its changes; a changed cell is quoted if it was, or has to be. Memory: one row."""
    done = Done()
    with open_bytes(source) as stream:
        text = text_after_bom(stream, out)
        place = -1
        for row, raw, cells in _records(text, delimiter):
            if place < 0:
                place = _column(cells, column)
            elif cells:
                done.n_rows += 1
                if not plan.keeps(row):
                    done.n_left_out += 1
                    continue
                if row in plan.edits:
                    raw = _edited_row(source, raw, place, delimiter, plan.edits[row], done)
            out.write(raw.encode("utf-8", "surrogateescape"))
    return done


def _records(text: io.TextIOWrapper, delimiter: str) -> Iterator[tuple[int, str, list[str]]]:
    """(line it starts on, raw text, cells) of every record; cells [] = a blank line or one with bad "
    "quotes."""
    csv.field_size_limit(MAX_ROW_BYTES)
    lines: list[str] = []

    def kept() -> Iterator[str]:
        for line in text:
            lines.append(line)
            yield line

    reader = csv.reader(kept(), delimiter=delimiter, strict=True)
    while True:
        first = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error:
            cells = []
        if cells is None and not lines:
            return
        yield first, "".join(lines), cells or []
        lines.clear()


def _column(header: list[str], column: str) -> int:
    names = [name.strip() or f"column {place}" for place, name in enumerate(header, 1)]
    return names.index(column)


def _edited_row(source: Path, raw: str, place: int, delimiter: str, edit: RowEdit, done: Done) -> str:
    start, end = _cell(raw, place, delimiter)
    cell = raw[start:end]
    quoted = cell.startswith('"')
    value = cell[1:-1].replace('""', '"') if quoted else cell
    try:
        if value == edit.caption or not value.lstrip().startswith("["):
            changed = apply_spans(value, locate(value, edit)[()])
        else:
            changed = edit_json(value, locate(json.loads(value), edit))
    except (NotLocatedError, KeyError, ValueError) as error:
        fail(source, edit, done, str(error))
        return raw
    succeed(edit, done)
    if quoted or any(mark in changed for mark in ('"', "\n", "\r", delimiter)):
        changed = '"' + changed.replace('"', '""') + '"'
    return raw[:start] + changed + raw[end:]


def _cell(raw: str, place: int, delimiter: str) -> tuple[int, int]:
    """Where a cell stands in a record, its quotes included."""
    at = 0
    for _ in range(place):
        at = _cell_end(raw, at, delimiter) + 1
    return at, _cell_end(raw, at, delimiter)


def _cell_end(raw: str, at: int, delimiter: str) -> int:
    if raw[at : at + 1] == '"':
        at += 1
        while True:
            at = raw.index('"', at) + 1
            if raw[at : at + 1] != '"':
                return at
            at += 1
    while at < len(raw) and raw[at] not in (delimiter, "\r", "\n"):
        at += 1
    return at
