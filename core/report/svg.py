"""Static drawings of a report: SVG text without scripts, styles or outside references.

Colours come from the report's stylesheet by class, so that light, dark and print each have their own.
Every text from data is escaped here; nothing else may put markup into a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from core.errors import shorten
from core.views.axes import RatioAxis, interval_of
from core.views.numbers import ratio

LABEL = 200
ROW = 26
DOTS_AT_MOST = 4000


def _svg(width: float, height: float, title: str, body: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {_n(width)} {_n(height)}" role="img" aria-label="{escape(title)}" '
        f'class="plot" preserveAspectRatio="xMinYMin meet">' + "".join(body) + "</svg>"
    )


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def _text(x: float, y: float, said: str, kind: str = "t", anchor: str = "start") -> str:
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{_n(x)}" y="{_n(y)}" class="{kind}"{at}>{escape(_safe(said))}</text>'


def _safe(said: str) -> str:
    """Without characters that XML does not hold or that turn the direction of the text around them."""
    return "".join(c for c in said if (c.isprintable() or c == " ") and not "\u202a" <= c <= "\u202e")


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" class="{kind}"/>'


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    size = f'width="{_n(max(width, 0))}" height="{_n(height)}"'
    return f'<rect x="{_n(x)}" y="{_n(y)}" {size} class="{kind}"/>'


def forest(rows: Sequence[tuple[str, dict[str, object], bool]], title: str) -> str:
    """Risk ratios with their intervals on one logarithmic axis. rows: (label, association, believed)."""
    width, right, top = 720.0, 70.0, 8.0
    axis = RatioAxis.over([a for _, a, _ in rows])
    span = width - LABEL - right
    body: list[str] = []
    bottom = top + ROW * len(rows)
    for tick in (v for v in (0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 100, 1000) if axis.low <= v <= axis.high):
        x = LABEL + span * axis.position(tick) / 100
        body.append(_line(x, top, x, bottom, "one" if tick == 1 else "grid"))
        body.append(_text(x, bottom + 15, f"{tick:g}×", "s", "middle"))
    for i, (label, association, believed) in enumerate(rows):
        y = top + ROW * (i + 0.5)
        bar = axis.bar(
            _number(association.get("risk_ratio")), interval_of(association.get("risk_ratio_interval"))
        )
        body.append(_text(LABEL - 10, y + 4, shorten(label, 30), "t", "end"))
        if bar.low is not None and bar.high is not None:
            body.append(_line(LABEL + span * bar.low / 100, y, LABEL + span * bar.high / 100, y, "whisker"))
        if bar.value is not None:
            kind = "dot" if believed else "dot open"
            body.append(
                f'<circle cx="{_n(LABEL + span * bar.value / 100)}" cy="{_n(y)}" r="5" class="{kind}"/>'
            )
        body.append(_text(width, y + 4, ratio(_number(association.get("risk_ratio"))), "t", "end"))
    return _svg(width, bottom + 22, title, body)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def shares(rows: Sequence[tuple[str, float, str]], title: str) -> str:
    """Bars of percentages, 0..100 wide. rows: (label, percent, what is said behind the bar)."""
    width, label, behind = 480.0, 150.0, 110.0
    span = width - label - behind
    body: list[str] = []
    for i, (name, percent, said) in enumerate(rows):
        y = 6 + 30.0 * i
        body.append(_text(label - 10, y + 14, shorten(name, 22), "t", "end"))
        body.append(_rect(label, y, span, 20, "track"))
        body.append(_rect(label, y, span * min(max(percent, 0), 100) / 100, 20, "bad" if i == 0 else "mild"))
        body.append(_text(label + span + 8, y + 14, said, "t"))
    return _svg(width, 10 + 30.0 * len(rows), title, body)


def columns(counts: Sequence[tuple[str, int, str]], title: str) -> str:
    """A small column chart of counts. counts: (label, count, class of the column)."""
    width, height = 300.0, 130.0
    top, step = 16.0, width / max(1, len(counts))
    most = max((n for _, n, _ in counts), default=0) or 1
    body: list[str] = [_line(0, top + height, width, top + height, "axis")]
    for i, (label, n, kind) in enumerate(counts):
        x, tall = step * i, height * n / most
        body.append(_rect(x + step * 0.14, top + height - tall, step * 0.72, tall, kind))
        body.append(_text(x + step / 2, top + height - tall - 4, f"{n:,}", "s", "middle"))
        body.append(_text(x + step / 2, top + height + 15, label, "s", "middle"))
    return _svg(width, top + height + 22, title, body)


def scatter(
    places: npt.NDArray[np.floating],
    wrong: npt.NDArray[np.bool_],
    unscored: npt.NDArray[np.bool_],
    labels: Sequence[tuple[float, float, str]],
    title: str,
) -> str:
    """Points of a map. places: (n, 2) in 0..1, y upwards. labels: (x, y, text) in the same units.

    At most DOTS_AT_MOST points are drawn, wrong ones and others in their true proportion, chosen evenly
    over the rows. One path a colour keeps the file small.
    """
    low, high = (places.min(axis=0), places.max(axis=0)) if len(places) else (np.zeros(2), np.ones(2))
    scale = 640.0 / max(float(high[0] - low[0]), 1e-6)
    width, height = 680.0, float(high[1] - low[1]) * scale + 40
    body: list[str] = []
    step = max(1, -(-len(places) // DOTS_AT_MOST))
    drawn = np.column_stack([20 + (places[:, 0] - low[0]) * scale, 20 + (high[1] - places[:, 1]) * scale])
    for kind, chosen in (("quiet", unscored), ("right", ~wrong & ~unscored), ("wrong", wrong & ~unscored)):
        points = drawn[chosen][::step]
        if len(points):
            path = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in points)
            body.append(f'<path d="{path}" class="dots {kind}"/>')
    for x, y, said in labels:
        at = min(max(20 + (x - low[0]) * scale, 50), width - 50), 20 + (high[1] - y) * scale
        body += [_text(*at, shorten(said, 28), kind, "middle") for kind in ("halo", "label")]
    return _svg(width, height, title, body)


def dumbbells(rows: Sequence[tuple[str, float | None]], low: float, high: float, title: str) -> str:
    """One dot a row on a shared axis from low to high. rows: (label, value), None = nothing to draw."""
    width, right, top = 720.0, 60.0, 6.0
    span, bottom = width - LABEL - right, top + ROW * len(rows)
    body: list[str] = []
    for tick in np.linspace(low, high, 5):
        x = LABEL + span * (tick - low) / (high - low)
        body.append(_line(x, top, x, bottom, "grid"))
        body.append(_text(x, bottom + 15, f"{tick:g}", "s", "middle"))
    for i, (label, value) in enumerate(rows):
        y = top + ROW * (i + 0.5)
        body.append(_text(LABEL - 10, y + 4, shorten(label, 30), "t", "end"))
        if value is not None:
            x = LABEL + span * (min(max(value, low), high) - low) / (high - low)
            body.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="5" class="dot"/>')
        body.append(_text(width, y + 4, "–" if value is None else f"{value:.2f}", "t", "end"))
    return _svg(width, bottom + 22, title, body)
