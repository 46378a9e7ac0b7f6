"""Images on disk: found inside their folder only, read within bounds, identified by their bytes."""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import threading
import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from core.domain.sample import ImageRef
from core.errors import DataError

MAX_IMAGE_BYTES = 64 << 20
MAX_IMAGE_PIXELS = 100_000_000
ONE_AT_A_TIME_PIXELS = 25_000_000
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM", "MPO", "JPEG2000", "AVIF")
"""Plain raster decoders only: none that starts another program (EPS) or draws a document (PDF, WMF)."""

_URL = re.compile(r"^(?:[a-z][a-z0-9+.-]+://|data:)", re.IGNORECASE)
_LARGE = threading.Semaphore(1)

# Pillow warns from 89 million pixels on; the bound here is MAX_IMAGE_PIXELS, checked before decoding.
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)


class ImageError(DataError):
    """An image that cannot be used. kind: stable word of `RowProblem.kind`."""

    def __init__(self, kind: str, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.kind = kind


def check_image_folder(root: Path) -> None:
    """Raises DataError unless `root` is a folder that can be listed."""
    if not root.exists():
        raise DataError("there is no such image folder", where=str(root), remedy="check the path")
    if not root.is_dir():
        raise DataError(
            "the image folder is not a folder", where=str(root), remedy="give the folder the paths start from"
        )
    if not os.access(root, os.R_OK | os.X_OK):
        raise DataError("there is no permission to read the image folder", where=str(root))


def locate_image(root: Path, relative: str) -> Path:
    """The file a row's image path means: inside `root` once every symbolic link is followed.

    An absolute path is accepted when it lies inside; backslashes are read as slashes where needed.
    Raises ImageError: kind "image is a URL", "image outside the image folder", "missing image" or
    "not an image file" (folder, pipe, device).
    """
    return ImageFolder(root).locate(relative)


class ImageFolder:
    """Locates many images in one folder; each sub-folder's links are followed once in its life."""

    def __init__(self, root: Path) -> None:
        self.base = os.path.realpath(root)
        self._real: dict[str, str] = {}

    def locate(self, relative: str) -> Path:
        """As locate_image."""
        if _URL.match(relative.strip()):
            what = "the image is a web address; download it into the image folder"
            raise ImageError("image is a URL", what)
        found = self._follow(relative)
        if found is None and "\\" in relative:
            found = self._follow(relative.replace("\\", "/"))
        if found is None:
            meant = os.path.normpath(os.path.join(self.base, relative.replace("\0", "")))
            raise self._missing(meant) if self._inside(meant) else _outside()
        if not self._inside(found):
            raise _outside()
        mode = os.stat(found).st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "a pipe or device"
            raise ImageError("not an image file", f"the path is {what}, not an image file")
        return Path(found)

    def _follow(self, relative: str) -> str | None:
        """The real path, None if there is nothing."""
        path = os.path.join(self.base, relative)
        folder, name = os.path.split(path)
        try:
            if name in ("", ".", ".."):
                return os.path.realpath(path, strict=True)
            if folder not in self._real:
                self._real[folder] = os.path.realpath(folder, strict=True)
            direct = os.path.join(self._real[folder], name)
            is_link = stat.S_ISLNK(os.lstat(direct).st_mode)
            return os.path.realpath(direct, strict=True) if is_link else direct
        except (OSError, ValueError):  # missing, name too long, loop of links, NUL inside
            return None

    def _inside(self, path: str) -> bool:
        return path == self.base or path.startswith(self.base.rstrip("/") + "/")

    def _missing(self, path: str) -> ImageError:
        stem = os.path.splitext(path)[0]
        there = next((e for e in (".jpg", ".jpeg", ".png", ".webp") if _exists(stem + e)), None)
        hint = f", but {os.path.basename(stem)}{there} is there" if there else ""
        return ImageError("missing image", f"there is no such file in the image folder{hint}")


def _exists(path: str) -> bool:
    try:
        os.stat(path)
    except (OSError, ValueError):
        return False
    return True


def _outside() -> ImageError:
    return ImageError(
        "image outside the image folder",
        "the path leads out of the image folder; give a folder that holds all images",
    )


def read_image_bytes(path: Path, max_bytes: int = MAX_IMAGE_BYTES) -> bytes:
    """The file's bytes. Raises ImageError "image too large", "missing image" or "not an image file"."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as e:
        raise ImageError(
            "missing image", f"the file cannot be opened ({e.strerror})", where=path.name
        ) from None
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise ImageError("not an image file", "this is not a regular file", where=path.name)
        raw = stream.read(max_bytes + 1) if status.st_size <= max_bytes else b""
    if status.st_size > max_bytes or len(raw) > max_bytes:
        what = f"the file has {max(status.st_size, len(raw)):,} bytes, the limit is {max_bytes:,}"
        raise ImageError("image too large", what, where=path.name)
    return raw


def check_image(raw: bytes, path: str) -> ImageRef:
    """Identity and stored size of an image whose every byte was decoded once.

    Only a decode shows that a file is not cut off. JPEGs are decoded at an eighth of their size (all of
    the compressed data is still read), others fully; images above 25 megapixels one at a time.
    Raises ImageError "broken image" or "image too large".
    """
    image = _open(raw, path)
    width, height = image.size
    image.draft("RGB", (max(1, width // 8), max(1, height // 8)))
    _load(image, path)
    return ImageRef(path, hashlib.sha256(raw).hexdigest(), width, height)


def probe_image(path: Path) -> tuple[int, int]:
    """(width, height) in pixels as stored, from the header alone. Raises ImageError as open_image."""
    width, height = _open(read_image_bytes(path), path.name).size
    return width, height


def open_image(path: Path, min_side: int | None = None) -> Image.Image:
    """The image as people see it: RGB, first frame, EXIF rotation applied, white under transparency.

    min_side: the shorter side the caller needs at least, in pixels; a larger JPEG may be decoded at a
    half, quarter or eighth of its size down to it (never below), which is several times faster.
    16-bit grey is scaled to 8 bits from the depth its values use (8, 12 or 16 bits: a heuristic).
    Raises ImageError "missing image", "broken image", "image too large".
    """
    image = _open(read_image_bytes(path), path.name)
    if min_side is not None and min(image.size) > min_side:
        factor = min_side / min(image.size)
        image.draft("RGB", (round(image.width * factor), round(image.height * factor)))
    _load(image, path.name)
    try:
        return _as_rgb(ImageOps.exif_transpose(image))
    except Exception as e:  # broken EXIF or palette: decoders raise nearly anything on hostile input
        raise _broken(path.name, e) from None


def _open(raw: bytes, name: str) -> Image.Image:
    try:
        image = Image.open(io.BytesIO(raw), formats=FORMATS)
    except Image.DecompressionBombError:
        raise _too_many_pixels(name, "more pixels") from None
    except Exception as e:
        raise _broken(name, e) from None
    if image.width * image.height > MAX_IMAGE_PIXELS:
        raise _too_many_pixels(name, f"{image.width:,} x {image.height:,} pixels")
    return image


def _load(image: Image.Image, name: str) -> None:
    large = image.width * image.height > ONE_AT_A_TIME_PIXELS
    try:
        with _LARGE if large else nullcontext():
            image.load()
    except Exception as e:
        raise _broken(name, e) from None


def _as_rgb(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I;16"):
        return _from_deep_grey(np.asarray(image).astype(np.float32))
    if image.mode in ("I", "F"):
        return _from_deep_grey(np.asarray(image, dtype=np.float32))
    if image.has_transparency_data:
        layered = image.convert("RGBA")
        white = Image.new("RGBA", layered.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, layered).convert("RGB")
    return image.convert("RGB")


def _from_deep_grey(values: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> Image.Image:
    finite = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    depth = next((d for d in (255.0, 4095.0, 65535.0) if low >= 0 and high <= d), None)
    if depth is None or (high <= 1.0 and low >= 0.0):  # floats, or beyond 16 bits: stretch what is there
        finite, depth = finite - low, max(high - low, 1e-12)
    grey = np.clip(np.rint(finite * (255.0 / depth)), 0, 255).astype(np.uint8)
    return Image.fromarray(grey).convert("RGB")


def _broken(name: str, error: Exception) -> ImageError:
    text = str(error) or type(error).__name__
    if "cannot identify image file" in text:
        text = "not an image in a format that is read"
    return ImageError("broken image", f"the image cannot be decoded ({text})", where=name)


def _too_many_pixels(name: str, seen: str) -> ImageError:
    what = f"the image claims {seen}; at most {MAX_IMAGE_PIXELS // 1_000_000} megapixels are read"
    return ImageError("image too large", what, where=name)
