"""The grid of K and the choice among them."""

import pytest

from core.clusters.choose_k import choose_k, default_k_grid, usable_grid
from core.domain.cluster import SweepPoint
from core.errors import ConfigError, DataError


def curve(**silhouettes):
    return [SweepPoint(int(name[1:]), value, 0.5) for name, value in silhouettes.items()]


@pytest.mark.parametrize(
    ("n", "grid"),
    [
        (0, (1,)),
        (3, (1,)),
        (4, (2, 3)),
        (10, (2, 3)),
        (50, (2, 3, 4, 5)),
        (2_000, tuple(range(10, 201, 10))),
        (25_000, tuple(range(10, 201, 10))),
        (1_000_000, tuple(range(20, 401, 20))),
    ],
)
def test_default_grid(n, grid):
    assert default_k_grid(n) == grid


@pytest.mark.parametrize("n", [4, 5, 19, 37, 99, 101, 333, 999, 1999, 30_000, 199_999, 200_000, 10**7])
def test_default_grid_is_within_bounds(n):
    grid = default_k_grid(n)
    assert list(grid) == sorted(set(grid))
    assert 2 <= grid[0] <= 20
    assert grid[-1] <= min(400, max(n // 10, 3))
    assert grid[-1] < n
    assert len(grid) <= 24


def test_the_best_silhouette_wins():
    assert choose_k(curve(k10=0.1, k20=0.3, k30=0.2)) == 20


def test_of_ties_the_largest():
    assert choose_k(curve(k10=0.3, k20=0.2985, k30=0.2965)) == 20
    assert choose_k(curve(k10=0.3, k20=0.2985, k30=0.2975)) == 30
    assert choose_k(curve(k10=0.3, k20=0.2985), tie=0) == 10


def test_negative_silhouettes_are_compared_too():
    assert choose_k(curve(k2=-0.5, k3=-0.1, k4=-0.3)) == 3


def test_one_cluster_only_when_alone():
    assert choose_k(curve(k1=0.0, k2=-0.1)) == 2
    assert choose_k(curve(k1=0.0)) == 1
    with pytest.raises(DataError):
        choose_k([])


def test_k_above_the_number_of_different_vectors_is_left_out():
    assert usable_grid([30, 10, 20], 20) == (
        (10, 20),
        "K = 30..30 left out: there are only 20 different vectors",
    )
    assert usable_grid([30], 20)[0] == (20,)
    assert usable_grid([2, 3], 20) == ((2, 3), "")


@pytest.mark.parametrize("grid", [[], [0, 2], [-3]])
def test_a_grid_that_means_nothing_is_refused(grid):
    with pytest.raises(ConfigError, match="1 or more"):
        usable_grid(grid, 20)
