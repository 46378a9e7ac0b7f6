"""The linear-time silhouette is the pairwise one, on any data."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import silhouette_samples
from sklearn.metrics.pairwise import cosine_distances

from core.clusters.silhouette import NO_DISTANCE, silhouette


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@st.composite
def labelled_rows(draw):
    """Float32 unit rows with copies among them and labels with gaps, singletons and empty clusters."""
    n, d, k = draw(st.integers(3, 60)), draw(st.integers(1, 24)), draw(st.integers(2, 12))
    seed, spread = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from([1e-3, 0.05, 0.5, 5.0]))
    generator = np.random.default_rng(seed)
    labels = draw(arrays(np.int64, n, elements=st.integers(0, k - 1))) * draw(st.sampled_from([1, 7]))
    centres = generator.standard_normal((8, d))
    rows = unit(centres[generator.integers(0, 8, n)] + spread * generator.standard_normal((n, d)))
    copies = generator.random(n) < draw(st.sampled_from([0.0, 0.3, 0.9]))
    rows[copies] = rows[generator.integers(0, n, copies.sum())]
    return unit(rows).astype(np.float32), labels


def pairwise_silhouette(rows, labels):
    """scikit-learn in float64; 0 where both mean distances are rounding, as documented."""
    found, dense = np.unique(labels, return_inverse=True)
    if len(found) < 2:
        return np.zeros(len(rows))
    distances = cosine_distances(rows.astype(np.float64))
    members = np.eye(len(found))[dense]
    counts = members.sum(axis=0)
    if len(found) == len(rows):
        return np.zeros(len(rows))
    values = silhouette_samples(distances, dense, metric="precomputed")
    means = distances @ members / counts
    index = np.arange(len(rows))
    own = means[index, dense] * counts[dense] / np.maximum(counts[dense] - 1, 1)
    means[index, dense] = np.inf
    values[np.maximum(own, means.min(axis=1)) < NO_DISTANCE] = 0
    return values


@given(labelled_rows())
@settings(max_examples=300, deadline=None)
def test_equals_scikit_learn(given_rows):
    rows, labels = given_rows
    found = silhouette(rows, labels)
    expected = pairwise_silhouette(unit(rows.astype(np.float64)), labels)
    assert np.abs(found.values - expected).max() < 1e-5
    assert abs(found.mean - expected.mean()) < 2e-6
    assert found.values.min() >= -1
    assert found.values.max() <= 1


@given(labelled_rows(), st.integers(1, 70), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_block_size_and_threads_do_not_matter(given_rows, block, threads):
    rows, labels = given_rows
    one = silhouette(rows, labels, threads=1)
    other = silhouette(rows, labels, block=block, threads=threads)
    assert np.allclose(one.values, other.values, atol=2e-6)


@given(labelled_rows(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_names_and_order_do_not_matter(given_rows, random):
    rows, labels = given_rows
    order = np.array(random.sample(range(len(rows)), len(rows)))
    one, other = silhouette(rows, labels), silhouette(rows[order], -5 * labels[order])
    assert np.allclose(one.values[order], other.values, atol=5e-6)
