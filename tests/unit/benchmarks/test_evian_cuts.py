"""The fit of S_V's cuts: finds planted cuts, and its kappa is the usual one."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from benchmarks.evian_cuts import fit_cuts, graded, halves, kappa


def test_planted_cuts_are_found():
    rng = np.random.default_rng(0)
    alignment = rng.uniform(0, 1, 2000)
    people = graded(alignment, (0.1, 0.3, 0.7, 0.9))
    found = fit_cuts(alignment, people, (0.2, 0.4, 0.6, 0.8))
    assert found == pytest.approx((0.1, 0.3, 0.7, 0.9), abs=0.02)
    assert kappa(graded(alignment, found), people) > 0.98


def test_kappa_is_the_usual_one():
    rng = np.random.default_rng(1)
    a = rng.integers(1, 6, 300)
    b = np.clip(a + rng.integers(-1, 2, 300), 1, 5)
    usual = cohen_kappa_score(a, b, weights="quadratic", labels=[1, 2, 3, 4, 5])
    assert kappa(a, b) == pytest.approx(usual)


def test_an_image_is_in_one_half_only():
    images = [f"{i % 20}.jpg" for i in range(200)]
    half = halves(images)
    assert {i for i, h in zip(images, half, strict=True) if h}.isdisjoint(
        i for i, h in zip(images, half, strict=True) if not h
    )
    assert 0.4 < half.mean() < 0.6
