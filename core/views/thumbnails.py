"""Which file stands behind an image address: only images of that run's samples, nothing else."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

import pyarrow.parquet as pq

from core.dataset.images import locate_image
from core.dataset.thumbnails import thumbnail_path
from core.errors import DataError, RunError
from core.runs.workspace import Workspace
from core.views.open_run import open_run

WIDTHS = (256, 1024)
_SHA256 = re.compile(r"[0-9a-f]{64}")


def thumbnail(workspace: Workspace, run_id: str, sha256: str, width: int = WIDTHS[0]) -> Path:
    """The JPEG of an image of a run, made when first asked for.

    width: one of WIDTHS, pixels. Raises RunError if the run or the image in it does not exist, DataError
    if the image file is gone or broken.
    """
    if width not in WIDTHS or not _SHA256.fullmatch(sha256):
        raise DataError("this is not the address of an image", value=f"{sha256}?w={width}")
    run = open_run(workspace, run_id)
    if run.image_root is None:
        raise RunError("this run has no images", where=run_id)
    folder = run.need_stage("samples")
    relative = _paths(folder, (folder / "stage.json").stat().st_mtime_ns).get(sha256)
    if relative is None:
        raise RunError("this run has no such image", where=run_id, value=sha256)
    image = locate_image(run.image_root, relative)
    status = image.stat()
    if _digest(image, status.st_mtime_ns, status.st_size) != sha256:
        raise DataError(
            "the image has changed since the audit", where=relative, remedy="audit the data again"
        )
    return thumbnail_path(Path(workspace.root) / "thumbnails", image, sha256, width)


@lru_cache(maxsize=16_384)
def _digest(image: Path, modified_ns: int, n_bytes: int) -> str:
    with image.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache(maxsize=8)
def _paths(folder: Path, committed_ns: int) -> dict[str, str]:
    """sha256 -> path under the image root, of all samples of a finished stage."""
    found: dict[str, str] = {}
    for part in sorted(folder.glob("part-*.parquet")):
        table = pq.read_table(part, columns=["image_sha256", "image_path"])
        pairs = zip(table["image_sha256"].to_pylist(), table["image_path"].to_pylist(), strict=True)
        found.update({sha: path for sha, path in pairs if sha and path})
    return found
