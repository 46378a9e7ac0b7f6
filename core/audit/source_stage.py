"""The samples and problems stages: read the captions file and its images once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from core.audit.context import Audit
from core.dataset.image_index import ImageIndex
from core.dataset.read_dataset import OpenDataset, identify, iter_rows, no_samples
from core.dataset.tables import PROBLEMS_SCHEMA, fingerprint, problems_table, samples_table, setting_of
from core.dataset.validate import CheckedRow
from core.domain.sample import Columns, DatasetSummary, RowProblem, Sample
from core.runs.files import read_json, write_json
from core.runs.keys import tagged_hash
from core.runs.parts import StageStore

READER_VERSION = 1
ROWS_A_PART = 4096


def read_source(audit: Audit, dataset: OpenDataset, name: str) -> bool:
    """Fill `audit.stores` and `audit.dataset`; True if an earlier reading still holds.

    The reading is keyed by its content. Whether it still holds is seen from the captions file's
    digest and from size and time of every image.
    """
    asked = {
        "captions": identify(audit.config).captions_sha256,
        "columns": asdict(dataset.columns),
        "on_bad_row": audit.config.on_bad_row,
        "image_root": str(audit.image_root.resolve()) if audit.image_root else None,
        "version": READER_VERSION,
    }
    source_key = tagged_hash(asked, "faultline-source")
    pointer = audit.workspace.root / "sources" / f"{source_key}.json"
    key = _still_holds(audit, pointer)
    from_cache = key is not None
    if key is None:
        key = _read(audit, dataset, source_key, pointer)
    samples = StageStore(audit.workspace, "samples", key)
    audit.stores["samples"] = samples
    audit.stores["problems"] = StageStore(audit.workspace, "problems", key)
    summary = dict(samples.record()["summary"])
    columns = Columns(**summary.pop("columns"))
    audit.dataset = DatasetSummary(name=name, columns=columns, **summary)
    return from_cache


def _still_holds(audit: Audit, pointer: Path) -> str | None:
    if not pointer.is_file():
        return None
    known = read_json(pointer)
    key = str(known["key"])
    samples = StageStore(audit.workspace, "samples", key)
    complete = samples.is_complete and StageStore(audit.workspace, "problems", key).is_complete
    if not complete or known["image_problems"]:
        return None
    return key if known["image_state"] == _image_state(audit.image_root, samples) else None


def _image_state(root: Path | None, samples: StageStore) -> str:
    """Digest of path, size and time of the samples' images as they are now."""
    digest = hashlib.sha256()
    if root is not None:
        paths = samples.read_table(["image_path"])["image_path"].unique().drop_null().to_pylist()
        for path in sorted(paths):
            try:
                status = (root / path).stat()
                digest.update(f"{path}\x00{status.st_size}\x00{status.st_mtime_ns}\n".encode())
            except OSError:
                digest.update(f"{path}\x00missing\n".encode())
    return digest.hexdigest()


def _read(audit: Audit, dataset: OpenDataset, source_key: str, pointer: Path) -> str:
    """Read all rows into parts and publish them under the key of their content."""
    samples = StageStore(audit.workspace, "samples", f"reading-{source_key}")
    problems = StageStore(audit.workspace, "problems", f"reading-{source_key}")
    with samples.lock():
        samples.clear()
        problems.clear()
        index_dir = audit.workspace.root / "image-index"
        index = ImageIndex(audit.image_root, index_dir) if audit.image_root else None
        try:
            counts = _write_parts(audit, iter_rows(audit.config, index, dataset), samples, problems)
        finally:
            if index is not None:
                index.close()
        summary = _summary(samples, dataset.columns, counts)
        content = [samples_hash(samples), asdict(dataset.columns), summary["n_rows"]]
        key = tagged_hash({"content": content, "version": READER_VERSION}, "faultline-samples")
        problems.publish(key, {"n_problems": counts["problems"]})
        published = samples.publish(key, summary)
        state = _image_state(audit.image_root, published)
        audit.workspace.folder(pointer.parent)
        write_json(
            pointer, {"key": key, "image_state": state, "image_problems": bool(counts["image_problems"])}
        )
    return key


def samples_hash(samples: StageStore) -> str:
    """Hash of everything the samples hold, paths and meta columns too."""
    digest = hashlib.sha256()
    for path in samples.part_paths():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _write_parts(
    audit: Audit, rows: Iterator[CheckedRow], samples: StageStore, problems: StageStore
) -> Mapping[str, int]:
    kept: list[tuple[Sample, int]] = []
    listed: list[RowProblem] = []
    part = n_rows = n_problems = n_samples = n_image_problems = 0
    first: list[RowProblem] = []
    for checked in rows:
        n_rows += 1
        n_problems += len(checked.problems)
        n_image_problems += sum("image" in p.kind for p in checked.problems)
        first = first or list(checked.problems)
        listed.extend(checked.problems)
        if checked.sample is not None:
            n_samples += 1
            kept.append((checked.sample, checked.row))
        if len(kept) >= ROWS_A_PART or len(listed) >= ROWS_A_PART:
            _write_part(samples, problems, part, kept, listed)
            kept, listed, part = [], [], part + 1
        if n_rows % 256 == 0:
            audit.cancel.raise_if_requested()
            audit.emit("progress", stage="samples", n_done=n_rows, n_total=0, unit="rows")
    if not n_samples:
        raise no_samples(audit.config, first)
    _write_part(samples, problems, part, kept, listed)
    return {"rows": n_rows, "problems": n_problems, "image_problems": n_image_problems}


def _write_part(
    samples: StageStore,
    problems: StageStore,
    part: int,
    kept: list[tuple[Sample, int]],
    listed: list[RowProblem],
) -> None:
    samples.write_table(part, samples_table([s for s, _ in kept], [row for _, row in kept]))
    problems.write_table(part, problems_table(listed) if listed else PROBLEMS_SCHEMA.empty_table())


def _summary(samples: StageStore, columns: Columns, counts: Mapping[str, int]) -> dict[str, Any]:
    table = samples.read_table(["image_sha256"])
    shas: pa.ChunkedArray = table["image_sha256"]
    return {
        "fingerprint": fingerprint(samples.iter_tables()),
        "n_rows": counts["rows"],
        "n_samples": table.num_rows,
        "n_images": len(shas.unique().drop_null()),
        "n_problems": counts["problems"],
        "setting": setting_of(samples.iter_tables()),
        "columns": asdict(columns),
    }
