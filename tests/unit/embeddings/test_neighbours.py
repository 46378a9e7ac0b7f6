"""Nearest rows by cosine, and samples and places that follow from them."""

import numpy as np
import pytest

from core.embeddings.neighbours import Neighbours, nearest_rows, self_first
from core.embeddings.place_rest import place_beside, spread_copies, stratified_sample
from core.vectors.leading_directions import projected
from core.vectors.row_blocks import BlockPool, equal_rows


def unit(n, d, seed=0):
    rows = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_are_those_of_all_distances():
    rows, queries = unit(500, 24), unit(60, 24, seed=1)
    with BlockPool() as pool:
        found = nearest_rows(queries, rows, 7, pool)
    distance = 1 - queries @ rows.T
    assert np.allclose(found.distance, np.sort(distance, axis=1)[:, :7], atol=1e-5)
    assert (found.index == np.argsort(distance, axis=1, kind="stable")[:, :7]).mean() > 0.99


def test_search_in_fewer_dimensions_gives_exact_distances_of_most_true_neighbours():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(3000, 20)) @ rng.normal(size=(20, 128)) + 0.1 * rng.normal(size=(3000, 128))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    with BlockPool() as pool:
        few = projected(rows, 32, np.random.default_rng(0), pool)
        assert few.shape == (3000, 32)
        fast = nearest_rows(rows, rows, 10, pool, (few, few))
        exact = nearest_rows(rows, rows, 10, pool)
    shared = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(fast.index, exact.index, strict=True)])
    assert shared > 0.95
    true = 1 - np.einsum("nd,nkd->nk", rows, rows[fast.index])
    assert np.allclose(fast.distance, np.maximum(true, 0), atol=1e-5)


def test_threads_change_nothing():
    rows = unit(9000, 16)
    found = []
    for threads in (1, 3):
        with BlockPool(threads) as pool:
            found.append(nearest_rows(rows, rows, 5, pool))
    assert np.array_equal(found[0].index, found[1].index)
    assert np.array_equal(found[0].distance, found[1].distance)


def test_the_row_itself_comes_first_also_among_copies():
    index = np.array([[1, 0, 2], [0, 2, 3], [2, 0, 1], [3, 1, 2]], np.int32)
    distance = np.array([[0, 0, 0.1], [0, 0.1, 0.2], [0, 0.3, 0.4], [0, 0.1, 0.2]], np.float32)
    own = self_first(Neighbours(index, distance))
    assert own.index[:, 0].tolist() == [0, 1, 2, 3]
    assert own.index[1].tolist() == [1, 0, 2]  # was not among its own neighbours: the farthest gave way
    assert own.distance[1].tolist() == pytest.approx([0, 0, 0.1])


def test_sample_takes_of_every_group_in_proportion():
    groups = np.repeat([7, 3, 5], [900, 95, 5])
    sample = stratified_sample(groups, 100, np.random.default_rng(0))
    assert np.array_equal(sample, np.unique(sample))
    assert {g: int((groups[sample] == g).sum()) for g in (7, 3, 5)} == {7: 90, 3: 10, 5: 1}


def test_sample_of_all_is_all():
    assert stratified_sample(np.zeros(4, int), 9, np.random.default_rng(0)).tolist() == [0, 1, 2, 3]


def test_rows_are_placed_beside_the_nearest_not_between_distant_ones():
    anchors = np.array([[0, 0], [0, 1], [100, 100], [100, 101]], np.float32)
    found = Neighbours(np.array([[0, 2, 1]], np.int32), np.array([[0.1, 0.11, 0.12]], np.float32))
    place = place_beside(found, anchors, np.random.default_rng(0))
    assert np.linalg.norm(place[0] - [0, 0.5]) < 2


def test_copies_lie_in_a_small_disc_around_their_place():
    places = np.array([[0, 0], [10, 10]], np.float32)
    group = np.array([0, 1, 1, 1, 0, 1])
    spread = spread_copies(places, group, np.array([0, 1]))
    assert np.array_equal(spread[[0, 1]], places)
    assert len(np.unique(spread, axis=0)) == 6
    assert np.linalg.norm(spread - places[group], axis=1).max() < 0.05


def test_sets_of_equal_rows():
    rows = unit(5, 3)[[2, 0, 2, 1, 0]]
    first, group = equal_rows(rows)
    assert first.tolist() == [0, 1, 3]
    assert group.tolist() == [0, 1, 0, 2, 1]
