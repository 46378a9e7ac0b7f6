"""The captions for annotation tools: COCO captions, Label Studio tasks, a FiftyOne label file. Streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow.parquet as pq

from core.export.changes import RowEdit, revised
from core.export.drops import flagged_sentences
from core.runs.files import read_json
from core.views.open_run import OpenRun

LABEL_STUDIO_CONFIG = """\
<View>
  <Image name="image" value="$image"/>
  <Labels name="sentence" toName="caption">
    <Label value="Contradiction" background="#b3401b"/>
    <Label value="Neutral" background="#c78a00"/>
    <Label value="Entailment" background="#22683f"/>
    <Label value="Nothing to assess" background="#55626e"/>
  </Labels>
  <Text name="caption" value="$caption"/>
</View>
"""
_COLUMNS = [
    "sample_id",
    "caption",
    "image_path",
    "image_sha256",
    "image_width",
    "image_height",
    "objects",
    "row",
]


def write_coco(run: OpenRun, out: BinaryIO, edits: Mapping[int, RowEdit]) -> int:
    """COCO captions: images numbered as they come, one annotation a sample with an image; how many.

    Captions are with their accepted revisions. Memory: the images.
    """
    images: dict[str, int] = {}
    head = {"description": f"{run.dataset_name}, audited with Faultline", "fingerprint": run.fingerprint}
    out.write(b'{"info": ' + _json(head) + b',\n"licenses": [],\n"annotations": [')
    listed: list[dict[str, Any]] = []
    n = 0
    for sample in _samples(run):
        sha = sample["image_sha256"]
        if sha is None:
            continue
        if sha not in images:
            images[sha] = len(images) + 1
            listed.append(
                {
                    "id": images[sha],
                    "file_name": sample["image_path"],
                    "width": sample["image_width"],
                    "height": sample["image_height"],
                }
            )
        n += 1
        one = {
            "id": n,
            "image_id": images[sha],
            "caption": _caption(sample, edits),
            "sample_id": sample["sample_id"],
        }
        out.write((b",\n" if n > 1 else b"\n") + _json(one))
    out.write(b'],\n"images": [')
    for i, image in enumerate(listed):
        out.write((b",\n" if i else b"\n") + _json(image))
    out.write(b"]}\n")
    return n


def write_label_studio(run: OpenRun, out: BinaryIO, image_prefix: str = "/data/local-files/?d=") -> int:
    """Label Studio tasks with the sentences judged wrong as predictions (pre-annotations); how many tasks.

    The labelling set-up that fits is LABEL_STUDIO_CONFIG. image_prefix: put before the image's path.
    """
    scorer = (run.findings or {}).get("scorer") or {}
    version = f"{scorer.get('name', 'faultline')}{' (baseline)' if scorer.get('baseline') else ''}"
    flagged = {
        sample: list(found)
        for sample, found in groupby(flagged_sentences(run), key=lambda one: one["sample_index"])
    }
    n = 0
    out.write(b"[")
    for index, sample in enumerate(_samples(run)):
        path = sample["image_path"]
        data = {
            "image": f"{image_prefix}{path}" if path else "",
            "caption": sample["caption"],
            "sample_id": sample["sample_id"],
            "objects": ", ".join(sample["objects"] or ()),
        }
        task: dict[str, Any] = {"data": data}
        if found := flagged.get(index):
            results = [_region(sample["caption"], i, one) for i, one in enumerate(found)]
            task["predictions"] = [{"model_version": version, "result": results}]
        out.write((b",\n" if n else b"\n") + _json(task))
        n += 1
    out.write(b"\n]\n")
    return n


def _region(caption: str, number: int, one: Mapping[str, Any]) -> dict[str, Any]:
    """A text region. Label Studio counts UTF-16 units, as JavaScript does."""
    start, end = (
        len(caption[: one[edge]].encode("utf-16-le", "surrogatepass")) // 2 for edge in ("start", "end")
    )
    return {
        "id": f"s{number}",
        "from_name": "sentence",
        "to_name": "caption",
        "type": "labels",
        "value": {"start": start, "end": end, "text": one["sentence"], "labels": [one["verdict"]]},
        "meta": {"text": [one["reason"]]},
    }


def write_fiftyone(run: OpenRun, out: BinaryIO, edits: Mapping[int, RowEdit]) -> int:
    """`labels.json` of FiftyOne's FiftyOneImageClassificationDataset, one list of labels an image; how many.

    label: "wrong" (a sentence was judged wrong), "not wrong" or "not judged"; the caption is an attribute.
    Give the importer the image folder as data_path. Memory: the captions of the images.
    """
    worst = _worst_alignment(run)
    below = float(read_json(run.need_stage("scores") / "stage.json")["summary"].get("wrong_below", 0.5))
    labels: dict[str, list[dict[str, Any]]] = {}
    for index, sample in enumerate(_samples(run)):
        if not sample["image_path"]:
            continue
        value = worst.get(index)
        said = "not judged" if value is None else ("wrong" if value < below else "not wrong")
        one: dict[str, Any] = {"label": said}
        if value is not None:
            one["confidence"] = 1 - value if said == "wrong" else value
        one["attributes"] = {"caption": _caption(sample, edits), "sample_id": sample["sample_id"]}
        labels.setdefault(str(Path(sample["image_path"]).with_suffix("")), []).append(one)
    out.write(_json({"labels": labels}) + b"\n")
    return len(labels)


def _worst_alignment(run: OpenRun) -> dict[int, float]:
    """sample index -> lowest alignment of its judged sentences."""
    worst: dict[int, float] = {}
    values = (row["value"] for row in _rows(run, "scores", ["value"]))
    for row, value in zip(_rows(run, "facts", ["sample_index"]), values, strict=True):
        if value is not None:
            index = row["sample_index"]
            worst[index] = min(value, worst.get(index, value))
    return worst


def _caption(sample: Mapping[str, Any], edits: Mapping[int, RowEdit]) -> str:
    edit = edits.get(sample["row"])
    return revised(edit) if edit else str(sample["caption"])


def _samples(run: OpenRun) -> Iterator[dict[str, Any]]:
    return _rows(run, "samples", _COLUMNS)


def _rows(run: OpenRun, stage: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    for part in sorted(run.need_stage(stage).glob("part-*.parquet")):
        with pq.ParquetFile(part) as file:
            for batch in file.iter_batches(batch_size=4096, columns=columns):
                yield from batch.to_pylist()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
