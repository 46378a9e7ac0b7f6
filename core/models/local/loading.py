"""What every local model shares: packages, weights and memory that may be missing, device, digests."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from core.errors import AuditError, ModelError, shorten

Item = TypeVar("Item")


def package(name: str, requirement: str) -> Any:
    """The imported package. Raises: ModelError with the pip line if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ModelError(
            "the package of a local model is not installed", value=name, remedy=f"pip install {requirement}"
        ) from error


def choose_device(wanted: str = "") -> str:
    """`wanted`, else CUDA, MPS or CPU, whichever is there. Raises: ModelError if `wanted` is not."""
    torch = package("torch", "torch")
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not wanted:
        return next(name for name in ("cuda", "mps", "cpu") if there[name])
    if not there.get(wanted.split(":")[0], False):
        usable = ", ".join(name for name, is_there in there.items() if is_there)
        raise ModelError("this device is not available", value=wanted, remedy=f"choose one of {usable}")
    return wanted


@contextmanager
def loading(model: str, download: str) -> Iterator[None]:
    """Errors of loading as one sentence. download: command that fetches the weights beforehand."""
    try:
        yield
    except AuditError:
        raise
    except Exception as error:  # model packages raise nearly anything
        if is_out_of_memory(error):
            raise too_large(model) from error
        raise ModelError(
            f"the weights cannot be loaded: {type(error).__name__}: {shorten(str(error))}",
            where=model,
            remedy=f"download them where there is a network ({download}) and give their path",
        ) from error


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory of the device or of the machine ran out."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text


def too_large(model: str) -> ModelError:
    """There is no room for the model, even one item at a time."""
    return ModelError(
        "there is too little memory", where=model, remedy="choose a smaller model, or device = 'cpu'"
    )


def weights_digest(path: Path) -> str:
    """Short digest of a weights file, or of all files of a folder with their names."""
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        if file != path:
            digest.update(file.relative_to(path).as_posix().encode() + b"\0")
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return f"sha256:{digest.hexdigest()[:16]}"


class Batches:
    """Batch size that halves when memory runs out and stays there."""

    def __init__(self, model: str, size: int) -> None:
        self.model = model
        self.size = size

    def run(self, items: Sequence[Item], work: Any) -> list[Any]:
        """work(batch) for all items in order. Raises: ModelError if not even one item fits."""
        results, start = [], 0
        while start < len(items):
            try:
                results.append(work(items[start : start + self.size]))
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                if self.size == 1:
                    raise too_large(self.model) from error
                self.size = max(1, self.size // 2)
                continue
            start += self.size
        return results
