"""What holds of every sweep, whatever the rows."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clusters.silhouette import silhouette
from core.clusters.sweep_k import sweep_k


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@st.composite
def some_rows(draw):
    """1 to 300 unit rows around a few centres, copies among them."""
    n, d = draw(st.integers(1, 300)), draw(st.integers(1, 20))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    noise = draw(st.sampled_from([0.0, 0.1, 1.0]))
    rows = generator.standard_normal((5, d))[generator.integers(0, 5, n)]
    return unit(rows + noise * generator.standard_normal((n, d)) + 1e-9)


@given(some_rows(), st.integers(0, 3), st.lists(st.integers(1, 40), min_size=1, max_size=6), st.booleans())
@settings(max_examples=120, deadline=None)
def test_a_sweep_is_a_grouping_of_all_rows(rows, seed, grid, sampled):
    max_rows = max(len(rows) // 2, 2) if sampled else 40_000
    found = sweep_k(rows, k_grid=grid, seed=seed, max_rows=max_rows)
    sizes = np.bincount(found.labels, minlength=found.effective_k)
    assert found.labels.shape == (len(rows),)
    assert len(sizes) == found.effective_k == len(found.centroids)
    assert found.effective_k <= found.k <= found.n_distinct
    assert sizes.min() >= min(len(rows), max(1, min(5, len(rows) // 10)))
    assert abs(found.silhouette - silhouette(rows, found.labels).mean) < 1e-4
    assert -1 <= found.silhouette <= 1
    assert all(a.k < b.k for a, b in pairwise(found.curve))
    assert {point.k for point in found.curve} <= {*grid, found.n_distinct, 1}


@given(some_rows(), st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_threads_change_nothing(rows, threads):
    one, other = sweep_k(rows, threads=1), sweep_k(rows, threads=threads)
    assert np.array_equal(one.labels, other.labels)
    assert one.curve == other.curve


@given(some_rows())
@settings(max_examples=40, deadline=None)
def test_equal_rows_are_never_parted(rows):
    """A cluster is where its centroid is nearest, and equal rows have equal products with it."""
    found = sweep_k(rows, min_cluster_size=1)
    _, which = np.unique(rows, axis=0, return_inverse=True)
    parted = [label for label in np.unique(which) if len(set(found.labels[which == label])) > 1]
    assert not parted
