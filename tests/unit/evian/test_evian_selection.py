"""Ranking and selection."""

import numpy as np
import pytest

from core.errors import ConfigError
from core.findings.evian_selection import Weights, overall, select_above, select_top

SCORES = np.array([[5, 2, 2], [4, 4, 4], [np.nan, 3, 3], [1, 2, 5]], float)
DEFAULTED = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0]], bool)


def test_overall_with_and_without_defaults():
    np.testing.assert_allclose(overall(SCORES, DEFAULTED), [3, 4, np.nan, 8 / 3])
    np.testing.assert_allclose(overall(SCORES, DEFAULTED, count_defaulted=False), [5, 4, np.nan, 3])
    weights = Weights(0, 1, 1)
    np.testing.assert_allclose(overall(SCORES, DEFAULTED, weights), [2, 4, 3, 3.5])


@pytest.mark.parametrize("weights", [Weights(0, 0, 0), Weights(-1, 1, 1), Weights(float("nan"), 1, 1)])
def test_weights_that_are_none(weights):
    with pytest.raises(ConfigError):
        overall(SCORES, DEFAULTED, weights)


def test_top_and_threshold_never_take_the_unscored():
    values = overall(SCORES, DEFAULTED)
    assert select_top(values, 2).tolist() == [0, 1]
    assert select_top(values, 10).tolist() == [0, 1, 3]
    assert select_above(values, 3).tolist() == [0, 1]


def test_strata_get_their_share():
    values = np.array([5, 5, 5, 5, 1, 1], float)
    assert select_top(values, 3, list("aaaabb")).tolist() == [0, 1, 4]
