"""A folder as captions: images with a .txt of the same stem, or Hugging Face's metadata file in it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from core.dataset.raw_bytes import MAX_ROW_BYTES, RawRow, problem
from core.errors import DataError

METADATA = ("metadata.jsonl", "metadata.csv", "metadata.parquet")
IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif")


def captions_file(path: Path) -> Path:
    """The metadata file of an imagefolder for its folder; every other path as it is."""
    if os.path.isdir(path):
        found = [path / name for name in METADATA if (path / name).is_file()]
        if found:
            return found[0]
    return path


def read_folder(folder: Path) -> Iterator[RawRow]:
    """Records {"image", "caption"} by path; row = place among all stems. image: path within the folder.

    An image without a text is a RowProblem; a text without an image has image None. Memory: the names.
    """
    for row, (text, image) in enumerate(stems(folder), 1):
        if text is None:
            yield problem(folder, row, "no caption", "there is no .txt of the same name", image or "")
            continue
        raw = (folder / text).read_bytes()[: MAX_ROW_BYTES + 1]
        try:
            yield row, {"image": image, "caption": raw.decode("utf-8-sig")}
        except UnicodeDecodeError:
            yield problem(folder, row, "wrong encoding", f"{text} is not UTF-8", raw)


def stems(folder: Path) -> list[tuple[str | None, str | None]]:
    """(text file, image file) of every stem, in order of their paths; relative, with forward slashes."""
    texts: dict[str, str] = {}
    images: dict[str, str] = {}
    for name in _files(folder):
        stem, ending = os.path.splitext(name)
        if ending.lower() == ".txt":
            texts[stem] = name
        elif ending.lower() in IMAGE_ENDINGS:
            images.setdefault(stem, name)
    return [(texts.get(stem), images.get(stem)) for stem in sorted({*texts, *images})]


def _files(folder: Path) -> Iterator[str]:
    """Files below the folder, hidden ones left out, links to folders not followed."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(n for n in names if not n.startswith(".")):
            yield Path(root, name).relative_to(folder).as_posix()


def check_folder(folder: Path) -> None:
    """Raises DataError unless the folder holds at least one image with a text."""
    if not any(text and image for text, image in stems(folder)):
        raise DataError(
            "this is a folder, not a captions file, and it holds no images with a .txt of the same name",
            where=str(folder),
            remedy=f"give one file in it, or a folder with {METADATA[0]}",
        )


def folder_identity(folder: Path) -> tuple[str, int]:
    """(sha256 over names and texts, bytes of the texts)."""
    digest, n_bytes = hashlib.sha256(b"faultline-folder-1\n"), 0
    for text, image in stems(folder):
        raw = (folder / text).read_bytes() if text else b""
        digest.update(f"{text}\x00{image}\x00{len(raw)}\n".encode("utf-8", "surrogateescape") + raw)
        n_bytes += len(raw)
    return digest.hexdigest(), n_bytes
