"""Numbers and times as people read them; None (nothing to show) is an en dash."""

from __future__ import annotations

import math
from datetime import datetime

NOTHING = "–"


def count(n: int | None) -> str:
    """12345 -> "12,345"."""
    return NOTHING if n is None else f"{n:,}"


def counted(n: int, one: str, many: str | None = None) -> str:
    """(1, "finding") -> "1 finding", (2, "finding") -> "2 findings"."""
    return f"{n:,} {one if n == 1 else (many or one + 's')}"


def ratio(value: float | None) -> str:
    """A ratio to two or three digits: 3.14 -> "3.1×", 0.456 -> "0.46×", 41.7 -> "42×"."""
    if value is None or math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞"
    if value >= 10:
        return f"{value:,.0f}×"
    return f"{value:.1f}×" if value >= 1 else f"{value:.2f}×"


def share(part: int, whole: int) -> str:
    """A part of a whole in percent, as exact as the whole allows: (3, 8) -> "38 %"."""
    if whole <= 0:
        return NOTHING
    percent = 100 * part / whole
    if 0 < percent < 10 and whole >= 100:
        return f"{percent:.1f} %"
    return f"{percent:.0f} %"


def decimal(value: float | None, digits: int = 2) -> str:
    """A plain number, with a real minus sign: -0.5 -> "−0.50"."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{value:.{digits}f}".replace("-", "−")


def p_value(p: float | None) -> str:
    """0.03 -> "0.030", 0.00002 -> "2 × 10⁻⁵"; 0 (below what a float holds) -> "< 10⁻³⁰⁰"."""
    if p is None or math.isnan(p):
        return NOTHING
    if p <= 1e-300:
        return "< 10⁻³⁰⁰"
    if p >= 0.001:
        return f"{p:.3f}"
    mantissa, exponent = f"{p:.0e}".split("e")
    return f"{mantissa} × 10⁻{str(-int(exponent)).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def duration(seconds: float | None) -> str:
    """0.4 -> "0.4 s", 75 -> "1 min 15 s", 7300 -> "2 h 1 min"."""
    if seconds is None or not math.isfinite(seconds) or seconds < 0:
        return NOTHING
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min"


def when(time: str, now: datetime | None = None) -> str:
    """An ISO 8601 time as local "14:05" (today) or "3 Mar 2026, 14:05"; what is no time stays as it is."""
    try:
        moment = datetime.fromisoformat(time).astimezone()
    except ValueError:
        return time
    today = (now or datetime.now()).astimezone().date()
    clock = moment.strftime("%H:%M")
    return clock if moment.date() == today else f"{moment.day} {moment.strftime('%b %Y')}, {clock}"


def size(n_bytes: int) -> str:
    """1536 -> "1.5 KB"."""
    value = float(n_bytes)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1024 or unit == "GB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" or value >= 10 else f"{value:.1f} {unit}"
