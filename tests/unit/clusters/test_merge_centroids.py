"""Ward's rule on the sphere: the cheapest pair, found and joined rightly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clusters.merge_centroids import absorb_small, merge_cheapest


def objective(sums, parent):
    """Summed cosine of rows to their centroid after joining."""
    return sum(np.linalg.norm(sums[parent == target].sum(axis=0)) for target in np.unique(parent))


def some_sums(seed, count, width=6):
    return np.random.default_rng(seed).standard_normal((count, width)) * 5


@given(st.integers(0, 10_000), st.integers(2, 12))
@settings(max_examples=100, deadline=None)
def test_one_join_is_the_best_of_all_pairs(seed, count):
    sums = some_sums(seed, count)
    found = objective(sums, merge_cheapest(sums, count - 1))
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    best = max(objective(sums, np.where(np.arange(count) == b, a, np.arange(count))) for a, b in pairs)
    assert found == pytest.approx(best)


@given(st.integers(0, 10_000), st.integers(2, 15), st.integers(1, 15))
@settings(max_examples=100, deadline=None)
def test_joining_in_steps_is_joining_at_once(seed, count, k):
    sums = some_sums(seed, count)
    parent = np.arange(count)
    joined = sums
    for left in range(count - 1, min(k, count) - 1, -1):
        step = merge_cheapest(joined, left)
        parent = step[parent]
        joined = np.stack([sums[parent == target].sum(axis=0) for target in range(left)])
    assert np.array_equal(merge_cheapest(sums, k), parent)


def test_ids_are_closed_up_in_order():
    sums = np.array([[5.0, 0], [0, 5], [5, 0.1], [-5, 0]])
    assert merge_cheapest(sums, 3).tolist() == [0, 1, 0, 2]
    assert merge_cheapest(sums, 9).tolist() == [0, 1, 2, 3]
    assert merge_cheapest(sums, 1).tolist() == [0, 0, 0, 0]


def test_small_clusters_join_their_cheapest_neighbour():
    sums = np.array([[50.0, 0], [0, 50], [0.1, 2], [3, 0.1]])
    assert absorb_small(sums, np.array([50, 50, 2, 3]), 5).tolist() == [0, 1, 1, 0]
    assert absorb_small(sums, np.array([50, 50, 2, 3]), 3).tolist() == [0, 1, 1, 2]
    assert absorb_small(sums, np.array([50, 50, 2, 3]), 1).tolist() == [0, 1, 2, 3]


def test_joining_goes_on_until_all_are_large_enough():
    sums = some_sums(0, 6)
    counts = np.array([1, 1, 1, 1, 1, 1])
    parent = absorb_small(sums, counts, 2)
    assert np.bincount(parent).min() >= 2
    assert absorb_small(sums, counts, 100).tolist() == [0] * 6
