"""Maps of many rows: lay out a sample, place the others beside their nearest neighbours in it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.embeddings.neighbours import Neighbours
from core.seams import FloatMatrix

GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


def stratified_sample(
    groups: npt.NDArray[np.integer], size: int, generator: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Sorted indices of `size` rows, from every group in proportion (small groups rounded up).

    groups: (n,) the group of each row, any integers. The result has at least `size` rows unless n is less,
    and at most one more for each group.
    """
    n = len(groups)
    if size >= n:
        return np.arange(n)
    shuffled = generator.permutation(n)
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    _, starts, counts = np.unique(groups[by_group], return_index=True, return_counts=True)
    place = np.arange(n) - np.repeat(starts, counts)
    wanted = np.ceil(counts * (size / n)).astype(np.int64)
    return np.sort(by_group[place < np.repeat(wanted, counts)])


def place_beside(found: Neighbours, anchors: FloatMatrix, generator: np.random.Generator) -> FloatMatrix:
    """(n, 2) places of rows by their nearest anchors (found: (n, k) neighbours among the anchors).

    Beside the nearest anchor, a little towards the others that lie near it on the map; anchors far from the
    nearest one on the map are ignored, because the mean of two distant places belongs to neither.
    """
    places = anchors[found.index].astype(np.float64)
    home = places[:, :1]
    apart = np.linalg.norm(places - home, axis=2)
    reach = 4 * _spacing(anchors)
    weight = np.where(apart <= reach, 1 / (found.distance.astype(np.float64) + 1e-3) ** 2, 0)
    mean = (places * weight[:, :, None]).sum(axis=1) / weight.sum(axis=1, keepdims=True)
    jitter = generator.normal(0, 0.25 * _spacing(anchors), (len(mean), 2))
    placed: FloatMatrix = (mean + jitter).astype(np.float32)
    return placed


def _spacing(anchors: FloatMatrix) -> float:
    """Median distance of an anchor to its nearest one on the map."""
    from scipy.spatial import cKDTree

    if len(anchors) < 2:
        return 0.0
    distance = np.asarray(cKDTree(anchors).query(anchors, k=2)[0])
    return float(np.median(distance[:, 1]))


def spread_copies(
    places: FloatMatrix, group: npt.NDArray[np.int64], first: npt.NDArray[np.int64]
) -> FloatMatrix:
    """(n, 2) places of all rows: equal rows lie in a small disc around the place of their set.

    places: (m, 2) of the sets. group: (n,) set of each row. first: (m,) first row of each set. The disc
    (a sunflower: area in proportion to the number of copies) keeps a thousand copies from being one dot.
    """
    n = len(group)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(first)))
    copy = np.empty(n, np.int64)
    copy[order] = np.arange(n) - starts[group[order]]
    extent = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
    radius = (extent or 1.0) * 8e-4 * np.sqrt(copy)
    turn = copy * GOLDEN_ANGLE
    offset = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    spread: FloatMatrix = (places[group] + offset).astype(np.float32)
    return spread
