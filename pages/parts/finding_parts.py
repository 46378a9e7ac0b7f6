"""Parts of the Finding page as HTML: the table, the numbers, the candidates, the history."""

from __future__ import annotations

from collections.abc import Sequence

from core.views.finding import Candidate, FindingView, Statistic, VerdictLine
from core.views.numbers import when
from pages.parts.html import esc, interval_bar


def title_html(view: FindingView) -> str:
    """t ← v as the heading."""
    return (
        '<h1 class="fl-title">'
        f'<span class="fl-t">{esc(view.textual_fact)}</span><span class="fl-arrow">←</span>'
        f'<span class="fl-v">{esc(view.visual_feature)}</span></h1>'
        f'<p class="fl-lead">{esc(view.sentence)}</p><p class="fl-sub">{esc(view.rates)}</p>'
    )


def table_html(view: FindingView) -> str:
    """The 2x2 table with counts, the share of each row that is wrong drawn as a bar."""
    t = esc(view.textual_fact)
    rows = "".join(
        f'<tr><th scope="row">{esc(r.label)}</th><td><b>{r.wrong}</b></td><td>{r.right}</td>'
        f'<td>{r.share}<span class="fl-share"><i style="width:{r.percent:.1f}%"></i></span></td></tr>'
        for r in view.table
    )
    return (
        f'<table class="fl-table"><thead><tr><th scope="col">Captions</th><th scope="col">‘{t}’ wrong</th>'
        f'<th scope="col">not wrong</th><th scope="col">share wrong</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def statistics_html(statistics: Sequence[Statistic]) -> str:
    """Numbers with what they mean on hover, intervals drawn."""
    return f'<dl class="fl-stats">{"".join(map(_statistic, statistics))}</dl>'


def _statistic(s: Statistic) -> str:
    line = f'<dt title="{esc(s.meaning)}">{esc(s.name)}</dt><dd>{esc(s.value)}</dd>'
    if s.bar is not None and s.bar.value is not None:
        drawn = interval_bar(s.bar, s.reference, f"{s.name} {s.value}, {s.interval}")
        line += f'<dd class="fl-wide">{drawn}{esc(s.interval)}</dd>'
    return line


def candidates_html(candidates: Sequence[Candidate]) -> str:
    """Names with their weights as bars, the chosen one marked."""
    lines = "".join(
        f'<li class="{"fl-chosen" if c.chosen else ""}"><span title="{esc(c.text)}">{esc(c.text)}</span>'
        f'<i style="width:{c.width:.0f}%"></i><em>{esc(c.weight)}</em></li>'
        for c in candidates
    )
    return f'<ul class="fl-votes">{lines}</ul>'


def history_html(history: Sequence[VerdictLine]) -> str:
    """Who said what when; what no longer holds is struck through."""
    return f'<ul class="fl-history">{"".join(map(_history_line, history))}</ul>'


def _history_line(line: VerdictLine) -> str:
    verdict = esc(line.verdict) if line.standing else f"<s>{esc(line.verdict)}</s>"
    tail = " (taken back)" if line.withdrawn else ""
    note = f"<br>{esc(line.note)}" if line.note else ""
    return (
        f"<li>{verdict}{tail} · {esc(line.annotator)} · "
        f'<time datetime="{esc(line.time)}">{esc(when(line.time))}</time>{note}</li>'
    )
