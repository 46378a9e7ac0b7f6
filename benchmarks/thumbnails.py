"""Thumbnails of photographs, beside Pillow's `thumbnail()` to JPEG: decode, shrink to 256 pixels, encode."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.harness import DATA, Row, in_turns, main, versus
from core.dataset.thumbnails import thumbnail_path

WIDTH = 256
GOAL, QUICK_GOAL = 2.0, 1.5
SIZE = (640, 480)


def photographs(folder: Path, n: int) -> list[Path]:
    """Real photographs of about 640 x 480, or soft noise of that size without the data."""
    real = sorted((DATA / "coco_val2017_images").glob("*.jpg"))[:n]
    if real:
        return real
    rng = np.random.default_rng(0)
    for i in range(n):
        small = rng.integers(0, 256, (48, 64, 3), np.uint8)
        Image.fromarray(small).resize(SIZE, Image.Resampling.BICUBIC).save(folder / f"{i}.jpg", quality=90)
    return sorted(folder.glob("*.jpg"))


def peer(path: Path) -> bytes:
    with Image.open(path) as image:
        image.thumbnail((WIDTH, WIDTH))
        made = io.BytesIO()
        image.convert("RGB").save(made, "JPEG")
    return made.getvalue()


def run(quick: bool) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        images = photographs(Path(folder), 40 if quick else 150)
        turn = [0]

        def ours() -> None:
            turn[0] += 1
            for i, image in enumerate(images):
                thumbnail_path(Path(folder) / f"cache{turn[0]}", image, f"{i:064x}", WIDTH)

        def theirs() -> None:
            (Path(folder) / f"peer{turn[0]}").mkdir()
            for i, image in enumerate(images):
                (Path(folder) / f"peer{turn[0]}" / f"{i}.jpg").write_bytes(peer(image))

        in_turns(ours, theirs, 1)
        mine, other = in_turns(ours, theirs, 3 if quick else 5)
    yield versus(
        f"thumbnails of {len(images)} photographs",
        mine,
        other,
        QUICK_GOAL if quick else GOAL,
        "Pillow thumbnail()",
    )


if __name__ == "__main__":
    main(run, "thumbnails")
