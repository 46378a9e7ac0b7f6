"""Nearest rows by cosine: exact, or through fewer dimensions with exact distances at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.seams import FloatMatrix, IntVector
from core.vectors.row_blocks import BlockPool

SPARE = 10
"""Candidates beyond those wanted when they are looked for in fewer dimensions."""
QUERIES_AT_ONCE = 4096
GATHERED_AT_ONCE = 256


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """index: (n, k) int32, nearest first. distance: (n, k) float32, 1 - cosine, ascending, >= 0."""

    index: npt.NDArray[np.int32]
    distance: FloatMatrix


def nearest_rows(
    queries: FloatMatrix,
    rows: FloatMatrix,
    k: int,
    pool: BlockPool,
    reduced: tuple[FloatMatrix, FloatMatrix] | None = None,
) -> Neighbours:
    """The k of (m, d) unit `rows` nearest to each of (n, d) unit `queries`, by exact cosine distance.

    reduced: the same queries and rows in fewer dimensions: candidates are looked for there (k + 10 of
        them), and only their distances are exact; a true neighbour outside the candidates is missed.
    """
    import faiss

    wide = k if reduced is None else min(k + SPARE, len(rows))
    few_queries, few_rows = (queries, rows) if reduced is None else reduced
    index = faiss.IndexFlatL2(few_rows.shape[1])
    index.add(np.ascontiguousarray(few_rows))

    def work(start: int, stop: int) -> tuple[IntVector, FloatMatrix]:
        faiss.omp_set_num_threads(1)  # of this thread: the pool's threads share the cores already
        near = index.search(np.ascontiguousarray(few_queries[start:stop]), wide)[1]
        distance = np.empty(near.shape, np.float32)
        for at in range(0, len(near), GATHERED_AT_ONCE):
            some = slice(at, at + GATHERED_AT_ONCE)
            np.einsum("nd,nkd->nk", queries[start:stop][some], rows[near[some]], out=distance[some])
        distance = np.maximum(1 - distance, 0)
        order = np.argsort(distance, axis=1, kind="stable")[:, :k]
        chosen = np.take_along_axis(near, order, axis=1).astype(np.int32)
        return chosen, np.take_along_axis(distance, order, axis=1)

    parts = pool.map(work, len(queries), QUERIES_AT_ONCE)
    return Neighbours(np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]))


def self_first(found: Neighbours) -> Neighbours:
    """Neighbours of rows among themselves with the row itself in front, whatever ties did to its place."""
    own = np.arange(len(found.index), dtype=np.int32)[:, None]
    others = found.index != own
    missing = others.all(axis=1)
    others[missing, -1] = False  # the row is not among its own neighbours: the farthest gives way
    shape = (len(own), found.index.shape[1] - 1)
    index = np.concatenate([own, found.index[others].reshape(shape)], axis=1)
    rest = found.distance[others].reshape(shape)
    distance = np.concatenate([np.zeros((len(own), 1), np.float32), rest], axis=1)
    return Neighbours(index, distance)
