"""COCO captions: one record an annotation with its image's file name; objects from instances beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.dataset.raw_bytes import open_bytes, problem
from core.domain.sample import RowProblem
from core.errors import DataError

Record = Mapping[str, object]


def is_coco_captions(value: object) -> bool:
    """Whether a JSON object holds COCO's lists, with captions in its annotations."""
    if not isinstance(value, dict) or not isinstance(value.get("images"), list):
        return False
    annotations = value.get("annotations")
    if not isinstance(annotations, list):
        return False
    return not annotations or (isinstance(annotations[0], dict) and "caption" in annotations[0])


def coco_rows(path: Path, value: Mapping[str, Any]) -> Iterator[tuple[int, Record] | RowProblem]:
    """Annotations in order as records {"id", "image_id", "image", "caption", "objects"}; row = place, from 1.

    objects: names of the categories in `instances_*.json` beside `captions_*.json`, only if that is there.
    """
    names = {i["id"]: i.get("file_name") for i in value["images"] if isinstance(i, dict) and "id" in i}
    objects = _objects(path)
    for row, one in enumerate(value["annotations"], 1):
        if not isinstance(one, dict):
            yield problem(path, row, "not a record", "expected an annotation, a JSON object", one)
            continue
        image_id = one.get("image_id")
        record: dict[str, object] = {k: v for k, v in one.items() if k not in ("image", "objects")}
        record["image"] = names.get(image_id) if isinstance(image_id, int | str) else None
        if objects is not None:
            record["objects"] = objects.get(image_id, [])
        yield row, record


def instances_beside(path: Path) -> Path | None:
    """The instances file of the same name, if there is one."""
    if "captions" not in path.name:
        return None
    found = path.with_name(path.name.replace("captions", "instances"))
    return found if found != path and found.is_file() else None


def _objects(path: Path) -> dict[object, list[str]] | None:
    """image id -> names of the categories in it, each once; None if there is no instances file."""
    beside = instances_beside(path)
    if beside is None:
        return None
    with open_bytes(beside) as stream:
        try:
            value = json.loads(stream.read().decode("utf-8-sig"))
            names = {c["id"]: str(c["name"]) for c in value["categories"]}
            found: dict[object, dict[str, None]] = {i["id"]: {} for i in value["images"]}
            for one in value["annotations"]:
                found.setdefault(one["image_id"], {})[names[one["category_id"]]] = None
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"the instances beside the captions cannot be read ({error!r})",
                where=str(beside),
                remedy="repair the file, or move it away to audit without objects",
            ) from None
    return {image: list(objects) for image, objects in found.items()}
