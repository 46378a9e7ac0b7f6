"""Stages on images: vectors for grouping (Symbal 4.2) and, without references, for scoring (4.1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.audit.context import Audit, Stage
from core.dataset.images import locate_image, open_image
from core.domain.run import STEPS
from core.errors import DataError
from core.runs.executor_local import run_parts
from core.runs.parts import StageStore
from core.seams import FloatMatrix, ImageEmbedder

IMAGES_A_PART = 128


def distinct_images(audit: Audit) -> tuple[list[str], list[str]]:
    """(sha256, path) of the distinct images in order of first appearance: the rows of image vectors."""
    samples = audit.stores["samples"].read_table(["image_sha256", "image_path"])
    seen: dict[str, str] = {}
    for sha, path in zip(samples["image_sha256"].to_pylist(), samples["image_path"].to_pylist(), strict=True):
        if sha is not None:
            seen.setdefault(sha, path)
    return list(seen), list(seen.values())


def image_rows(audit: Audit) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """(n_samples,) row of each sample's image in the image vectors, -1 without image."""
    shas, _ = distinct_images(audit)
    column = audit.stores["samples"].read_table(["image_sha256"])["image_sha256"]
    index = pc.index_in(column, value_set=pa.array(shas, pa.string()))
    return np.asarray(pc.fill_null(index, -1).to_numpy(zero_copy_only=False), np.int64)


def image_name(audit: Audit, rows: npt.NDArray[np.int64], i: int) -> str:
    """What the image in row rows[i] of the image vectors is called in messages: its path."""
    return f"image {distinct_images(audit)[1][int(rows[i])]!r}"


def _embed(audit: Audit, store: StageStore, embedder: ImageEmbedder) -> Mapping[str, object]:
    root = audit.image_root
    _, paths = distinct_images(audit)

    def make_part(start: int, stop: int) -> FloatMatrix:
        if root is None:
            raise DataError("the image folder is not known", remedy="give it with --images")
        images = [open_image(locate_image(root, path), embedder.input_pixels) for path in paths[start:stop]]
        return embedder.embed_images(images)

    run_parts(
        store,
        len(paths),
        IMAGES_A_PART,
        make_part,
        cancel=audit.cancel,
        emit=audit.emit,
        unit="images",
    )
    return {"space": embedder.space}


IMAGE_STAGES = (
    Stage(
        "image_vectors",
        1,
        ("samples",),
        lambda audit: {"model": audit.models.image_embedder.identity},
        lambda audit, store: _embed(audit, store, audit.models.image_embedder),
        lambda audit: audit.has_images,
    ),
    Stage(
        "joint_image_vectors",
        1,
        ("samples",),
        lambda audit: {"model": audit.models.joint_image_embedder.identity},
        lambda audit, store: _embed(audit, store, audit.models.joint_image_embedder),
        lambda audit: audit.has_images and audit.scorer_kind == "embedding",
        STEPS,
    ),
)
