"""The sweep: right on known groups, the same at any number of threads, sensible on any size."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, silhouette_score

from core.clusters.choose_k import choose_k
from core.clusters.spherical_kmeans import partition_of
from core.clusters.sweep_k import sweep_k
from core.errors import ConfigError, DataError
from core.vectors.row_blocks import BlockPool


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def mixture(n, d, k, noise=0.8, seed=0):
    """Rows around k centres with heavy-tailed sizes, and which centre each is of."""
    generator = np.random.default_rng(seed)
    sizes = generator.pareto(1.5, k) + 0.2
    which = generator.choice(k, n, p=sizes / sizes.sum())
    noisy = noise * generator.standard_normal((n, d)) / np.sqrt(d)
    return unit(unit(generator.standard_normal((k, d)))[which] + noisy), which


@pytest.fixture(scope="module")
def groups():
    return mixture(6000, 96, 30, seed=2)


@pytest.mark.parametrize("options", [{}, {"fit_dimensions": 32}, {"max_rows": 2500}])
def test_finds_known_groups(groups, options):
    rows, which = groups
    found = sweep_k(rows, k_grid=range(5, 61, 5), **options)
    assert found.k == 30
    assert adjusted_rand_score(which, found.labels) > 0.98


def test_is_what_it_says(groups):
    rows, _ = groups
    found = sweep_k(rows, k_grid=range(5, 61, 5))
    assert found.labels.dtype == np.int32
    assert found.labels.shape == (len(rows),)
    assert [point.k for point in found.curve] == list(range(5, 61, 5))
    assert found.k == choose_k(found.curve)
    assert np.bincount(found.labels).min() >= 5
    assert len(np.bincount(found.labels)) == found.effective_k == len(found.centroids)
    assert np.linalg.norm(found.centroids, axis=1) == pytest.approx(1, abs=1e-6)
    assert found.silhouette == pytest.approx(silhouette_score(rows, found.labels, metric="cosine"), abs=1e-5)
    at_k = next(point for point in found.curve if point.k == found.k)
    assert at_k.silhouette == pytest.approx(found.silhouette, abs=1e-3)
    cosines = np.einsum("ij,ij->i", rows, found.centroids[found.labels])
    assert found.objective == pytest.approx(cosines.mean(), abs=1e-6)
    assert (found.n_swept, found.n_distinct, found.note) == (len(rows), len(rows), "")


def test_is_not_worse_than_a_fit_for_every_k(groups):
    rows, _ = groups
    grid = range(5, 61, 5)
    ours, paper = (sweep_k(rows, k_grid=grid, method=m).curve for m in ("downward", "independent"))
    assert [p.k for p in ours] == [p.k for p in paper]
    assert sum(a.silhouette - b.silhouette for a, b in zip(ours, paper, strict=True)) > 0
    assert sum(a.objective >= b.objective - 1e-3 for a, b in zip(ours, paper, strict=True)) >= len(paper) - 1


def test_independent_curve_is_of_its_labels(groups):
    rows, _ = groups
    found = sweep_k(rows, k_grid=[1, 10, 20], method="independent")
    assert found.k in (10, 20)
    assert found.silhouette == pytest.approx(silhouette_score(rows, found.labels, metric="cosine"), abs=1e-5)
    assert found.curve[0].silhouette == 0


@pytest.mark.parametrize("options", [{}, {"max_rows": 3000}, {"fit_dimensions": 16}])
def test_same_seed_same_bits_at_any_number_of_threads(groups, options):
    rows, _ = groups
    one, two, five = (sweep_k(rows, k_grid=[4, 11, 40], seed=3, threads=t, **options) for t in (1, 2, 5))
    for other in (two, five):
        assert np.array_equal(one.labels, other.labels)
        assert np.array_equal(one.centroids, other.centroids)
        assert one.curve == other.curve


def test_seeds_matter_only_to_the_start(groups):
    rows, _ = groups
    found = [sweep_k(rows, k_grid=[20, 30, 40], seed=seed) for seed in (1, 2)]
    assert found[0].curve != found[1].curve
    assert adjusted_rand_score(found[0].labels, found[1].labels) > 0.95


def test_k_can_be_chosen_by_hand(groups):
    rows, _ = groups
    found = sweep_k(rows, k_grid=[10, 30], k=17)
    assert found.k == 17
    assert [p.k for p in found.curve] == [10, 17, 30]
    assert len(found.centroids) == 17


def test_no_cluster_below_the_smallest_size():
    rows, _ = mixture(400, 64, 6)
    lonely = unit(np.random.default_rng(9).standard_normal((3, 64)))
    found = sweep_k(np.vstack([rows, lonely]), k=9, min_cluster_size=20)
    assert np.bincount(found.labels).min() >= 20
    assert found.effective_k < 9
    assert "joined others" in found.note


def test_sampled_sweep_labels_every_row(groups):
    rows, _ = groups
    found = sweep_k(rows, k_grid=[20, 30, 40], max_rows=1500)
    assert found.labels.shape == (len(rows),)
    assert found.n_swept == 1500
    assert "sample of 1,500 of 6,000" in found.note
    with BlockPool() as pool:
        assert partition_of(rows, found.labels, found.effective_k, pool).objective == pytest.approx(
            found.objective
        )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_few_rows_are_one_cluster(n):
    found = sweep_k(unit(np.random.default_rng(0).standard_normal((n, 7))))
    assert found.labels.tolist() == [0] * n
    assert (found.k, found.effective_k, found.silhouette) == (1, 1, 0.0)
    assert "one cluster" in found.note


@pytest.mark.parametrize("grid", [None, [1], [2, 5, 300]])
@pytest.mark.parametrize("method", ["downward", "independent"])
def test_equal_rows_are_one_cluster(grid, method):
    found = sweep_k(np.tile(np.eye(5, dtype=np.float32)[0], (80, 1)), k_grid=grid, method=method)
    assert set(found.labels.tolist()) == {0}
    assert found.n_distinct == 1
    assert "equal" in found.note


@pytest.mark.parametrize("method", ["downward", "independent"])
def test_k_stops_at_the_number_of_different_rows(method):
    five = np.repeat(np.eye(8, dtype=np.float32)[:5], 20, axis=0)
    found = sweep_k(five, k_grid=[2, 3, 4, 5, 6, 50], method=method)
    assert found.curve[-1].k == 5
    assert found.n_distinct == 5
    if method == "downward":  # a random start of faiss may leave two of the five together
        assert (found.k, found.effective_k) == (5, 5)
        assert found.silhouette == pytest.approx(1)
    assert "only 5 different" in found.note


@pytest.mark.parametrize("n", [4, 5, 9, 12, 30, 64])
def test_small_sizes(n):
    rows = unit(np.random.default_rng(n).standard_normal((n, 6)))
    found = sweep_k(rows)
    assert 1 <= found.effective_k <= found.k <= max(3, n // 10)
    assert sweep_k(rows, k_grid=range(1, n + 5)).curve[-1].k == n


def test_one_dimension():
    rows = np.array([[1.0], [-1.0]] * 10, np.float32)
    found = sweep_k(rows)
    assert found.k == 2
    assert found.silhouette == 1


@pytest.mark.parametrize(
    "change", [lambda r: r.astype(np.float64), np.asfortranarray, lambda r: r[::-1][::-1]]
)
def test_other_layouts_give_the_same(groups, change):
    rows, _ = groups
    assert np.array_equal(sweep_k(rows, k_grid=[5, 30]).labels, sweep_k(change(rows), k_grid=[5, 30]).labels)


def test_memory_mapped_rows(groups, tmp_path):
    rows, _ = groups
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert np.array_equal(sweep_k(rows, k_grid=[5, 30]).labels, sweep_k(mapped, k_grid=[5, 30]).labels)


def test_progress_counts_up_and_can_stop(groups):
    rows, _ = groups
    seen = []
    sweep_k(rows, k_grid=[5, 10, 15], on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep_k(rows, k_grid=[5, 10, 15], on_progress=stop)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (np.nan, r"vector 41 \(sample b17\): the vector holds a number that is not finite"),
        (np.inf, r"vector 41 \(sample b17\): .*not finite"),
        (0.0, r"vector 41 \(sample b17\): the vector is all zero"),
        (0.5, r"vector 41 \(sample b17\): the vector does not have length 1"),
    ],
)
def test_bad_rows_are_named_with_their_sample(groups, row, words):
    rows = groups[0].copy()
    rows[41] = rows[99] = row
    with pytest.raises(DataError, match=words):
        sweep_k(rows, name_of=lambda index: "sample b17" if index == 41 else "another")


def test_no_rows_are_refused():
    with pytest.raises(DataError, match="no vectors"):
        sweep_k(np.empty((0, 8), np.float32))


@pytest.mark.parametrize(
    "options",
    [
        {"method": "upward"},
        {"k": 0},
        {"k_grid": []},
        {"k_grid": [0, 2]},
        {"fit_dimensions": 0},
        {"max_rows": 1},
    ],
)
def test_options_that_mean_nothing_are_refused(groups, options):
    with pytest.raises(ConfigError):
        sweep_k(groups[0], **options)
