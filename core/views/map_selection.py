"""Which points of a map are meant, and what they say: filters, polygons, neighbours by meaning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from core.errors import DataError
from core.views.findings import feature_name, findings_of
from core.views.map_data import MapData, fact_texts, sample_rows, texts_at, vector_parts
from core.views.numbers import NOTHING, decimal, share
from core.views.open_run import OpenRun
from core.views.stage_rows import rows_at

MAX_VERTICES = 10_000
MAX_TEXT = 200
NEIGHBOURS = 20
Mask = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which points are shown. low, high: alignment, both ends kept; None = no bound.

    A bound leaves the unscored out. cluster: id, None = all. text: what a sentence contains, any case.
    """

    low: float | None = None
    high: float | None = None
    cluster: int | None = None
    text: str = ""

    @property
    def is_empty(self) -> bool:
        return self == Filter()


@dataclass(frozen=True, slots=True)
class PointRow:
    """One point in words. value: alignment, higher = better aligned, None = unscored."""

    point: int
    text: str
    sample_id: str
    captioner: str
    value: float | None
    wrong: bool
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class FindingLink:
    """A finding whose cluster holds some of the points. n: how many."""

    finding_id: str
    title: str
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Chosen points, worst first, unscored last.

    share_wrong: of the scored sentences, or of the images with one, how many are (or have one) wrong.
    """

    ids: Ids
    n_scored: int
    mean_alignment: str
    share_wrong: str
    findings: tuple[FindingLink, ...]


def filter_mask(run: OpenRun, data: MapData, chosen: Filter) -> Mask:
    """(n,) whether each point passes. Raises DataError for a cluster or text the map cannot have."""
    passes = np.ones(data.n, np.bool_)
    if chosen.low is not None:
        passes &= data.alignment >= chosen.low
    if chosen.high is not None:
        passes &= data.alignment <= chosen.high
    if chosen.cluster is not None:
        if data.cluster is None:
            raise DataError("this map has no clusters", value=chosen.cluster)
        passes &= data.cluster == chosen.cluster
    if chosen.text:
        passes &= _contains(run, data, chosen.text)
    return passes


def _contains(run: OpenRun, data: MapData, text: str) -> Mask:
    if len(text) > MAX_TEXT:
        raise DataError(f"a search has at most {MAX_TEXT} characters", value=len(text))
    found = pc.match_substring(fact_texts(run), text, ignore_case=True)
    facts = np.asarray(pc.fill_null(found, False).to_numpy(), np.bool_)
    if data.kind == "facts":
        return facts
    hits = data.image[sample_rows(run)[facts]]
    mask = np.zeros(data.n, np.bool_)
    mask[hits[hits >= 0]] = True
    return mask


def polygon_of(value: object) -> npt.NDArray[np.float64] | None:
    """(m, 2) vertices as a browser sent them; None if they are no polygon."""
    if not isinstance(value, list) or not 3 <= len(value) <= MAX_VERTICES:
        return None
    if not all(isinstance(p, list) and len(p) == 2 and all(_is_number(v) for v in p) for p in value):
        return None
    return np.asarray(value, np.float64)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def inside(data: MapData, polygon: npt.NDArray[np.float64]) -> Mask:
    """(n,) whether each place lies in the polygon (m, 2), by the even-odd rule.

    Each edge looks only at the places between its ends' heights.
    """
    heights = data.places[data.by_height, 1]
    across = data.places[data.by_height, 0]
    odd = np.zeros(data.n, np.bool_)
    for (x1, y1), (x2, y2) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if y1 == y2:
            continue
        if y1 > y2:
            x1, y1, x2, y2 = x2, y2, x1, y1
        start, stop = _first_at(heights, y1), _first_at(heights, y2)
        if start < stop:
            crossing = x1 + (heights[start:stop] - y1) * ((x2 - x1) / (y2 - y1))
            odd[start:stop] ^= across[start:stop] < crossing
    result = np.empty(data.n, np.bool_)
    result[data.by_height] = odd
    return result


def _first_at(heights: npt.NDArray[np.uint16], y: float) -> int:
    """First place at least this high."""
    bound = math.ceil(y)
    if bound > np.iinfo(np.uint16).max:
        return len(heights)
    return int(np.searchsorted(heights, np.uint16(max(bound, 0))))


def select(run: OpenRun, data: MapData, mask: Mask) -> Selection:
    """The points of a mask with their numbers."""
    ids = np.flatnonzero(mask)
    values = data.alignment[ids]
    ids = ids[np.argsort(values, kind="stable")]
    scored = values[~np.isnan(values)]
    return Selection(
        ids=ids,
        n_scored=len(scored),
        mean_alignment=decimal(float(scored.mean())) if len(scored) else NOTHING,
        share_wrong=share(int(data.wrong[ids].sum()), len(scored)),
        findings=_links(run, data, ids),
    )


def _links(run: OpenRun, data: MapData, ids: Ids) -> tuple[FindingLink, ...]:
    """Findings whose cluster of sentences holds chosen points, most points first."""
    if data.cluster is None or run.findings is None or not len(ids):
        return ()
    counts = np.bincount(data.cluster[ids] + 1)
    links = []
    for f in findings_of(run):
        place = int(f["text_cluster"]["id"]) + 1
        n = int(counts[place]) if place < len(counts) else 0
        if n:
            title = f"{f['textual_fact']['text']} ← {feature_name(f)}"
            links.append(FindingLink(f["finding_id"], title, n))
    return tuple(sorted(links, key=lambda link: -link.n))


def point_rows(
    run: OpenRun, data: MapData, ids: Sequence[int], similarity: Sequence[float] | None = None
) -> tuple[PointRow, ...]:
    """Points in words, in the order asked for."""
    texts = texts_at(run, data, ids)
    samples = rows_at(
        run.need_stage("samples"), ("sample_id", "captioner"), [int(data.sample[i]) for i in ids]
    )
    rows = []
    for place, (i, text, sample) in enumerate(zip(ids, texts, samples, strict=True)):
        value = float(data.alignment[i])
        known = None if math.isnan(value) else value
        rows.append(
            PointRow(
                int(i),
                text,
                sample["sample_id"],
                sample["captioner"] or "",
                known,
                bool(data.wrong[i]),
                None if similarity is None else similarity[place],
            )
        )
    return tuple(rows)


def image_strip(data: MapData, ids: Ids, limit: int) -> tuple[tuple[str, int], ...]:
    """(sha256, point) of the first distinct images behind these points, at most `limit`."""
    found: dict[int, int] = {}
    for start in range(0, len(ids), 4096):
        chunk = ids[start : start + 4096]
        rows = chunk if data.kind == "images" else data.image[data.sample[chunk]]
        for row, point in zip(rows.tolist(), chunk.tolist(), strict=True):
            if row >= 0:
                found.setdefault(row, point)
                if len(found) == limit:
                    break
        if len(found) == limit:
            break
    return tuple((data.shas[row], point) for row, point in found.items())


def nearest(run: OpenRun, data: MapData, fact: int) -> tuple[tuple[int, float], ...]:
    """(fact, cosine) of the facts nearest in meaning with texts of their own, nearest first.

    Cosine of the sentence vectors of the run: 1 = same meaning. Raises DataError for images.
    """
    if data.kind != "facts" or not 0 <= fact < data.n:
        raise DataError("neighbours by meaning belong to a fact of the map", value=fact)
    parts = vector_parts(run)
    starts = np.cumsum([0, *(len(p) for p in parts)])
    part = int(np.searchsorted(starts, fact, side="right")) - 1
    own = np.asarray(parts[part][fact - starts[part]], np.float32)
    cosines = np.concatenate([p @ own for p in parts])
    cosines[fact] = -np.inf
    return _distinct(run, fact, cosines)


def _distinct(run: OpenRun, fact: int, cosines: npt.NDArray[np.float32]) -> tuple[tuple[int, float], ...]:
    """The best with distinct texts; looks further while copies of one sentence fill the list."""
    texts = fact_texts(run)
    found: dict[str, tuple[int, float]] = {}
    own = texts[fact].as_py()
    n_looked = 4 * NEIGHBOURS
    while True:
        n_looked = min(n_looked, len(cosines) - 1)
        best = np.argpartition(-cosines, max(n_looked - 1, 0))[:n_looked]
        for i in best[np.argsort(-cosines[best], kind="stable")].tolist():
            text = texts[i].as_py()
            if text != own and len(found) < NEIGHBOURS:
                found.setdefault(text, (i, float(cosines[i])))
        if len(found) >= NEIGHBOURS or n_looked >= len(cosines) - 1:
            return tuple(found.values())
        n_looked *= 8
