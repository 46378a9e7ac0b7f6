"""What a map is drawn from: places, alignments and groups of its points, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from core.errors import DataError, RunError
from core.runs.files import read_json
from core.runs.keys import tagged_hash
from core.views.open_run import OpenRun
from core.views.stage_rows import rows_at

Kind = Literal["facts", "images"]
KINDS: tuple[Kind, ...] = ("facts", "images")
STAGE_OF: Mapping[Kind, str] = {"facts": "fact_map", "images": "image_map"}
SIDE = 65_535
"""Places lie in 0..SIDE on the longer axis; both axes share one scale, the shorter is centred."""

_Stages = tuple[tuple[str, Path, int], ...]
_NEEDED: Mapping[Kind, tuple[str, ...]] = {
    "facts": ("fact_map", "facts", "scores", "samples"),
    "images": ("image_map", "facts", "scores", "samples"),
}
_USED_IF_THERE = ("fact_grouping", "text_clusters")
_NO_MAP = "resume the run to draw its map"


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """A cluster of facts as ranked. mean_alignment: higher = better aligned; rank None = not ranked.

    name: the textual fact it stands for, "" if none.
    """

    cluster_id: int
    size: int
    mean_alignment: float | None
    rank: int | None
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class MapData:
    """The n points of one map; the row in every array is the id of a point.

    places: (n, 2) uint16. by_height: rows in ascending order of y. alignment: (n,) float64, higher =
    better aligned, NaN = unscored; of an image, the mean of its facts. wrong: (n,) whether the fact, or any
    fact of the image, counts as wrong. cluster: (n,) int32 cluster of
    each fact, -1 = none, None for images. sample: (n,) int64 row of the sample (of an image, its first).
    captioner: (n,) int64 into `captioners` (most frequent first), -1 = not said. image: (n_samples,) row
    of each sample's image among the distinct images, -1 = none. shas: of the distinct images.
    clusters: worst first. version: changes with anything above.
    """

    kind: Kind
    version: str
    summary: Mapping[str, Any]
    places: npt.NDArray[np.uint16]
    by_height: npt.NDArray[np.int64]
    alignment: npt.NDArray[np.float64]
    wrong: npt.NDArray[np.bool_]
    cluster: npt.NDArray[np.int32] | None
    sample: npt.NDArray[np.int64]
    captioner: npt.NDArray[np.int64]
    captioners: tuple[str, ...]
    image: npt.NDArray[np.int64]
    shas: tuple[str, ...]
    clusters: tuple[Ranked, ...]

    @property
    def n(self) -> int:
        return len(self.places)


def map_kind(text: str) -> Kind:
    """The kind of map of this name. Raises DataError for any other name."""
    for kind in KINDS:
        if kind == text:
            return kind
    raise DataError("there is no such map", value=text, remedy="choose 'facts' or 'images'")


def has_map(run: OpenRun, kind: Kind) -> bool:
    """Whether this run has places for this map."""
    return run.stage(STAGE_OF[kind]) is not None


def map_data(run: OpenRun, kind: Kind) -> MapData:
    """Read a map; kept in memory while the stages stay the same. Raises RunError if there is none."""
    if not has_map(run, kind):
        raise RunError(f"this run has no map of its {kind}", where=run.run_id, remedy=_NO_MAP)
    names = [*_NEEDED[kind], *(s for s in _USED_IF_THERE if run.stage(s) is not None)]
    return _load(kind, tuple((name, *_committed(run.need_stage(name))) for name in names))


def quantise(places: npt.NDArray[np.floating]) -> npt.NDArray[np.uint16]:
    """(n, 2) places as uint16 on one scale for both axes, so that shapes keep their proportions.

    Raises RunError if a place is no number.
    """
    if places.ndim != 2 or places.shape[1] != 2 or not np.isfinite(places).all():
        raise RunError("the map of this run is damaged", value=f"shape {places.shape}", remedy=_NO_MAP)
    if not len(places):
        return np.zeros((0, 2), np.uint16)
    low, high = places.min(axis=0).astype(np.float64), places.max(axis=0).astype(np.float64)
    span = float((high - low).max()) or 1.0
    centred = (places - (low + high) / 2) / span + 0.5
    return np.asarray(np.clip(np.rint(centred * SIDE), 0, SIDE), np.uint16)


@lru_cache(maxsize=6)
def _load(kind: Kind, stages: _Stages) -> MapData:
    folders = {name: folder for name, folder, _ in stages}
    places = quantise(_array(folders[STAGE_OF[kind]]))
    values = _column(folders["scores"], "value")
    alignment = np.asarray(pc.fill_null(values, np.nan).to_numpy(), np.float64)
    wrong = alignment < float(_summary(folders["scores"]).get("wrong_below", 0.5))
    sample = np.asarray(_column(folders["facts"], "sample_index").to_numpy(), np.int64)
    image, shas = _images(_column(folders["samples"], "image_sha256"))
    cluster = None
    if kind == "facts" and "fact_grouping" in folders:
        cluster = np.asarray(_column(folders["fact_grouping"], "cluster").to_numpy(), np.int32)
    if kind == "images":
        wrong = np.bincount(image[sample][wrong & (image[sample] >= 0)], minlength=len(shas)) > 0
        alignment, sample = _of_images(alignment, image[sample], image, len(shas))
    if not len(places) == len(alignment) == len(sample):
        raise RunError("the map does not fit the facts of this run", value=len(places), remedy=_NO_MAP)
    captioners, code = _captioners(_column(folders["samples"], "captioner"))
    return MapData(
        kind=kind,
        version=tagged_hash([[name, folder.name] for name, folder, _ in stages], "faultline-map")[:20],
        summary=_summary(folders[STAGE_OF[kind]]),
        places=places,
        by_height=np.argsort(places[:, 1], kind="stable"),
        alignment=alignment,
        wrong=wrong,
        cluster=cluster,
        sample=sample,
        captioner=code[sample],
        captioners=captioners,
        image=image,
        shas=shas,
        clusters=_ranked(folders["text_clusters"]) if "text_clusters" in folders else (),
    )


def _of_images(
    alignment: npt.NDArray[np.float64],
    image_of_fact: npt.NDArray[np.int64],
    image: npt.NDArray[np.int64],
    n: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Mean alignment of each image's facts (NaN without a scored one), and its first sample."""
    scored = (image_of_fact >= 0) & ~np.isnan(alignment)
    counts = np.bincount(image_of_fact[scored], minlength=n)
    sums = np.bincount(image_of_fact[scored], weights=alignment[scored], minlength=n)
    means = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)
    _, first = np.unique(image[image >= 0], return_index=True)
    return means, np.flatnonzero(image >= 0)[first]


def _images(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Row of each sample's image among the distinct images in order of first appearance, and their hashes."""
    shas = list(dict.fromkeys(s for s in column.to_pylist() if s is not None))
    index = pc.index_in(column, value_set=pa.array(shas, pa.string()))
    return np.asarray(pc.fill_null(index, -1).to_numpy(), np.int64), tuple(shas)


def _captioners(column: pa.ChunkedArray) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    counts = pc.value_counts(column.drop_null()).to_pylist()
    names = [c["values"] for c in sorted(counts, key=lambda c: (-c["counts"], c["values"]))]
    index = pc.index_in(column, value_set=pa.array(names, pa.string()))
    return tuple(names), np.asarray(pc.fill_null(index, -1).to_numpy(), np.int64)


def _ranked(folder: Path) -> tuple[Ranked, ...]:
    """The clusters, ranked ones first, worst first."""
    rows = _table(folder, ["cluster_id", "size", "mean_alignment", "rank", "textual_facts"]).to_pylist()
    found = [
        Ranked(r["cluster_id"], r["size"], r["mean_alignment"], r["rank"], next(iter(r["textual_facts"]), ""))
        for r in rows
    ]
    return tuple(sorted(found, key=lambda c: (c.rank is None, c.rank or 0, c.cluster_id)))


@lru_cache(maxsize=2)
def _texts(folder: Path, committed_ns: int) -> pa.ChunkedArray:
    return _column(folder, "text")


def fact_texts(run: OpenRun) -> pa.ChunkedArray:
    """The sentences of all facts, in order; kept in memory for the run looked at."""
    return _texts(*_committed(run.need_stage("facts")))


def sample_rows(run: OpenRun) -> npt.NDArray[np.int64]:
    """(n_facts,) row of each fact's sample."""
    return np.asarray(_column(run.need_stage("facts"), "sample_index").to_numpy(), np.int64)


def texts_at(run: OpenRun, data: MapData, ids: Sequence[int]) -> list[str]:
    """The sentence of each fact, or the caption of each image; only the rows asked for are read.

    Raises DataError if an id is not on the map.
    """
    if any(not 0 <= i < data.n for i in ids):
        raise DataError("the map has no such point", value=str(list(ids)[:5]))
    if data.kind == "facts":
        return [row["text"] for row in rows_at(run.need_stage("facts"), ("text",), ids)]
    samples = [int(data.sample[i]) for i in ids]
    return [row["caption"] for row in rows_at(run.need_stage("samples"), ("caption",), samples)]


def stage_summary(run: OpenRun, stage: str) -> Mapping[str, Any]:
    """The summary of a finished stage, {} if the run has none."""
    folder = run.stage(stage)
    return {} if folder is None else _summary(folder)


def vector_parts(run: OpenRun) -> list[npt.NDArray[np.float32]]:
    """The parts of the fact vectors, memory-mapped."""
    folder = run.need_stage("fact_vectors")
    try:
        return [np.load(p, mmap_mode="r", allow_pickle=False) for p in sorted(folder.glob("part-*.npy"))]
    except (OSError, ValueError) as e:
        raise _damaged(folder, e) from None


def _array(folder: Path) -> npt.NDArray[np.float32]:
    try:
        parts = [np.load(p, allow_pickle=False) for p in sorted(folder.glob("part-*.npy"))]
    except (OSError, ValueError) as e:
        raise _damaged(folder, e) from None
    return np.concatenate(parts) if parts else np.zeros((0, 2), np.float32)


def _column(folder: Path, name: str) -> pa.ChunkedArray:
    return _table(folder, [name])[name]


def _table(folder: Path, columns: list[str]) -> pa.Table:
    try:
        return pq.read_table(sorted(folder.glob("part-*.parquet")), columns=columns)
    except (OSError, ValueError, pa.ArrowException) as e:
        raise _damaged(folder, e) from None


def _summary(folder: Path) -> Mapping[str, Any]:
    record = read_json(folder / "stage.json")
    found = record.get("summary") if isinstance(record, dict) else None
    return found if isinstance(found, dict) else {}


def _committed(folder: Path) -> tuple[Path, int]:
    try:
        return folder, (folder / "stage.json").stat().st_mtime_ns
    except OSError as e:
        raise _damaged(folder, e) from None


def _damaged(folder: Path, cause: Exception) -> RunError:
    return RunError(
        "a finished stage of this run is missing or damaged",
        where=str(folder),
        value=str(cause),
        remedy="resume the run, which computes it again",
    )
