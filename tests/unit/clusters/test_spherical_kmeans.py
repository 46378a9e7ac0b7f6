"""Lloyd steps, moving sums and the fused pass agree with the plain formulas."""

from itertools import pairwise

import numpy as np
import pytest

from core.clusters.fused_pass import fused_pass
from core.clusters.merge_centroids import merge_cheapest
from core.clusters.silhouette import silhouette
from core.clusters.spherical_kmeans import (
    assign,
    fit_faiss,
    fit_overseeded,
    lloyd,
    merged,
    moved,
    partition_of,
    unit_centroids,
)
from core.vectors.row_blocks import BlockPool, cluster_sums, distinct_rows


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(3)
    which = generator.integers(0, 12, 5000)
    return unit(generator.standard_normal((12, 33))[which] + generator.standard_normal((5000, 33)))


@pytest.fixture
def pool():
    with BlockPool(2) as threads:
        yield threads


def plain_sums(rows, labels, k):
    return np.stack([rows[labels == c].astype(np.float64).sum(axis=0) for c in range(k)])


def test_sums_are_those_of_the_rows(rows, pool):
    labels = np.random.default_rng(0).integers(0, 9, len(rows)).astype(np.int32)
    expected = plain_sums(rows, labels, 9)
    assert np.abs(cluster_sums(rows, labels, 9, pool) - expected).max() < 1e-9
    assert np.abs(cluster_sums(rows, labels, 9, pool, None) - expected).max() < 1e-3


@pytest.mark.parametrize("share", [0.0, 0.05, 0.8])
def test_moving_rows_gives_the_sums_of_the_new_labels(rows, pool, share):
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 9, len(rows)).astype(np.int32)
    new = np.where(generator.random(len(rows)) < share, 4, labels).astype(np.int32)
    part, changes = moved(partition_of(rows, labels, 9, pool), new, rows, pool)
    assert changes == (labels != new).sum()
    assert np.abs(part.sums - plain_sums(rows, new, 9)).max() < 1e-9
    assert part.objective == pytest.approx(
        np.einsum("ij,ij->i", rows, unit_centroids(part.sums)[part.labels]).mean(), abs=1e-6
    )


def test_empty_clusters_are_closed_up(rows, pool):
    part = partition_of(rows, np.full(len(rows), 5, np.int32), 9, pool)
    assert part.k == 1
    assert part.labels.max() == 0


def test_lloyd_never_loosens_and_stops_when_settled(rows, pool):
    start = rows[:10]
    objectives = [lloyd(rows, start, steps, pool).objective for steps in (1, 2, 4, 8, 100, 200)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(objectives))
    assert objectives[-1] == objectives[-2]


def test_fused_pass_is_silhouette_and_assignment_at_once(rows, pool):
    part = fit_overseeded(rows, 40, np.random.default_rng(0), pool)
    parent = merge_cheapest(part.sums, 11)
    score, nearest = fused_pass(rows, part, parent, pool)
    assert score == pytest.approx(silhouette(rows, part.labels).mean, abs=1e-5)
    joined = merged(part, parent)
    assert np.abs(joined.sums - plain_sums(rows, joined.labels, 11)).max() < 1e-6
    cosines = rows @ unit_centroids(joined.sums).T
    chosen = cosines[np.arange(len(rows)), nearest]
    assert np.abs(chosen - cosines.max(axis=1)).max() < 1e-5
    assert (nearest == assign(rows, unit_centroids(joined.sums), pool)).mean() > 0.999


def test_opposite_rows_whose_sum_is_zero_do_no_harm(pool):
    rows = np.array([[1, 0], [-1, 0], [0, 1], [0, 1]], np.float32)
    part = partition_of(rows, np.array([0, 0, 1, 1], np.int32), 2, pool)
    score, nearest = fused_pass(rows, part, np.arange(2, dtype=np.int32), pool)
    assert np.isfinite(score)
    assert nearest[2:].tolist() == [1, 1]


def test_start_has_no_two_equal_seeds(pool):
    generator = np.random.default_rng(0)
    rows = np.repeat(unit(generator.standard_normal((20, 8))), 30, axis=0)
    assert fit_overseeded(rows, 64, generator, pool).k == 20


def test_fit_in_fewer_dimensions_is_nearly_as_tight(rows, pool):
    full = fit_overseeded(rows, 40, np.random.default_rng(0), pool)
    fewer = fit_overseeded(rows, 40, np.random.default_rng(0), pool, dimensions=12)
    assert fewer.sums.shape[1] == rows.shape[1]
    assert fewer.objective > 0.95 * full.objective


def test_distinct_rows_are_those_of_numpy(rows):
    some = rows[np.random.default_rng(0).integers(0, 900, 2000)]
    some[0] = 0.0
    some[1] = -0.0
    first = np.sort(np.unique(some, axis=0, return_index=True)[1])
    assert np.array_equal(distinct_rows(some), first)


def test_faiss_gives_labels_of_spherical_kmeans(rows):
    labels = fit_faiss(rows, 12, seed=0)
    assert labels.dtype == np.int32
    assert len(np.unique(labels)) == 12
    assert np.linalg.norm(plain_sums(rows, labels, 12), axis=1).sum() / len(rows) > 0.5
