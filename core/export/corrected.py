"""The captions file again, in its own format, with accepted revisions only."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from core.dataset.raw_bytes import GZIP_MAGIC, open_bytes
from core.dataset.read_coco import is_coco_captions
from core.dataset.read_json import LIST_KEYS
from core.dataset.source import Source, open_source
from core.errors import ConfigError, DataError
from core.export.changes import Done, Plan
from core.export.write_json import write_json
from core.export.write_parquet import write_parquet
from core.export.write_text import write_csv, write_jsonl


def export_corrected(source: Path, target: Path, column: str, plan: Plan) -> Done:
    """Write `source` with the changes of `plan` to `target`; whole or not at all.

    column: of the caption. A gzipped source gives a gzipped target, the same bytes for the same input.
    Raises DataError if the source cannot be read, ConfigError if the target is the source or not writable.
    """
    if target.exists() and target.samefile(source):
        raise ConfigError(
            "the export would overwrite its input", where=str(target), remedy="give another file"
        )
    opened = open_source(source)
    with replacing(target) as raw, _packed(raw, source) as out:
        return _write(opened, out, column, plan)


def _write(source: Source, out: BinaryIO, column: str, plan: Plan) -> Done:
    if source.format == "jsonl":
        return write_jsonl(source.path, out, column, plan)
    if source.format in ("csv", "tsv"):
        return write_csv(source.path, out, column, plan, source.delimiter)
    if source.format == "parquet":
        return write_parquet(source.path, out, column, plan)
    return write_json(source.path, out, column, plan, list_key(source.path))


def list_key(path: Path) -> str:
    """The key of the list of records in a JSON object, as the reader takes it; "" if the document is a list.

    Raises DataError if there is none.
    """
    with open_bytes(path) as stream:
        if stream.read(1 << 12).decode("utf-8-sig", "replace").lstrip().startswith("["):
            return ""
    with open_bytes(path) as stream:
        value = json.load(stream)
    if is_coco_captions(value):
        return "annotations"
    found = next((key for key in LIST_KEYS if isinstance(value.get(key), list)), None)
    if found is None:
        raise DataError(
            "a document with a single record is not written again", where=str(path), remedy="use JSON Lines"
        )
    return found


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file that becomes `target` when all is written. Raises ConfigError if it cannot be written."""
    try:
        handle, name = tempfile.mkstemp(prefix=".export-", suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise ConfigError(f"the export cannot be written ({error.strerror})", where=str(target)) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            yield cast(BinaryIO, stream)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def _packed(stream: BinaryIO, source: Path) -> Iterator[BinaryIO]:
    with source.open("rb") as head:
        packed = head.read(2) == GZIP_MAGIC
    if not packed:
        yield stream
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as out:
        yield cast(BinaryIO, out)
