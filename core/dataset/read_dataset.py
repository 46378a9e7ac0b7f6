"""From a captions file and an image folder to samples and listed problems, as a stream."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.dataset.cells import encodable
from core.dataset.columns import choose_columns, describe_columns, flagged_columns
from core.dataset.image_index import ImageIndex
from core.dataset.images import check_image_folder
from core.dataset.raw_bytes import RawRow, check_readable_file, read_head
from core.dataset.read_folder import captions_file, folder_identity
from core.dataset.source import Format, Source, open_source
from core.dataset.tables import samples_table, setting_of
from core.dataset.validate import CheckedRow, DraftRow, RowValidator
from core.domain.run import AuditConfig
from core.domain.sample import Columns, RowProblem, Sample, Setting
from core.errors import AuditError, DataError, shorten

ROWS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class SourceIdentity:
    """What decides the text of an audit: the captions file's bytes (images have their own digests)."""

    captions_sha256: str
    n_bytes: int


@dataclass(frozen=True, slots=True)
class OpenDataset:
    """A captions file with its columns chosen. description: the choice in words, printed first."""

    source: Source
    columns: Columns
    description: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The head of a captions file, for a form.

    columns: None when they could not be chosen; error then says why, in one sentence.
    rows: the first rows as text, every column. n_rows: exact if `exact`, else estimated from the bytes
    of the head; None = unknown (compressed). problems: rows of the head that are left out or changed,
    images not looked at. setting: what the audit would judge against.
    """

    format: Format
    names: tuple[str, ...]
    columns: Columns | None
    description: str
    error: str
    rows: tuple[dict[str, str], ...]
    n_rows: int | None
    exact: bool
    setting: Setting | None
    problems: tuple[RowProblem, ...]


def open_dataset(config: AuditConfig) -> OpenDataset:
    """Find format and columns; reads the head only. Raises DataError or ConfigError, one sentence each."""
    source = open_source(Path(config.captions))
    return OpenDataset(source, *_choose(source, config))


def iter_rows(
    config: AuditConfig, index: ImageIndex | None, dataset: OpenDataset | None = None
) -> Iterator[CheckedRow]:
    """What became of every row, in file order; each has a sample, problems, or both.

    index: of config.images, None when there are none. Memory: ROWS_AT_ONCE rows and the ids seen.
    Raises DataError when the file turns out damaged further on.
    """
    dataset = dataset or open_dataset(config)
    if (index is None) != (config.images is None):
        raise ValueError("an image index is needed exactly when the audit has an image folder")
    validator = RowValidator(dataset.columns, dataset.source.path.name, config.on_bad_row, index is not None)
    rows = dataset.source.rows()
    while chunk := list(islice(rows, ROWS_AT_ONCE)):
        drafts = [_draft(validator, row) for row in chunk]
        paths = [d.image_path for d in drafts if isinstance(d, DraftRow) and d.image_path is not None]
        looked = index.look_up(paths) if index else {}
        for draft in drafts:
            if isinstance(draft, RowProblem):
                yield CheckedRow(draft.row, None, (draft,))
            else:
                path = draft.image_path
                yield validator.finish(draft, looked[path] if path is not None else None)


def iter_samples(config: AuditConfig, index: ImageIndex | None) -> Iterator[Sample | RowProblem]:
    """As iter_rows, flat: the problems of a row, then its sample if it has one."""
    for checked in iter_rows(config, index):
        yield from checked.problems
        if checked.sample is not None:
            yield checked.sample


def no_samples(config: AuditConfig, problems: list[RowProblem]) -> DataError:
    """The error for a file none of whose rows can be audited. problems: some of them, the first counts."""
    first = problems[0] if problems else None
    what = "no row can be audited"
    if first is not None:
        what += f"; row {first.row}: {first.kind}: {first.reason}"
    return DataError(what, where=config.captions, remedy="repair the file, or check the columns chosen")


def identify(config: AuditConfig) -> SourceIdentity:
    """Hash of the captions file as it lies on disk. Raises DataError if it is missing or unreadable."""
    path = captions_file(Path(config.captions))
    if os.path.isdir(path):
        return SourceIdentity(*folder_identity(path))
    check_readable_file(path)
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return SourceIdentity(digest, stream.tell())


def preview(config: AuditConfig, n: int = 5) -> Preview:
    """The first n rows and what the audit would make of the file; reads the head only.

    Raises DataError when the file is not a captions file at all; columns that cannot be chosen are no
    exception here but `error`, so that a form can still show the rows.
    """
    source = open_source(Path(config.captions))
    columns, description, error = None, "", ""
    problems: list[RowProblem] = [row for row in source.head if isinstance(row, RowProblem)]
    setting: Setting | None = None
    try:
        columns, description = _choose(source, config)
    except AuditError as e:
        error = e.sentence()
    if columns is not None:
        validator = RowValidator(columns, source.path.name, config.on_bad_row, with_images=False)
        checked = [_check_text(validator, row) for row in source.head]
        problems = [p for c in checked for p in c.problems]
        samples = [c.sample for c in checked if c.sample is not None]
        setting = setting_of([samples_table(samples, range(len(samples)))])
    n_rows, exact = (source.n_rows, True) if source.n_rows is not None else (_estimate(source), False)
    rows = tuple({str(k): _cell(v) for k, v in record.items()} for record in source.records()[:n])
    return Preview(
        source.format,
        source.names,
        columns,
        description,
        error,
        rows,
        n_rows,
        exact,
        setting,
        tuple(problems),
    )


def _choose(source: Source, config: AuditConfig) -> tuple[Columns, str]:
    if config.images is not None:
        check_image_folder(Path(config.images))
    records = source.records()
    if not records:
        raise no_samples(config, [row for row in source.head if isinstance(row, RowProblem)])
    for role, name in flagged_columns(config).items():
        if name in source.unread:
            raise DataError(
                f"the column given for the {role.replace('_', ' ')} holds bytes, not text",
                where=config.captions,
                value=name,
                remedy="write embedded images to files and give a column with their paths",
            )
    columns = choose_columns(source.names, records, config, source.has_column)
    return columns, describe_columns(columns, source.names, records)


def _draft(validator: RowValidator, row: RawRow) -> DraftRow | RowProblem:
    return row if isinstance(row, RowProblem) else validator.draft(*row)


def _check_text(validator: RowValidator, row: RawRow) -> CheckedRow:
    if isinstance(row, RowProblem):
        return CheckedRow(row.row, None, (row,))
    return validator.finish(validator.draft(*row), None)


def _estimate(source: Source) -> int | None:
    """Rows in the file, from the lines in its first MiB; None for compressed files and .json."""
    packed = source.path.suffix.lower() in (".gz", ".gzip", ".zst", ".zstd")
    if source.format in ("json", "folder", "webdataset") or packed:
        return None
    head = read_head(source.path, 1 << 20)
    n_lines = max(1, head.count(b"\n")) * source.path.stat().st_size / len(head)
    last = source.head[-1]
    last_line = last.row if isinstance(last, RowProblem) else last[0]
    return max(len(source.head), round(n_lines * len(source.head) / last_line))


def _cell(value: object) -> str:
    """A value as text on screen, not yet shortened to a column's width."""
    value = encodable(value)
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return shorten(text, 4000)
