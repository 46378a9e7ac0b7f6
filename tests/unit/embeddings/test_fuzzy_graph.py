"""The graph UMAP lays out is umap-learn's own."""

import numpy as np
import pytest

from core.embeddings.fuzzy_graph import fuzzy_graph
from core.embeddings.neighbours import Neighbours, nearest_rows, self_first
from core.vectors.row_blocks import BlockPool


def unit(n, d, seed=0):
    rows = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def neighbours(rows, k):
    with BlockPool() as pool:
        return self_first(nearest_rows(rows, rows, k, pool))


@pytest.mark.parametrize("copies", [0, 40])
def test_equals_that_of_umap_learn(copies):
    from umap.umap_ import fuzzy_simplicial_set

    rows = unit(300, 16)
    rows[:copies] = rows[0]
    found = neighbours(rows, 15)
    theirs, _, _ = fuzzy_simplicial_set(
        rows, 15, np.random.RandomState(0), "cosine", knn_indices=found.index, knn_dists=found.distance
    )
    ours = fuzzy_graph(found).tocsr()
    assert abs(ours - theirs).max() < 1e-4
    assert ours.nnz == theirs.tocsr().nnz


def test_is_symmetric_with_strengths_above_zero_up_to_one():
    graph = fuzzy_graph(neighbours(unit(200, 8), 10)).tocsr()
    assert abs(graph - graph.T).max() < 1e-6
    assert graph.data.min() > 0
    assert graph.data.max() <= 1 + 1e-6
    assert graph.diagonal().max() == 0


def test_all_neighbours_at_distance_zero_are_fully_joined():
    found = Neighbours(np.array([[0, 1], [1, 0]], np.int32), np.zeros((2, 2), np.float32))
    assert fuzzy_graph(found).toarray().tolist() == [[0, 1], [1, 0]]
