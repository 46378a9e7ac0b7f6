"""Parts of the Captioners page as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from core.views.captioners import Comparison, ErrorMix, Standing
from core.views.numbers import count
from pages.parts.html import esc, interval_bar


def board_html(board: Sequence[Standing]) -> str:
    """Captioners by one criterion, best first, with 95 % intervals."""
    rows = "".join(
        f'<tr><th scope="row">{esc(s.captioner)}</th><td>{esc(s.rank)}</td><td><b>{esc(s.value)}</b></td>'
        f"<td>{interval_bar(s.bar, None, f'{s.value}, {s.interval}')}</td><td>{esc(s.interval)}</td>"
        f"<td>{count(s.n_descriptions)}</td><td>{count(s.n_sentences)}</td></tr>"
        for s in board
    )
    return (
        '<table class="fl-table fl-board"><thead><tr><th scope="col">Captioner</th><th scope="col">rank</th>'
        '<th scope="col">right</th><th scope="col">0 to 100 %</th>'
        '<th scope="col">95 % interval (images drawn anew)</th>'
        '<th scope="col">captions</th><th scope="col">sentences judged</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def comparison_html(c: Comparison) -> str:
    """Differences on shared images, and McNemar's table in words."""
    if not c.pair.n_images:
        return '<p class="fl-sub">These two have no judged image in common, so they cannot be compared.</p>'
    rows = "".join(
        f'<tr><th scope="row">{esc(line.criterion)}</th><td><b>{esc(line.value)}</b></td>'
        f"<td>{esc(line.interval)}</td><td>{esc(line.p)}</td><td>{esc(line.better)}</td></tr>"
        for line in c.lines
    )
    pair = c.pair
    if not c.lines:
        return (
            f'<p class="fl-sub">These two share {count(pair.n_images)} images: too few for an interval.</p>'
        )
    return (
        '<table class="fl-table"><thead><tr><th scope="col">First minus second, in points</th>'
        '<th scope="col">difference</th><th scope="col">95 % interval</th><th scope="col">p</th>'
        f'<th scope="col"></th></tr></thead><tbody>{rows}</tbody></table>'
        f'<p class="fl-sub">On {count(pair.n_images)} shared images (paired bootstrap). Wholly right: '
        f"both on {count(pair.both)}, only {esc(c.first)} on {count(pair.only_first)}, "
        f"only {esc(c.second)} on {count(pair.only_second)}, neither on {count(pair.neither)}. McNemar’s "
        f"exact p {esc(c.mcnemar)}.</p>"
    )


def mix_html(mix: Sequence[ErrorMix]) -> str:
    """What the critiques of each captioner name most."""
    parts = []
    for one in mix:
        items = "".join(
            f"<li>{esc(name)} <em>{count(n)} · {100 * share:.0f} %</em></li>" for name, n, share in one.errors
        )
        unscored = f", {count(one.n_unscored)} not judged" if one.n_unscored else ""
        parts.append(
            f'<h3 class="fl-map-title">{esc(one.captioner)}</h3><p class="fl-sub">'
            f"{count(one.n_flagged)} of {count(one.n_sentences)} sentences flagged{unscored}</p>"
            f'<ul class="fl-reasons">{items}</ul>'
        )
    return f'<section aria-label="What critiques name most">{"".join(parts)}</section>'
