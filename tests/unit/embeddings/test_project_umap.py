"""Maps: stable, finite, honest about how they were drawn."""

import numpy as np
import pytest

from core.embeddings import project_umap as module
from core.embeddings.project_umap import project_umap
from core.embeddings.trustworthiness import trustworthiness
from core.errors import DataError


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(8, 48))
    label = rng.integers(0, 8, 1200)
    return unit(centres[label] + 0.4 * rng.normal(size=(1200, 48))), label


def test_groups_stay_together(blobs):
    rows, label = blobs
    drawn = project_umap(rows)
    assert (drawn.method, drawn.n_fitted, drawn.note) == ("umap", 1200, "")
    assert drawn.places.shape == (1200, 2)
    apart = ((drawn.places[:, None] - drawn.places[None]) ** 2).sum(2)
    np.fill_diagonal(apart, np.inf)
    assert (label[apart.argmin(axis=1)] == label).mean() > 0.98
    assert trustworthiness(rows, drawn.places) > 0.9


def test_same_seed_same_bits_at_any_number_of_threads(blobs):
    one, three, other = (
        project_umap(blobs[0], seed=s, threads=t).places for s, t in ((5, 1), (5, 3), (6, 3))
    )
    assert np.array_equal(one, three)
    assert not np.array_equal(one, other)


def test_many_rows_are_fitted_on_a_sample(blobs):
    rows, label = blobs
    drawn = project_umap(rows, fit_rows=400, groups=label)
    assert 400 <= drawn.n_fitted <= 408
    assert "placed beside" in drawn.note
    full = trustworthiness(rows, project_umap(rows).places)
    assert trustworthiness(rows, drawn.places) > full - 0.03


def test_search_in_fewer_dimensions_draws_as_well(blobs, monkeypatch):
    rows, _ = blobs
    monkeypatch.setattr(module, "EXACT_ROWS", 500)
    monkeypatch.setattr(module, "SEARCH_DIMENSIONS", 16)
    assert trustworthiness(rows, project_umap(rows).places) > 0.9
    assert trustworthiness(rows, project_umap(rows, fit_rows=400).places) > 0.87


def test_copies_of_a_row_lie_together():
    rng = np.random.default_rng(1)
    rows = unit(rng.normal(size=(60, 12)))[rng.integers(0, 60, 900)]
    drawn = project_umap(rows)
    assert drawn.n_fitted == len(np.unique(rows, axis=0))
    extent = np.ptp(drawn.places, axis=0).max()
    same = (rows == rows[0]).all(axis=1)
    assert np.linalg.norm(drawn.places[same] - drawn.places[0], axis=1).max() < 0.02 * extent


@pytest.mark.parametrize("n", [1, 2, 3, 5, 11])
def test_few_rows_are_drawn_by_components(n):
    rows = unit(np.random.default_rng(n).normal(size=(n, 6)))
    drawn = project_umap(rows)
    assert drawn.method == "pca"
    assert f"{n} different vectors" in drawn.note
    assert drawn.places.shape == (n, 2)
    assert np.isfinite(drawn.places).all()


@pytest.mark.parametrize("n", [12, 13, 16, 17])
def test_few_rows_that_are_enough(n):
    drawn = project_umap(unit(np.random.default_rng(n).normal(size=(n, 6))))
    assert drawn.method == "umap"
    assert np.isfinite(drawn.places).all()


def test_no_rows_are_an_empty_map():
    drawn = project_umap(np.zeros((0, 384), np.float32))
    assert drawn.places.shape == (0, 2)
    assert drawn.note


def test_equal_rows_and_one_dimension():
    equal = project_umap(np.tile(unit(np.ones((1, 4))), (50, 1)))
    assert equal.method == "pca"
    assert np.isfinite(equal.places).all()
    line = project_umap(np.sign(np.random.default_rng(0).normal(size=(40, 1))).astype(np.float32))
    assert line.method == "pca"
    assert np.ptp(line.places[:, 0]) > 0


def test_rows_in_a_plane():
    """A half circle of unit rows has two components to start from, and no more."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, np.pi, 100)
    rows = unit(np.stack([np.cos(angle), np.sin(angle), np.zeros(100)], axis=1))
    drawn = project_umap(rows)
    assert np.isfinite(drawn.places).all()


def test_a_layout_that_is_not_finite_is_replaced_and_said(blobs, monkeypatch):
    import umap.umap_

    def broken(data, graph, *rest):
        return np.full((graph.shape[0], 2), np.nan), {}

    monkeypatch.setattr(umap.umap_, "simplicial_set_embedding", broken)
    drawn = project_umap(blobs[0])
    assert drawn.method == "pca"
    assert "UMAP found no layout" in drawn.note
    assert np.isfinite(drawn.places).all()


def test_apart_groups_without_any_link(blobs):
    rng = np.random.default_rng(0)
    rows = np.zeros((120, 40))
    for group in range(3):
        rows[group * 40 : group * 40 + 40, group * 10 : group * 10 + 10] = rng.normal(size=(40, 10))
    drawn = project_umap(unit(np.abs(rows)))
    assert drawn.method == "umap"
    assert np.isfinite(drawn.places).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r.__setitem__((7, 2), np.nan), "not finite"),
        (lambda r: r.__setitem__((7, 2), np.inf), "not finite"),
        (lambda r: r.__setitem__(7, 0), "all zero"),
        (lambda r: r.__setitem__(7, r[7] * 2), "length 1"),
    ],
)
def test_bad_rows_are_named_with_their_sample(blobs, change, words):
    rows = blobs[0].copy()
    change(rows)
    with pytest.raises(DataError, match=words) as caught:
        project_umap(rows, name_of=lambda i: f"sample {i}")
    assert "vector 7 (sample 7)" in caught.value.sentence()


@pytest.mark.parametrize(
    "change", [lambda r: r.astype(np.float64), np.asfortranarray, lambda r: r[::-1][::-1]]
)
def test_other_layouts_give_the_same(blobs, change):
    assert np.array_equal(project_umap(change(blobs[0])).places, project_umap(blobs[0]).places)


def test_trustworthiness_is_that_of_scikit_learn(blobs):
    from sklearn.manifold import trustworthiness as theirs

    rows = blobs[0]
    places = np.random.default_rng(0).normal(size=(len(rows), 2)).astype(np.float32)
    places[:600] = rows[:600, :2]
    ours = trustworthiness(rows, places, k=15, queries=len(rows))
    assert ours == pytest.approx(theirs(rows, places, n_neighbors=15, metric="cosine"), abs=2e-3)
    assert trustworthiness(rows[:20], places[:20]) is None
