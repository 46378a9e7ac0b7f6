"""One pass over the rows that gives the silhouette of a partition and the next one.

A single product of the rows with the cluster means serves both: the mean similarities are the silhouette,
and, weighted by |C|/|S_C| and added up over clusters that are being joined, the cosines to the centroids of
the merged clusters. The sweep thus costs one matrix product a K.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.clusters.silhouette import own_and_nearest, silhouette_values
from core.clusters.spherical_kmeans import Partition, joined_sums
from core.seams import FloatMatrix, IntVector
from core.vectors.row_blocks import BlockPool


def fused_pass(
    rows: FloatMatrix, part: Partition, parent: IntVector, pool: BlockPool
) -> tuple[float, IntVector]:
    """Mean silhouette of `part` and, for every row, the nearest centroid after joining as `parent` says.

    parent: (K,) id in 0..k-1 of the merged cluster each cluster becomes part of; the labels returned are
    such ids. With one cluster the silhouette is 0.
    """
    means = np.ascontiguousarray((part.sums / part.counts[:, None]).T.astype(np.float32))
    weight = _centroid_weights(part, parent)
    rounds, gone = _column_rounds(parent)
    no_other = np.empty(0, np.float32)

    def work(start: int, stop: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], IntVector]:
        near = pool.product(rows[start:stop], means)
        similar = own_and_nearest(near, part.labels[start:stop]) if part.k > 1 else (no_other, no_other)
        near *= weight
        for into, added in rounds:
            near[:, into] += near[:, added]
        near[:, gone] = -np.inf
        return *similar, parent[near.argmax(axis=1)]

    mine, other, nearest = (np.concatenate(found) for found in zip(*pool.map(work, len(rows)), strict=True))
    if part.k < 2:
        return 0.0, nearest
    return float(silhouette_values(mine, other, part.counts[part.labels])[0].mean()), nearest


def _column_rounds(parent: IntVector) -> tuple[list[tuple[IntVector, IntVector]], IntVector]:
    """How to add up the columns of merged clusters: (into, added) a round, and the columns that then go.

    The first member's column receives one other member of its cluster in every round.
    """
    order = np.argsort(parent, kind="stable").astype(np.int32)
    first = np.unique(parent[order], return_index=True)[1]
    place = np.arange(len(parent)) - first[parent[order]]
    into = order[first[parent[order]]]
    rounds = [(into[place == turn], order[place == turn]) for turn in range(1, int(place.max()) + 1)]
    return rounds, order[place > 0]


def _centroid_weights(part: Partition, parent: IntVector) -> npt.NDArray[np.float32]:
    """(K,) what turns x.S_C/|C| into C's share of the cosine of x to the centroid of C's merged cluster."""
    lengths = np.linalg.norm(joined_sums(part.sums, parent), axis=1)
    inverse = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1), 0)
    return (part.counts * inverse[parent]).astype(np.float32)
