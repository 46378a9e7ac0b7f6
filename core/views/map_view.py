"""What the Fact map page shows around the points: labels, captions, the curve of K; and the bytes it sends.

Points travel as typed arrays without text: places as uint16, colours as uint8, filters as bits; the row is
the id. Sentences are asked for by id.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.runs.keys import tagged_hash
from core.views.map_colours import N_GROUPS, By
from core.views.map_data import SIDE, STAGE_OF, Kind, MapData, stage_summary
from core.views.map_selection import Mask
from core.views.numbers import count, counted, decimal
from core.views.open_run import OpenRun, labels_of

MAX_IDS = 50
"""Texts of at most this many points are given at once."""
_LINE = 0.05
_WIDTH = 0.2
METHODS = {"umap": "UMAP", "pca": "principal components (PCA)"}
WHAT = {"facts": "sentence", "images": "image"}


@dataclass(frozen=True, slots=True)
class MapLabel:
    """The name of a cluster at the median of its places. code: its colour among the worst clusters."""

    x: int
    y: int
    text: str
    cluster: int
    code: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """silhouette: -1..1, higher = clusters further apart. chosen: this K was taken."""

    k: int
    silhouette: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class CurveView:
    """The silhouette of every K tried, and what it means. lines: short sentences below it."""

    points: tuple[CurvePoint, ...]
    k: int
    title: str
    lines: tuple[str, ...]


def places_bytes(data: MapData) -> bytes:
    """x, y of every point, interleaved, little-endian uint16: 4 bytes a point."""
    return data.places.astype("<u2", copy=False).tobytes()


def mask_bytes(mask: Mask) -> bytes:
    """One bit a point, the lowest bit of a byte first."""
    return np.packbits(mask, bitorder="little").tobytes()


def colour_version(run: OpenRun, data: MapData, by: By) -> str:
    """Changes whenever the codes of `by` change."""
    parts: list[object] = [data.version, by]
    if by == "verdict":
        statuses = labels_of(run.workspace, run.fingerprint).statuses() if run.fingerprint else {}
        parts.append(sorted([target, dict(status.counts)] for target, status in statuses.items()))
        parts.append(run.stage("findings") and str(run.stage("findings")))
    return tagged_hash(parts, "faultline-map-colour")[:20]


def cluster_labels(data: MapData, chosen: int | None = None) -> tuple[MapLabel, ...]:
    """Names of the worst clusters, and of the one chosen, moved apart where they would cover each other.

    Clusters of one name side by side are named once.
    """
    if data.cluster is None:
        return ()
    worst = [c for c in data.clusters if c.rank is not None][:N_GROUPS]
    named = [(c, code) for code, c in enumerate(worst) if c.name]
    if chosen is not None and all(c.cluster_id != chosen for c, _ in named):
        named += [(c, -1) for c in data.clusters if c.cluster_id == chosen]
    labels: list[MapLabel] = []
    for c, code in named:
        places = data.places[data.cluster == c.cluster_id]
        if not len(places):
            continue
        x, y = (int(v) for v in np.median(places, axis=0))
        beside = [o for o in labels if abs(x - o.x) < _WIDTH * SIDE]
        if any(o.text == c.name and abs(y - o.y) < 2 * _LINE * SIDE for o in beside):
            continue
        step = int(_LINE * SIDE / 4) * (1 if y < SIDE / 2 else -1)
        for _ in range(4 * len(beside)):
            if all(abs(y - o.y) >= _LINE * SIDE for o in beside):
                break
            y += step
        labels.append(MapLabel(x, y, c.name or f"cluster {c.cluster_id}", c.cluster_id, code))
    return tuple(labels)


def map_captions(run: OpenRun, kind: Kind) -> tuple[str, ...]:
    """How the map was made and how far to trust it, in sentences."""
    summary = stage_summary(run, STAGE_OF[kind])
    what, n, fitted = WHAT[kind], summary.get("n_points") or 0, summary.get("n_fitted") or 0
    method = METHODS.get(str(summary.get("method")), str(summary.get("method") or "an unknown method"))
    said = f"Drawn by {method} from the vectors of {counted(n, what)}"
    if 0 < fitted < n and not summary.get("note"):
        said += f", {count(fitted)} of them different; equal ones lie in a small disc"
    lines = [said + "."]
    trust = summary.get("trustworthiness")
    if isinstance(trust, int | float):
        lines.append(
            f"Trustworthiness {decimal(float(trust), 3)}: how far the neighbours on the map are neighbours "
            "in the full vectors; 1 = all of them, 0.5 = about as by chance."
        )
    if summary.get("note"):
        note = str(summary["note"])
        lines.append(f"{note[0].upper()}{note[1:].rstrip('.')}.")
    near = "say similar things" if kind == "facts" else "look alike"
    lines.append(
        f"Points close together {near}. Distances between far groups mean nothing, "
        "and clusters were not made from this map but from the full vectors."
    )
    return tuple(lines)


def curve_view(run: OpenRun) -> CurveView | None:
    """The silhouette-K curve of the grouping of facts; None if the run has none."""
    summary = stage_summary(run, "fact_grouping")
    k, effective = int(summary.get("k") or 0), int(summary.get("effective_k") or 0)
    curve = [p for p in summary.get("curve") or () if p.get("silhouette") is not None]
    if not k or not curve:
        return None
    points = tuple(
        CurvePoint(int(p["k"]), float(p["silhouette"]), int(p["k"]) == k)
        for p in sorted(curve, key=lambda p: int(p["k"]))
    )
    lines = [
        "Silhouette: how much nearer sentences are to their own cluster than to the next; "
        "higher = clusters further apart.",
        "The K with the highest silhouette was chosen. It is biased low where clusters overlap, so look "
        "for a plateau and not only for the peak.",
    ]
    if effective != k:
        lines.insert(
            0,
            f"Effective K is {effective}: so many clusters are left once copies and tiny ones joined others.",
        )
    if summary.get("note"):
        lines.append(f"{str(summary['note'])[0].upper()}{str(summary['note'])[1:].rstrip('.')}.")
    title = f"K = {k} clusters of sentences" + ("" if effective == k else f", effective K = {effective}")
    return CurveView(points, k, title, tuple(lines))
