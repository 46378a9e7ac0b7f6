"""A row becomes a sample, or a listed problem, or both; never neither."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.dataset.cells import (
    MODEL_SPEAKERS,
    USER_SPEAKERS,
    as_text,
    encodable,
    is_conversation,
    is_encodable,
    is_missing,
    joined,
    kind_of,
    listed,
    objects_of,
    texts_of,
    turns_of,
)
from core.dataset.image_index import ImageProblem, Looked
from core.dataset.raw_bytes import shown
from core.domain.run import OnBadRow
from core.domain.sample import Columns, ImageRef, RowProblem, Sample


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """What became of one row of the file.

    sample: None = the row is left out, and at least one problem says why. With a sample, every problem
    has kept=True (the row stays, with what the problem says changed).
    """

    row: int
    sample: Sample | None
    problems: tuple[RowProblem, ...]


@dataclass(slots=True)
class DraftRow:
    """A row read but for its image and its id. leaves_out: some problem forbids a sample."""

    row: int
    sample: Sample
    image_path: str | None
    given_id: object
    problems: list[RowProblem] = field(default_factory=list)
    leaves_out: bool = False


class RowValidator:
    """Checks rows one after the other; remembers the ids seen.

    file: name shown in problems. on_bad_row: what becomes of a row with a missing or broken image or a
    repeated id: "skip" leaves it out; "keep" audits its text without the image, or under the id
    "<id>#row-<row>". A row without a usable id stays, as "row-<row>", and is listed.
    """

    def __init__(self, columns: Columns, file: str, on_bad_row: OnBadRow, with_images: bool) -> None:
        self._columns = columns
        self._file = file
        self._keeps = on_bad_row == "keep"
        self._with_images = with_images and columns.image is not None
        self._seen: dict[str, int] = {}
        roles = (columns.caption, columns.sample_id, columns.references, columns.objects)
        others = (columns.instruction, columns.captioner, columns.image if self._with_images else None)
        self._role_names = frozenset(n for n in (*roles, *others) if n is not None)

    def draft(self, row: int, record: Mapping[str, object]) -> DraftRow:
        """Everything of the row that needs neither the image nor the rows before."""
        c = self._columns
        cleaned = {name: encodable(value) for name, value in record.items()}
        draft = DraftRow(row, Sample("", ""), None, cleaned.get(c.sample_id) if c.sample_id else None)
        caption = self._caption(draft, record.get(c.caption), cleaned.get(c.caption))
        references, complaint = texts_of(cleaned.get(c.references)) if c.references else ([], "")
        if complaint:
            self._complain(draft, "references not text", complaint, record.get(c.references or ""))
        objects, complaint = objects_of(cleaned.get(c.objects)) if c.objects else (None, "")
        if complaint:
            self._complain(draft, "objects not readable", complaint, record.get(c.objects or ""))
        draft.sample = Sample(
            sample_id="",
            caption=caption,
            references=tuple(references),
            objects=objects,
            instruction=self._instruction(cleaned),
            captioner=as_text(cleaned.get(c.captioner)) if c.captioner else None,
            meta={str(encodable(k)): v for k, v in cleaned.items() if k not in self._role_names},
        )
        if self._with_images:
            draft.image_path = self._image_path(draft, cleaned.get(c.image or ""))
        return draft

    def finish(self, draft: DraftRow, image: Looked | None) -> CheckedRow:
        """The row with its image looked up (None: it names none) and its id given; call in file order."""
        if isinstance(image, ImageProblem):
            self._complain(draft, image.kind, image.reason, draft.image_path, leaves_out=not self._keeps)
        sample_id = self._id(draft)
        if draft.leaves_out:
            return CheckedRow(draft.row, None, tuple(draft.problems))
        self._seen[sample_id] = draft.row
        ref = image if isinstance(image, ImageRef) else None
        problems = tuple(replace(p, kept=True) for p in draft.problems)
        return CheckedRow(draft.row, replace(draft.sample, sample_id=sample_id, image=ref), problems)

    def _caption(self, draft: DraftRow, raw: object, value: object) -> str:
        if is_missing(value):
            self._complain(draft, "no caption", "the caption is missing or empty", raw, leaves_out=True)
            return ""
        if is_conversation(value):
            text = turns_of(value, MODEL_SPEAKERS)
            if text is None:
                self._complain(draft, "no caption", "no turn is the model's", raw, leaves_out=True)
            return text or ""
        found = listed(value)
        if isinstance(found, list) and not (isinstance(value, str) and found and not texts_of(found)[0]):
            texts, complaint = texts_of(found)
            if not texts:
                self._complain(draft, "no caption", "the list holds no text", raw, leaves_out=True)
            elif complaint:
                self._complain(draft, "caption not text", complaint, raw, leaves_out=True)
            return joined(texts)
        if not isinstance(value, str):
            reason = f"the caption is {kind_of(value)}, not text"
            self._complain(draft, "caption not text", reason, raw, leaves_out=True)
            return ""
        if isinstance(raw, str) and not is_encodable(raw):
            reason = "half a character (a lone surrogate) was replaced by U+FFFD"
            self._complain(draft, "broken characters", reason, raw)
        return value

    def _instruction(self, record: Mapping[str, object]) -> str | None:
        if self._columns.instruction:
            return as_text(record.get(self._columns.instruction))
        turns = record.get(self._columns.caption)
        return turns_of(turns, USER_SPEAKERS) if is_conversation(turns) else None

    def _image_path(self, draft: DraftRow, value: object) -> str | None:
        found = listed(value)
        if isinstance(found, list) and len(found) == 1:
            value = found[0]
        if is_missing(value):
            self._complain(draft, "no image", "the row names no image", value, leaves_out=not self._keeps)
        elif not isinstance(value, str):
            reason = f"expected a path, found {kind_of(value)}"
            self._complain(draft, "no image", reason, value, leaves_out=not self._keeps)
        else:
            return value
        return None

    def _id(self, draft: DraftRow) -> str:
        if self._columns.sample_id is None:
            return f"row-{draft.row}"
        given = None if isinstance(draft.given_id, list | dict | bool) else as_text(draft.given_id)
        if given is None:
            reason = f"the row has no usable id and goes by 'row-{draft.row}'"
            self._complain(draft, "no id", reason, draft.given_id)
            given = f"row-{draft.row}"
        if given not in self._seen:
            return given
        reason = f"the id was used in row {self._seen[given]}"
        self._complain(draft, "duplicate id", reason, given, leaves_out=not self._keeps)
        other = f"{given}#row-{draft.row}"
        while other in self._seen:
            other += "'"
        return other

    def _complain(
        self, draft: DraftRow, kind: str, reason: str, value: object, leaves_out: bool = False
    ) -> None:
        seen = "" if value is None else shown(value)
        draft.problems.append(RowProblem(self._file, draft.row, kind, reason, seen, kept=False))
        draft.leaves_out |= leaves_out
