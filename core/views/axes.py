"""Axes for small interval bars: where a value and its interval lie, in percent of the width."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.cluster import Interval


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval on a shared axis, positions in percent of its width; value None = nothing to draw.

    cut_low, cut_high: the interval goes on beyond the axis.
    """

    value: float | None
    low: float | None
    high: float | None
    cut_low: bool = False
    cut_high: bool = False


@dataclass(frozen=True, slots=True)
class RatioAxis:
    """A logarithmic axis from `low` to `high` that holds 1 (no effect)."""

    low: float
    high: float

    LIMIT = 1000.0

    @classmethod
    def over(cls, associations: Sequence[Mapping[str, Any]]) -> RatioAxis:
        """The axis that holds these risk ratios and their intervals, within 1/1000 to 1000."""
        values = [1.0]
        for a in associations:
            interval = interval_of(a.get("risk_ratio_interval"))
            values += [
                v for v in (a.get("risk_ratio"), *((interval.low, interval.high) if interval else ())) if v
            ]
        finite = [v for v in values if math.isfinite(v) and v > 0]
        return cls(max(1 / cls.LIMIT, min(0.5, *finite)), min(cls.LIMIT, max(2.0, *finite)))

    def position(self, value: float) -> float:
        """Percent of the axis' width, 0..100; values outside lie on its ends."""
        if value <= self.low:
            return 0.0
        if value >= self.high:
            return 100.0
        return 100 * math.log(value / self.low) / math.log(self.high / self.low)

    def bar(self, value: float | None, interval: Interval | None) -> Bar:
        """The bar of one risk ratio."""
        return _bar(self.position, self.low, self.high, value, interval)


@dataclass(frozen=True, slots=True)
class AlignmentAxis:
    """A linear axis of mean alignments, higher = better aligned."""

    low: float
    high: float

    @classmethod
    def over(cls, clusters: Sequence[Mapping[str, Any]]) -> AlignmentAxis:
        """0 to 1 where the values allow, else as wide as they need."""
        values = [0.0, 1.0]
        for c in clusters:
            interval = interval_of(c.get("interval"))
            values += [interval.low, interval.high] if interval else []
            values += [c["mean_alignment"]] if c.get("mean_alignment") is not None else []
        return cls(min(values), max(values))

    def position(self, value: float) -> float:
        """Percent of the axis' width, 0..100."""
        return 100 * min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def bar(self, value: float | None, interval: Interval | None) -> Bar:
        """The bar of one mean alignment."""
        return _bar(self.position, self.low, self.high, value, interval)


def _bar(
    position: Callable[[float], float],
    low: float,
    high: float,
    value: float | None,
    interval: Interval | None,
) -> Bar:
    if value is None:
        return Bar(None, None, None)
    if interval is None:
        return Bar(position(value), None, None)
    return Bar(
        position(value),
        position(interval.low),
        position(interval.high),
        cut_low=interval.low < low,
        cut_high=interval.high > high,
    )


def interval_of(value: object) -> Interval | None:
    """An interval of findings.json: {"low", "high", "level"} or [low, high]; None if there is none."""
    if isinstance(value, Mapping):
        return Interval(value["low"], value["high"], value.get("level", 0.95))
    if isinstance(value, list) and len(value) == 2:
        return Interval(*value)
    return None


def between(interval: Interval | None, shown: Callable[[float | None], str]) -> str:
    """An interval in words: "95 % interval 1.2× to 4.0×"; "" if there is none."""
    if interval is None:
        return ""
    return f"{100 * interval.level:.0f} % interval {shown(interval.low)} to {shown(interval.high)}"
