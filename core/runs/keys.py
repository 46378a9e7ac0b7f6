"""Keys: one hash that means one thing. Equal keys, equal output."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any


def canonical_json(value: object) -> bytes:
    """`value` as JSON with one spelling: sorted keys, no spaces, tuples as lists, dataclasses as objects.

    Raises: TypeError for types JSON has no place for, ValueError for NaN and infinities.
    """
    plain = _plain(value)
    return json.dumps(
        plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"a key must be text, not {type(key).__name__}")
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("NaN and infinities have no canonical form")
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"{type(value).__name__} has no canonical form")


def tagged_hash(value: object, tag: str) -> str:
    """Hex sha256 of the tag and the canonical JSON of `value`; tags keep kinds of keys apart."""
    digest = hashlib.sha256()
    digest.update(tag.encode() + b"\x00")
    digest.update(canonical_json(value))
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """Hex sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
