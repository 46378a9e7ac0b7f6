"""Images as they go to a server: scaled down, as JPEG, always the same bytes for the same file."""

from __future__ import annotations

import base64
import hashlib
import io
import math
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from core.domain.chat import ImageInput

ImageOpener = Callable[[Path], Image.Image]
"""Opens a file as people see it (RGB, rotated). Raises AuditError for an image that cannot be used."""

JPEG_QUALITY = 95
EXIF_ORIENTATION = 0x0112
PATCH_PIXELS = 28


class ChangedImageError(Exception):
    """The file's bytes are no longer those the audit was asked about."""


def preprocessing(max_side: int) -> str:
    """What is done to an image before it is sent; part of the model's identity."""
    return f"images up to {max_side} px as they are, else Lanczos and JPEG {JPEG_QUALITY}"


def data_url(image: ImageInput, open_image: ImageOpener, max_side: int) -> str:
    """The image as a data URL. Raises: ChangedImageError, or what `open_image` raises."""
    try:
        raw = image.path.read_bytes()
    except OSError:
        open_image(image.path)  # says what is wrong with the file
        raise
    if hashlib.sha256(raw).hexdigest() != image.sha256:
        raise ChangedImageError(f"{image.path.name} was changed since the dataset was read")
    if kind := _sent_as_it_is(raw, max_side):
        return f"data:{kind};base64,{base64.b64encode(raw).decode()}"
    return jpeg_url(open_image(image.path), max_side)


def _sent_as_it_is(raw: bytes, max_side: int) -> str:
    """MIME type of a file that every server reads as people see it; "" = it has to be made anew.

    So are small RGB or grey JPEGs and PNGs without rotation and transparency.
    """
    try:
        with Image.open(io.BytesIO(raw), formats=("JPEG", "PNG")) as image:
            plain = image.mode in {"RGB", "L"} and not image.has_transparency_data
            turned = image.getexif().get(EXIF_ORIENTATION, 1) != 1
            fits = max(image.size) <= max_side
            return Image.MIME[image.format or ""] if plain and fits and not turned else ""
    except Exception:  # hostile bytes raise nearly anything; open_image then says what is wrong
        return ""


def jpeg_url(image: Image.Image, max_side: int) -> str:
    """A data URL of the image, scaled down to `max_side` if it is larger."""
    if max(image.size) > max_side:
        width, height = shrunk(image.width, image.height, max_side)
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


def shrunk(width: int, height: int, max_side: int) -> tuple[int, int]:
    """(width, height) in pixels after scaling down, never below 1."""
    scale = min(1.0, max_side / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def image_tokens(path: Path, max_side: int) -> int:
    """Tokens the image costs, estimated as Qwen2.5-VL counts: one for each 28 x 28 pixels."""
    try:
        with Image.open(path) as image:
            width, height = shrunk(*image.size, max_side)
    except (OSError, ValueError, Image.DecompressionBombError):
        return 0
    return math.ceil(width / PATCH_PIXELS) * math.ceil(height / PATCH_PIXELS)
