"""Small JPEGs for galleries, made when first asked for."""

from __future__ import annotations

import io
import os
import re
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from core.dataset.images import ONE_AT_A_TIME_PIXELS, open_image, read_image_bytes
from core.errors import DataError

QUALITY = 82
ORIENTATION = 0x0112
END_OF_IMAGE = b"\xff\xd9"
TALLEST = 4
"""A thumbnail is at most this many times as high as it is wide."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


def thumbnail_path(cache_dir: Path, image_path: Path, sha256: str, width: int = 256) -> Path:
    """The JPEG of an image, at most `width` pixels wide and 4 x width high; never larger than the image.

    Rotated as its EXIF says, white under transparency. Named by the image's sha256, so it never goes
    stale; written whole or not at all, also by several processes at once.
    Raises DataError (ImageError) if the image is missing, broken or too large.
    """
    if not _SHA256.fullmatch(sha256):
        raise DataError("this is not the identity of an image", value=sha256)
    if not 1 <= width <= 4096:
        raise DataError("a thumbnail is 1 to 4096 pixels wide", value=width)
    target = cache_dir / sha256[:2] / f"{sha256}-{width}.jpg"
    if target.exists():
        return target
    data = _plain_jpeg(image_path, width) or _any_image(image_path, width)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{sha256[:8]}-", suffix=".tmp", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as e:
        raise DataError(
            f"the thumbnail cannot be written ({e.strerror or e})", where=str(cache_dir)
        ) from None
    return target


def _any_image(path: Path, width: int) -> bytes:
    """The thumbnail by Pillow. Raises DataError (ImageError) if the image cannot be shown."""
    image = open_image(path, min_side=2 * width)
    image.thumbnail((width, TALLEST * width), Image.Resampling.LANCZOS)
    made = io.BytesIO()
    image.save(made, "JPEG", quality=QUALITY)
    return made.getvalue()


def _plain_jpeg(path: Path, width: int) -> bytes | None:
    """The thumbnail of an upright RGB JPEG by OpenCV, which decodes at 1/2, 1/4 or 1/8 of the size.

    Half the time of Pillow (benchmarks/thumbnails.py). None for every other image and whatever goes wrong:
    Pillow then makes it, or says why it cannot be made.
    """
    try:
        source = read_image_bytes(path)
        with Image.open(io.BytesIO(source), formats=("JPEG",)) as header:
            size = header.size
            plain = header.mode == "RGB" and header.getexif().get(ORIENTATION, 1) == 1
    except (DataError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    shape = _fitted(size, width)
    whole = source.rstrip(b"\0").endswith(END_OF_IMAGE)  # OpenCV shows a cut file as if it were one
    if not plain or not whole or shape is None or size[0] * size[1] > ONE_AT_A_TIME_PIXELS:
        return None
    import cv2

    reduced = {2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4, 8: cv2.IMREAD_REDUCED_COLOR_8}
    part = next((f for f in (8, 4, 2) if size[0] >= f * shape[0] and size[1] >= f * shape[1]), 1)
    flag = reduced.get(part, cv2.IMREAD_COLOR) | cv2.IMREAD_IGNORE_ORIENTATION
    decoded = cv2.imdecode(np.frombuffer(source, np.uint8), flag)
    if decoded is None:
        return None
    # What is left to shrink is a factor below 2, where linear interpolation does not alias visibly.
    small = cv2.resize(decoded, shape, interpolation=cv2.INTER_LINEAR)
    done, made = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return made.tobytes() if done else None


def _fitted(size: tuple[int, int], width: int) -> tuple[int, int] | None:
    """(width, height) of the thumbnail; None if the image is small enough as it is."""
    part = min(width / size[0], TALLEST * width / size[1])
    if part >= 1:
        return None
    return max(1, round(size[0] * part)), max(1, round(size[1] * part))
