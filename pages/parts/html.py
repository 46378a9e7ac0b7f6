"""Text from data as HTML: everything escaped, marks as elements."""

from __future__ import annotations

import html
from collections.abc import Iterable

from core.views.axes import Bar
from core.views.marked_text import Mark, Piece

_TAGS: dict[Mark, str] = {
    "sentence": '<mark class="fl-sentence">{}</mark>',
    "concept": '<mark class="fl-concept">{}</mark>',
    "feature": '<mark class="fl-feature">{}</mark>',
    "gap": '<span class="fl-gap">{}</span>',
    "": "{}",
}


def esc(text: object) -> str:
    """Text that stays text inside an element or a quoted attribute; control characters are shown as �."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else "�" for c in str(text))
    return html.escape(shown, quote=True)


def marked(pieces: Iterable[Piece]) -> str:
    """Pieces of a caption with their marks."""
    return "".join(_TAGS[p.mark].format(esc(p.text)) for p in pieces)


def interval_bar(bar: Bar, reference: float | None, description: str) -> str:
    """A whisker on its axis: a line for the interval, a dot for the value, a tick for `reference`.

    reference: position of "no effect" in percent, None = no tick. description: for screen readers.
    """
    if bar.value is None:
        return '<span class="fl-bar"></span>'
    parts = []
    if reference is not None:
        parts.append(f'<i class="fl-tick" style="left:{reference:.1f}%"></i>')
    if bar.low is not None and bar.high is not None:
        ends = f"{' fl-cut-low' if bar.cut_low else ''}{' fl-cut-high' if bar.cut_high else ''}"
        width = max(0.0, bar.high - bar.low)
        parts.append(f'<i class="fl-whisker{ends}" style="left:{bar.low:.1f}%;width:{width:.1f}%"></i>')
    parts.append(f'<i class="fl-dot" style="left:{bar.value:.1f}%"></i>')
    return f'<span class="fl-bar" role="img" aria-label="{esc(description)}">{"".join(parts)}</span>'
