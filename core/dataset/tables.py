"""Samples and problems as Arrow tables, the dataset's fingerprint and its setting."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from core.domain.sample import ImageRef, RowProblem, Sample, Setting

SAMPLES_SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string()),
        pa.field("row", pa.int32()),
        pa.field("caption", pa.string()),
        pa.field("image_path", pa.string()),
        pa.field("image_sha256", pa.string()),
        pa.field("image_width", pa.int32()),
        pa.field("image_height", pa.int32()),
        pa.field("references", pa.list_(pa.string())),
        pa.field("objects", pa.list_(pa.string())),
        pa.field("instruction", pa.string()),
        pa.field("captioner", pa.string()),
        pa.field("meta", pa.string()),
    ]
)
"""row: 1-based row of the file; objects: null = not given, [] = given and empty; meta: a JSON object."""

PROBLEMS_SCHEMA = pa.schema(
    [
        pa.field("file", pa.string()),
        pa.field("row", pa.int32()),
        pa.field("kind", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("value", pa.string()),
        pa.field("kept", pa.bool_()),
    ]
)
_FINGERPRINTED = ["sample_id", "caption", "image_sha256", "references", "objects"]


def samples_table(samples: Sequence[Sample], rows: Sequence[int]) -> pa.Table:
    """One row a sample, in order. rows: (n,) the file's row of each."""
    images = [s.image for s in samples]
    columns: dict[str, list[object]] = {
        "sample_id": [s.sample_id for s in samples],
        "row": list(rows),
        "caption": [s.caption for s in samples],
        "image_path": [i.path if i else None for i in images],
        "image_sha256": [i.sha256 if i else None for i in images],
        "image_width": [i.width if i else None for i in images],
        "image_height": [i.height if i else None for i in images],
        "references": [list(s.references) for s in samples],
        "objects": [None if s.objects is None else list(s.objects) for s in samples],
        "instruction": [s.instruction for s in samples],
        "captioner": [s.captioner for s in samples],
        "meta": [meta_json(s.meta) for s in samples],
    }
    arrays = [pa.array(columns[f.name], f.type) for f in SAMPLES_SCHEMA]
    return pa.Table.from_arrays(arrays, schema=SAMPLES_SCHEMA)


def sample_at(table: pa.Table, i: int) -> Sample:
    """The sample in row i (0-based) of a samples table."""
    return sample_of(table.slice(i, 1).to_pylist()[0])


def iter_table_samples(table: pa.Table) -> Iterable[Sample]:
    """All samples of a table in order, without holding more than one batch of them."""
    for batch in table.to_batches(max_chunksize=1024):
        yield from map(sample_of, batch.to_pylist())


def sample_of(row: Mapping[str, object]) -> Sample:
    """A row of a samples table, as a dict, as a sample."""
    r: Mapping[str, object] = row
    image = None
    if r["image_sha256"] is not None:
        width, height = r["image_width"], r["image_height"]
        assert isinstance(width, int)
        assert isinstance(height, int)
        image = ImageRef(str(r["image_path"]), str(r["image_sha256"]), width, height)
    references, objects = r["references"], r["objects"]
    return Sample(
        sample_id=str(r["sample_id"]),
        caption=str(r["caption"]),
        image=image,
        references=tuple(references) if isinstance(references, list) else (),
        objects=tuple(objects) if isinstance(objects, list) else None,
        instruction=None if r["instruction"] is None else str(r["instruction"]),
        captioner=None if r["captioner"] is None else str(r["captioner"]),
        meta=json.loads(str(r["meta"])),
    )


def problems_table(problems: Sequence[RowProblem]) -> pa.Table:
    """One row a problem, in order."""
    arrays = [pa.array([getattr(p, f.name) for p in problems], f.type) for f in PROBLEMS_SCHEMA]
    return pa.Table.from_arrays(arrays, schema=PROBLEMS_SCHEMA)


def problem_at(table: pa.Table, i: int) -> RowProblem:
    """The problem in row i (0-based) of a problems table."""
    return RowProblem(**table.slice(i, 1).to_pylist()[0])


def meta_json(meta: Mapping[str, object]) -> str:
    """The other columns of a row as a JSON object: NaN becomes null, dates and the like text."""
    try:
        return json.dumps(meta, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:
        return json.dumps(_finite(meta), ensure_ascii=False, default=str)


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, Mapping):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return value


def fingerprint(tables: Iterable[pa.Table]) -> str:
    """Hex sha256 over ids, captions, image digests, references and objects, in order.

    Free of paths, and the same however the samples are cut into tables.
    """
    digest = hashlib.sha256(b"faultline-dataset-1\n")
    for table in tables:
        for batch in table.select(_FINGERPRINTED).to_batches(max_chunksize=1024):
            for row in batch.to_pylist():
                line = json.dumps([row[name] for name in _FINGERPRINTED], separators=(",", ":"))
                digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def setting_of(tables: Iterable[pa.Table]) -> Setting:
    """What the audit can judge against: "objects" if any sample has an object list, else "reference-based"
    if any has a reference, else "reference-free". Paper: Symbal 3 (the last two)."""
    setting: Setting = "reference-free"
    for table in tables:
        if table["objects"].null_count < table.num_rows:
            return "objects"
        if pc.any(pc.greater(pc.list_value_length(table["references"]), pa.scalar(0))).as_py():
            setting = "reference-based"
    return setting
