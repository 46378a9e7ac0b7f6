"""Exact silhouette: known values, refusals, memory-mapped and other layouts."""

import numpy as np
import pytest
from sklearn.metrics import silhouette_samples, silhouette_score

from core.clusters.silhouette import silhouette
from core.errors import DataError


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def blobs():
    generator = np.random.default_rng(1)
    labels = generator.integers(0, 7, 3000)
    return unit(generator.standard_normal((7, 48))[labels] + generator.standard_normal((3000, 48))), labels


def test_equals_scikit_learn_row_by_row(blobs):
    rows, labels = blobs
    found = silhouette(rows, labels)
    assert np.abs(found.values - silhouette_samples(rows, labels, metric="cosine")).max() < 5e-6
    assert found.mean == pytest.approx(silhouette_score(rows, labels, metric="cosine"), abs=2e-6)


def test_known_values_by_hand():
    rows = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [-1, 0]], np.float32)
    found = silhouette(rows, np.array([0, 0, 1, 1, 2]))
    assert found.values.tolist() == [1, 1, 1, 1, 0]  # distances 0 and 1; the last is alone
    assert found.mean == pytest.approx(0.8)


def test_duplicates_split_in_two_have_zero():
    generator = np.random.default_rng(0)
    one = unit(generator.standard_normal((1, 32)))
    rows = np.vstack([np.repeat(one, 10, axis=0), unit(generator.standard_normal((5, 32)))])
    labels = np.array([0] * 5 + [1] * 5 + [2] * 5)
    found = silhouette(rows, labels)
    assert found.values[:10].tolist() == [0] * 10
    assert found.mean == pytest.approx(found.values[10:].sum() / 15)


def test_near_duplicates_keep_their_silhouette():
    generator = np.random.default_rng(0)
    centres = unit(generator.standard_normal((2, 64)))
    centres[1] = centres[0] + 1e-2 * centres[1]
    labels = np.repeat([0, 1], 50)
    rows = unit(centres[labels] + 1e-3 * generator.standard_normal((100, 64)))
    expected = silhouette_samples(rows.astype(np.float64), labels, metric="cosine")
    assert np.abs(silhouette(rows, labels).values - expected).max() < 1e-6


@pytest.mark.parametrize("labels", [[3, 3, 3, 3], [0, 1, 2, 3]])
def test_one_cluster_and_all_alone_have_zero(labels):
    rows = unit(np.random.default_rng(0).standard_normal((4, 5)))
    assert silhouette(rows, np.array(labels)).values.tolist() == [0, 0, 0, 0]


def test_other_layouts_give_the_same(blobs, tmp_path):
    rows, labels = blobs
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    expected = silhouette(rows, labels)
    for other in (
        mapped,
        rows.astype(np.float64),
        np.asfortranarray(rows),
        np.repeat(rows, 2, axis=1)[:, ::2],
    ):
        assert np.array_equal(silhouette(other, labels).values, expected.values)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows * 1.001, "vector 0: the vector does not have length 1"),
        (
            lambda rows: np.where(np.arange(len(rows))[:, None] == 17, 0, rows),
            "vector 17: the vector is all zero",
        ),
        (lambda rows: np.where(np.arange(len(rows))[:, None] >= 9, np.nan, rows), "vector 9: .*not finite"),
        (lambda rows: rows[:0], "no vectors"),
        (lambda rows: rows[:, :0], "no vectors"),
        (lambda rows: rows[0], "no vectors"),
        (lambda rows: (rows * 9).astype(int), "floating-point"),
    ],
)
def test_refuses_what_is_no_unit_vector(blobs, change, words):
    rows = change(blobs[0])
    with pytest.raises(DataError, match=words):
        silhouette(rows, blobs[1][: len(rows)] if rows.ndim == 2 else np.zeros(rows.shape[:1], int))


def test_refuses_labels_of_another_number(blobs):
    with pytest.raises(DataError, match="one label for each of the 3000"):
        silhouette(blobs[0], blobs[1][:-1])
