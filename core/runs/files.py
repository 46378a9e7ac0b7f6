"""Writing files so that a kill or a full disk never leaves half a file under its real name."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import RunError

TMP_PREFIX = ".tmp-"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes appear under `path` only when all were written and synced.

    Raises: RunError when the disk is full or the folder cannot be written.
    """
    tmp = path.with_name(f"{TMP_PREFIX}{path.name}-{os.getpid()}")
    try:
        with tmp.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(tmp, path)
    except OSError as error:
        raise write_error(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            tmp.unlink(missing_ok=True)


def write_json(path: Path, value: object) -> None:
    """Write `value` as indented JSON, whole or not at all."""
    with replacing(path) as stream:
        stream.write((json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


def read_json(path: Path) -> Any:
    """Read JSON. Raises: RunError if the file is missing or damaged."""
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise RunError("a file of the workspace is missing", where=path.name) from error
    except (OSError, ValueError) as error:
        raise RunError(f"a file of the workspace cannot be read: {error}", where=path.name) from error


def write_error(path: Path, error: OSError) -> RunError:
    """What a failed write means to the user."""
    if error.errno == errno.ENOSPC:
        return RunError("the disk is full", where=path.name, remedy="free some space and resume the run")
    reason = error.strerror or type(error).__name__
    return RunError(
        f"the workspace cannot be written: {reason.lower()}",
        where=str(path.parent),
        remedy="choose another folder with --workspace",
    )
