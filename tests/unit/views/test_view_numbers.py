"""Numbers as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from core.views import numbers


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3.14, "3.1×"),
        (0.456, "0.46×"),
        (41.7, "42×"),
        (1.0, "1.0×"),
        (None, "–"),
        (float("inf"), "∞"),
        (0.0, "0.00×"),
    ],
)
def test_ratio(value, shown):
    assert numbers.ratio(value) == shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.03, "0.030"),
        (0.001, "0.001"),
        (2e-5, "2 × 10⁻⁵"),
        (1.2e-12, "1 × 10⁻¹²"),
        (0.0, "< 10⁻³⁰⁰"),
        (None, "–"),
    ],
)
def test_p_value(p, shown):
    assert numbers.p_value(p) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(3, 8, "38 %"), (0, 0, "–"), (1, 400, "0.2 %"), (0, 400, "0 %"), (8, 8, "100 %")],
)
def test_share(part, whole, shown):
    assert numbers.share(part, whole) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.4, "0.4 s"), (59.7, "1 min 0 s"), (75, "1 min 15 s"), (7300, "2 h 1 min"), (-1, "–"), (None, "–")],
)
def test_duration(seconds, shown):
    assert numbers.duration(seconds) == shown


def test_counted_and_count():
    assert numbers.counted(1, "finding") == "1 finding"
    assert numbers.counted(1234, "finding") == "1,234 findings"
    assert numbers.counted(0, "entry", "entries") == "0 entries"
    assert numbers.count(None) == "–"


def test_decimal_has_a_real_minus():
    assert numbers.decimal(-0.5) == "−0.50"
    assert numbers.decimal(float("nan")) == "–"


def test_when_leaves_out_the_day_only_today():
    now = datetime(2026, 3, 3, 15, 0, tzinfo=UTC)
    local = datetime(2026, 3, 3, 12, 5, tzinfo=UTC).astimezone()
    assert numbers.when("2026-03-03T12:05:00+00:00", now) == local.strftime("%H:%M")
    assert numbers.when("2020-01-01T12:05:00+00:00", now).startswith("1 Jan 2020, ")
    assert numbers.when("no time", now) == "no time"


def test_size():
    assert [numbers.size(n) for n in (12, 1536, 20 * 1024**2, 3 * 1024**4)] == [
        "12 B",
        "1.5 KB",
        "20 MB",
        "3072 GB",
    ]
