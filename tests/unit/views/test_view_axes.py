"""Positions on the small axes keep the order of the values and stay inside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.cluster import Interval
from core.views.axes import AlignmentAxis, Bar, RatioAxis, between, interval_of
from core.views.numbers import ratio

ratios = st.floats(0.001, 1000)


def association(value, low, high):
    return {"risk_ratio": value, "risk_ratio_interval": {"low": low, "high": high, "level": 0.95}}


@given(st.lists(ratios, min_size=1, max_size=8))
def test_positions_keep_order_and_stay_inside(values):
    axis = RatioAxis.over([association(v, v / 2, v * 2) for v in values])
    placed = [axis.position(v) for v in sorted(values)]
    assert placed == sorted(placed)
    assert all(0 <= p <= 100 for p in placed)
    assert 0 < axis.position(1.0) < 100


def test_equal_factors_are_equal_distances():
    axis = RatioAxis(0.25, 16)
    assert axis.position(2) - axis.position(1) == pytest.approx(axis.position(8) - axis.position(4))


def test_an_interval_beyond_the_axis_is_drawn_as_cut():
    axis = RatioAxis.over([association(4.0, 0.2, 5000.0)])
    bar = axis.bar(4.0, Interval(0.2, 5000.0))
    assert bar.high == 100
    assert bar.cut_high
    assert not bar.cut_low


def test_a_missing_value_is_not_drawn():
    assert RatioAxis.over([]).bar(None, None) == Bar(None, None, None)


def test_alignment_axis_holds_values_outside_zero_to_one():
    axis = AlignmentAxis.over([{"mean_alignment": -0.4, "interval": [-0.6, -0.2]}])
    assert axis.position(-0.6) == 0
    assert axis.position(1) == 100


def test_intervals_of_findings_json_as_object_or_list():
    assert interval_of({"low": 1, "high": 2, "level": 0.9}) == Interval(1, 2, 0.9)
    assert interval_of([1, 2]) == Interval(1, 2)
    assert interval_of(None) is None


def test_between_in_words():
    assert between(Interval(1.2, 4), ratio) == "95 % interval 1.2× to 4.0×"
    assert between(None, ratio) == ""
