"""Folders of texts and WebDataset archives with some captions changed."""

from __future__ import annotations

import io
import posixpath
import shutil
import tarfile
from pathlib import Path
from typing import BinaryIO

from core.dataset.raw_bytes import open_bytes
from core.dataset.read_folder import stems
from core.dataset.read_tar import TEXT_ENDINGS, key_of
from core.errors import ConfigError
from core.export.changes import Done, Plan, RowEdit
from core.export.locate import NotLocatedError, apply_spans, locate
from core.export.streams import BOM
from core.export.write_text import edited_record, fail, succeed


def write_folder(source: Path, target: Path, plan: Plan) -> Done:
    """The texts of a folder under the same names in a new folder; images are not copied.

    Raises ConfigError if the target is there already.
    """
    if target.exists():
        raise ConfigError("the export would write into a folder that is there", where=str(target))
    done = Done()
    for row, (text, _) in enumerate(stems(source), 1):
        done.n_rows += 1
        if not plan.keeps(row):
            done.n_left_out += 1
        elif text is not None:
            path = target / text
            path.parent.mkdir(parents=True, exist_ok=True)
            if row in plan.edits:
                path.write_bytes(_edited(source, (source / text).read_bytes(), plan.edits[row], done))
            else:
                shutil.copyfile(source / text, path)
    return done


def write_tar(source: Path, out: BinaryIO, column: str, plan: Plan) -> Done:
    """The archive with its changes: members in order, with names, times and contents as they were.

    The text of a sample is changed where it stands, in its .txt or in the field `column` of its .json.
    """
    done, row, key = Done(), 0, ""
    changed: set[int] = set()
    with (
        open_bytes(source) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
        tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as target,
    ):
        for member in archive:
            if member.isfile() and not posixpath.basename(member.name).startswith("."):
                name, ending = key_of(member.name)
                if name != key or not row:
                    row, key = row + 1, name
                    done.n_rows += 1
                    done.n_left_out += not plan.keeps(row)
                if not plan.keeps(row):
                    continue
                if row in plan.edits and row not in changed and ending in (*TEXT_ENDINGS, "json"):
                    data = _member(source, archive, member, ending, column, plan.edits[row], done)
                    changed.add(row)
                    member.size = len(data)
                    target.addfile(member, io.BytesIO(data))
                    continue
            target.addfile(member, archive.extractfile(member) if member.isfile() else None)
    return done


def _member(
    source: Path,
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    ending: str,
    column: str,
    edit: RowEdit,
    done: Done,
) -> bytes:
    stream = archive.extractfile(member)
    raw = stream.read() if stream else b""
    if ending != "json":
        return _edited(source, raw, edit, done)
    lead = BOM if raw.startswith(BOM) else b""
    return lead + edited_record(source, raw.removeprefix(BOM).decode("utf-8"), column, edit, done).encode()


def _edited(source: Path, raw: bytes, edit: RowEdit, done: Done) -> bytes:
    lead = BOM if raw.startswith(BOM) else b""
    text = raw.removeprefix(BOM).decode("utf-8")
    try:
        changed = apply_spans(text, locate(text, edit)[()])
    except (NotLocatedError, KeyError) as error:
        fail(source, edit, done, str(error))
        return raw
    succeed(edit, done)
    return lead + changed.encode("utf-8")
