"""What an export changes: accepted revisions by row of the input, and rows that are left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from core.domain.sample import RowProblem
from core.domain.vnli import revised_span
from core.errors import DataError
from core.views.open_run import OpenRun


@dataclass(frozen=True, slots=True)
class Revision:
    """A sentence of a caption that people agreed to change.

    start, end: characters of the caption as audited. text: what stands there instead, "" = taken out.
    by, time: who accepted it and when.
    """

    start: int
    end: int
    text: str
    by: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class RowEdit:
    """All revisions of one row, in order. caption: as audited, so that the spans can be found again."""

    row: int
    sample_id: str
    caption: str
    revisions: tuple[Revision, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Row -> what becomes of it; every other row goes through byte for byte.

    edits: rows to change. left_out: row -> reason. only: rows to keep, None = all.
    """

    edits: Mapping[int, RowEdit] = field(default_factory=dict)
    left_out: Mapping[int, str] = field(default_factory=dict)
    only: frozenset[int] | None = None

    def keeps(self, row: int) -> bool:
        """Whether a row of the input is in the output."""
        return row not in self.left_out and (self.only is None or row in self.only)


@dataclass(slots=True)
class Done:
    """What an export did. failed: rows whose revision could not be applied; these stay as they were."""

    n_rows: int = 0
    n_changed: int = 0
    n_revisions: int = 0
    n_left_out: int = 0
    failed: list[RowProblem] = field(default_factory=list)


Edit = Callable[[RowEdit], bytes]


def edits_of(run: OpenRun, accepted: Mapping[str, Sequence[Revision]]) -> dict[int, RowEdit]:
    """Row -> edit, from accepted revisions by sample id.

    Raises DataError if a revision names a sample or a span the run does not have, or spans overlap.
    """
    found: dict[int, RowEdit] = {}
    wanted = pa.array(sorted(accepted), pa.string())
    for part in sorted(run.need_stage("samples").glob("part-*.parquet")) if accepted else ():
        table = pq.read_table(part, columns=["sample_id", "row", "caption"], partitioning=None)
        for sample in table.filter(pc.is_in(table["sample_id"], value_set=wanted)).to_pylist():
            revisions = tuple(sorted(accepted[sample["sample_id"]], key=lambda r: (r.start, r.end)))
            edit = RowEdit(sample["row"], sample["sample_id"], sample["caption"], revisions)
            check_spans(edit)
            found[edit.row] = edit
    missing = set(accepted) - {e.sample_id for e in found.values()}
    if missing:
        raise DataError("a revision is about a caption this run does not have", value=min(missing))
    return found


def check_spans(edit: RowEdit) -> None:
    """Raises DataError if a span lies outside the caption or two of them overlap."""
    at = 0
    for one in edit.revisions:
        if not at <= one.start <= one.end <= len(edit.caption):
            raise DataError(
                "a revision does not fit its caption",
                where=edit.sample_id,
                value=f"characters {one.start} to {one.end} of {len(edit.caption)}",
                remedy="give the verdict on this sentence again",
            )
        at = one.end


def revised(edit: RowEdit) -> str:
    """The caption with its revisions; all else as it was."""
    return replaced(edit.caption, [(r.start, r.end, r.text) for r in edit.revisions])


def replaced(text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    """`text` with characters start..end replaced. spans: (start, end, new), in order, not overlapping.

    Where a sentence is taken out, the white space beside it goes with it.
    """
    out, at = [], 0
    for start, end, new in widened(text, spans):
        out += [text[at:start], new]
        at = end
    return "".join([*out, text[at:]])


def widened(text: str, spans: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """The spans as `core.domain.vnli.reassemble` takes them: white space goes with a sentence taken out."""
    found: list[tuple[int, int, str]] = []
    at = 0
    for start, end, new in spans:
        first, last = revised_span(text, start, end, new)
        first, last = max(first, at), max(last, at)
        found.append((first, last, new))
        at = last
    return found
