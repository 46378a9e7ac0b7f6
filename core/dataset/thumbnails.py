"""Small JPEGs for galleries, made when first asked for."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from PIL import Image

from core.dataset.images import open_image
from core.errors import DataError

QUALITY = 82
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
    image = open_image(image_path, min_side=2 * width)
    image.thumbnail((width, TALLEST * width), Image.Resampling.LANCZOS)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{sha256[:8]}-", suffix=".tmp", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                image.save(stream, "JPEG", quality=QUALITY, optimize=True)
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as e:
        raise DataError(
            f"the thumbnail cannot be written ({e.strerror or e})", where=str(cache_dir)
        ) from None
    return target
