"""Cluster ranking: worst first, by the upper end of the interval, small clusters excluded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scores.rank_clusters import MIN_SCORED, mean_interval, rank_clusters


def build(*clusters):
    labels = np.concatenate([[i] * len(values) for i, values in enumerate(clusters)])
    return rank_clusters(labels, np.concatenate([np.array(v, float) for v in clusters]))


def test_worst_mean_comes_first():
    ranked = build([1] * 20, [0] * 15 + [1] * 5, [0] * 5 + [1] * 15)
    assert [c.cluster_id for c in ranked] == [1, 2, 0]
    assert [c.rank for c in ranked] == [1, 2, 3]


def test_a_tiny_cluster_does_not_win_by_chance():
    ranked = build([0] * 5, [0] * 90 + [1] * 10)
    assert [c.cluster_id for c in ranked] == [1, 0]


def test_small_and_unscored_clusters_are_excluded_with_the_reason():
    ranked = build([0] * (MIN_SCORED - 1), [np.nan] * 30, [1] * 10)
    assert [c.rank for c in ranked] == [1, None, None]
    assert all("fewer than" in c.excluded for c in ranked[1:])
    assert ranked[2].mean_alignment is None
    assert ranked[2].n_unscored == 30


def test_unscored_members_do_not_move_the_mean():
    (cluster,) = build([0, 0, 0, 1, 1, np.nan, np.nan])
    assert cluster.mean_alignment == pytest.approx(0.4)
    assert (cluster.n_scored, cluster.n_unscored, cluster.size) == (5, 2, 7)


def test_rows_outside_all_clusters_are_ignored():
    assert [c.size for c in rank_clusters(np.array([-1, 0, 0]), np.zeros(3))] == [2]


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=60))
def test_interval_holds_the_mean(values):
    array = np.array(values)
    interval = mean_interval(array)
    assert interval.low - 1e-9 <= array.mean() <= interval.high + 1e-9


def test_wilson_interval_is_the_textbook_one():
    interval = mean_interval(np.array([1.0] * 9 + [0.0]))
    assert (interval.low, interval.high) == (pytest.approx(0.5958, abs=1e-3), pytest.approx(0.9821, abs=1e-3))
