"""The natural base dataset: COCO captions with object annotations. Paper: SymbalBench B (natural, 1)."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import DataError

SMALLEST_OBJECT = 0.05
"""Objects under 5 % of the image are dropped, then images without objects."""


@dataclass(frozen=True, slots=True)
class CocoImage:
    """An image with its human captions.

    objects: category -> share of the image its largest instance covers (boxes), objects of at least 5 % only.
    annotated: all categories annotated, tiny ones too: what must not be injected as an error.
    """

    image_id: str
    file_name: str
    captions: tuple[str, ...]
    objects: Mapping[str, float]
    annotated: frozenset[str]


@dataclass(frozen=True, slots=True)
class BaseSample:
    """An image with a caption of two human ones (T) and the others as references (R)."""

    image: CocoImage
    caption: str
    references: tuple[str, ...]


def read_coco(path: Path, instances: Path | None = None) -> list[CocoImage]:
    """Images with at least one object of 5 % and three captions, in file order.

    path: the compact form (JSONL, one image a row with captions and objects), or COCO's own
        `captions_*.json`; then `instances` is its `instances_*.json` (found beside it if not given).
    Raises DataError for a file that is neither.
    """
    rows = _official(path, instances) if _is_official(path) else _compact(path)
    images = []
    for row in rows:
        large = {c: a for c, a in row["areas"].items() if a >= SMALLEST_OBJECT}
        captions = tuple(c for c in (str(c).strip() for c in row["captions"]) if c)
        if large and len(captions) >= 3:
            annotated = frozenset(row["areas"])
            images.append(CocoImage(row["image_id"], row["file_name"], captions, large, annotated))
    if not images:
        raise DataError("no image has captions and an object of at least 5 %", where=str(path))
    return images


def base_dataset(images: list[CocoImage], seed: int) -> list[BaseSample]:
    """T = two captions at random, R = the others; the same for every setting of a seed."""
    generator = np.random.default_rng((seed, 1))
    samples = []
    for image in images:
        order = generator.permutation(len(image.captions))
        caption = " ".join(_sentence(image.captions[i]) for i in order[:2])
        samples.append(BaseSample(image, caption, tuple(image.captions[i] for i in sorted(order[2:]))))
    return samples


def _sentence(caption: str) -> str:
    text = " ".join(caption.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _is_official(path: Path) -> bool:
    return path.suffix == ".json"


def _compact(path: Path) -> Iterator[dict[str, Any]]:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                row = json.loads(line)
                areas: dict[str, float] = defaultdict(float)
                for item in row["objects"]:
                    areas[item["category"]] = max(areas[item["category"]], float(item["area_fraction"]))
                yield {
                    "image_id": str(row["image_id"]),
                    "file_name": row.get("file_name", ""),
                    "captions": row["captions"],
                    "areas": dict(areas),
                }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"the file is not COCO in compact form ({error})",
            where=f"{path}",
            remedy="give captions_*.json and instances_*.json of COCO, or a JSONL with captions and objects",
        ) from error


def _official(path: Path, instances: Path | None) -> Iterator[dict[str, Any]]:
    beside = instances or path.with_name(path.name.replace("captions", "instances"))
    try:
        captions = json.loads(path.read_bytes())
        boxes = json.loads(beside.read_bytes())
        names = {c["id"]: c["name"] for c in boxes["categories"]}
        size = {i["id"]: i["width"] * i["height"] for i in captions["images"]}
        said: dict[int, list[str]] = defaultdict(list)
        for item in captions["annotations"]:
            said[item["image_id"]].append(item["caption"])
        areas: dict[int, dict[str, float]] = defaultdict(dict)
        for item in boxes["annotations"]:
            image, name = item["image_id"], names[item["category_id"]]
            share = item["area"] / size[image]
            areas[image][name] = max(areas[image].get(name, 0.0), share)
        for image in captions["images"]:
            yield {
                "image_id": str(image["id"]),
                "file_name": image.get("file_name", ""),
                "captions": said[image["id"]],
                "areas": areas[image["id"]],
            }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"COCO's annotations cannot be read ({error!r})",
            where=f"{path}, {beside}",
            remedy="give captions_val2017.json with instances_val2017.json beside it",
        ) from error
