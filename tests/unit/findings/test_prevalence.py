"""Prevalence: right shares, narrower with good scores, and intervals that cover what they claim."""

from __future__ import annotations

import numpy as np
import pytest

from core.findings.prevalence import prevalence, wrongness


def draw(rng, n, n_rest, share, quality):
    wrong = rng.random(n + n_rest) < share
    scores = np.where(rng.random(n + n_rest) < quality, wrong, rng.random(n + n_rest))
    return wrong[:n], scores[:n], scores[n:]


def test_share_and_interval_without_useful_scores_are_near_the_classical_ones():
    wrong = np.array([True] * 30 + [False] * 70)
    found = prevalence(wrong, np.full(100, 0.5), np.full(900, 0.5))
    assert found.weight == 0.0
    assert found.verdicts_share == pytest.approx(0.3)
    assert found.share == pytest.approx(0.3, abs=0.01)
    assert found.interval.low == pytest.approx(found.verdicts_interval.low, abs=0.01)
    assert found.interval.high == pytest.approx(found.verdicts_interval.high, abs=0.01)


def test_good_scores_make_the_interval_narrower_and_misleading_ones_are_not_used():
    rng = np.random.default_rng(0)
    wrong, scores, rest = draw(rng, 60, 2000, 0.4, 0.9)
    good = prevalence(wrong, scores, rest)
    classical = good.verdicts_interval.high - good.verdicts_interval.low
    assert good.weight > 0.5
    assert good.width < 0.75 * classical
    assert prevalence(wrong, 1 - scores, 1 - rest).weight == 0.0


def test_scores_that_are_wrong_in_level_are_corrected_by_the_verdicts():
    rng = np.random.default_rng(1)
    wrong, scores, rest = draw(rng, 200, 5000, 0.2, 0.9)
    shifted = prevalence(wrong, 0.5 + scores / 2, 0.5 + rest / 2)
    assert shifted.interval.low < 0.2 < shifted.interval.high
    assert shifted.share < 0.35  # the scores alone say 60 %


def test_stop_rule_needs_twelve_verdicts_and_a_narrow_interval():
    none_wrong = np.zeros(11, bool)
    assert not prevalence(none_wrong, np.zeros(11), np.zeros(500)).may_stop(0.9)
    assert not prevalence(np.zeros(12, bool), np.zeros(12), np.zeros(500)).may_stop(0.1)
    assert prevalence(np.zeros(200, bool), np.zeros(200), np.zeros(500)).may_stop(0.1)


def test_a_dozen_verdicts_that_agree_leave_doubt():
    found = prevalence(np.zeros(12, bool), np.zeros(12), np.zeros(100))
    assert found.interval.low == 0.0
    assert found.interval.high > 0.15


def test_all_facts_labelled_leaves_nothing_to_estimate():
    found = prevalence(np.array([True, False, False, False]), np.full(4, 0.5), np.zeros(0))
    assert (found.share, found.width, found.n, found.n_facts) == (0.25, 0.0, 4, 4)


@pytest.mark.parametrize(
    ("wrong", "scores", "rest", "said"),
    [
        ([], [], [0.5], "no fact has a verdict"),
        ([1], [0.5, 0.5], [0.5], "1 verdicts but 2 scores"),
        ([1], [np.nan], [0.5], "no number of 0..1"),
        ([1], [0.5], [1.5], "no number of 0..1"),
    ],
)
def test_unusable_input_is_named(wrong, scores, rest, said):
    with pytest.raises(ValueError, match=said):
        prevalence(np.array(wrong, bool), np.array(scores), np.array(rest))


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [12, 50])
def test_coverage_at_nominal_95_percent(share, n):
    """A few hundred datasets; all of them are in `benchmarks/coverage.py`."""
    rng = np.random.default_rng([n, int(100 * share)])
    hits = 0
    for _ in range(300):
        found = prevalence(*draw(rng, n, 600, share, 0.6))
        hits += found.interval.low <= share <= found.interval.high
    assert hits >= 0.91 * 300  # 94 % less three standard errors


def test_wrongness_is_one_minus_alignment_or_by_rank_where_alignments_have_no_bounds():
    assert wrongness(np.array([0.2, 1.0, 0.0])).tolist() == pytest.approx([0.8, 0.0, 1.0])
    ranked = wrongness(np.array([-2.5, 3.1, 0.4, 0.4]))
    assert ranked.argsort().tolist() == [1, 3, 2, 0]
    assert 0 < ranked.min() < ranked.max() < 1
    assert len(wrongness(np.zeros(0))) == 0
