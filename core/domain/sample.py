"""Sample, dataset and the rows that could not become one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Setting = Literal["objects", "reference-based", "reference-free"]


@dataclass(frozen=True, slots=True)
class ImageRef:
    """An image on disk, identified by its bytes.

    path: relative to the image root, with forward slashes.
    sha256: hex digest of the file's bytes; the only identity used in keys and joins.
    width, height: pixels as stored (before EXIF rotation).
    """

    path: str
    sha256: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One image-text pair (V_i, T_i) with its references R_i where they exist. Paper: Symbal 3.

    objects: names of what is known to be in the image; None = not given, () = given and empty.
    meta: every other column of the row, as read.
    """

    sample_id: str
    caption: str
    image: ImageRef | None = None
    references: tuple[str, ...] = ()
    objects: tuple[str, ...] | None = None
    instruction: str | None = None
    captioner: str | None = None
    meta: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that could not be used as it is. Paper: none; kept so that no row is lost silently.

    row: 1-based row (line) in the file as an editor counts it.
    kind: stable word for grouping, e.g. "no caption", "missing image", "broken image",
        "image outside the image folder", "duplicate id", "wrong encoding", "not a record".
    kept: True when the row stays in the audit (for example without its image).
    """

    file: str
    row: int
    kind: str
    reason: str
    value: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column plays which role; None = the file has none. Printed before the audit starts."""

    caption: str
    image: str | None = None
    sample_id: str | None = None
    references: str | None = None
    objects: str | None = None
    instruction: str | None = None
    captioner: str | None = None


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """What an audit needs to say about its input.

    fingerprint: hash of all samples (captions, image digests, references, objects), path-free.
    n_rows: rows in the file; n_samples: rows audited; n_problems: rows listed as RowProblem.
    setting: "objects" (closed vocabulary), "reference-based" or "reference-free". Paper: Symbal 3.
    """

    name: str
    fingerprint: str
    n_rows: int
    n_samples: int
    n_images: int
    n_problems: int
    setting: Setting
    columns: Columns
