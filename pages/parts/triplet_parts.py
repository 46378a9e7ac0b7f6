"""Parts of the Triplets page as HTML."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from urllib.parse import urlencode

from core.domain.evian import AXIS_SYMBOLS
from core.views.numbers import count
from core.views.triplet_sample import TripletSample
from core.views.triplets import (
    CaptionerRow,
    Distribution,
    Rows,
    Selection,
    Triplets,
    cell,
    sorted_rows,
)
from pages.parts.html import esc

POINTS_AT_MOST = 1500
LANE = 14.0
"""Height of the lane of responses that infer nothing, percent of the plot."""


def distribution_html(d: Distribution) -> str:
    """Bars of 1..5, and apart from them those without a claim and those without a score."""
    most = max(1, *d.counts, d.n_default)
    bars = "".join(_bar(str(i + 1), n, most) for i, n in enumerate(d.counts))
    apart = _bar("no claim", d.n_default, most, "fl-none") if d.n_default else ""
    apart += _bar("not scored", d.n_unscored, most, "fl-none") if d.n_unscored else ""
    mean = "no score" if d.mean is None else f"mean <b>{d.mean:.2f}</b> of {count(sum(d.counts))}"
    return (
        f'<section class="fl-axis"><h2>{esc(d.name)} <small>{AXIS_SYMBOLS[d.axis]}</small></h2>'
        f'<p class="fl-sub">{mean}</p>'
        f'<ul class="fl-bars">{bars}</ul><ul class="fl-bars fl-apart">{apart}</ul></section>'
    )


def _bar(label: str, n: int, most: int, kind: str = "") -> str:
    return (
        f'<li class="{kind}"><span>{label}</span><i style="width:{100 * n / most:.1f}%"></i>'
        f"<em>{count(n)}</em></li>"
    )


def scatter_html(t: Triplets, rows: Rows) -> str:
    """S_V (across) against S_L (up), coloured by S_K; points are moved a little so that all are seen.

    Responses without an inference have no S_L to show: they lie in a lane of their own below the axis.
    """
    scored = [int(i) for i in sorted_rows(t, rows, limit=len(rows)) if t.scores[i, 0] == t.scores[i, 0]]
    scored = [i for i in scored if t.scores[i, 1] == t.scores[i, 1]]
    step = max(1, -(-len(scored) // POINTS_AT_MOST))
    points = "".join(_point(t, i) for i in scored[::step])
    ticks = "".join(
        f'<b style="left:{_across(s):.1f}%">{s}</b><u style="bottom:{_up(s):.1f}%">{s}</u>'
        for s in range(1, 6)
    )
    ticks += f'<hr style="bottom:{LANE}%"><u class="fl-lane" style="bottom:{LANE / 2:.1f}%">no claim</u>'
    keys = "".join(f'<span><i class="fl-k{s}"></i>{s}</span>' for s in range(1, 6))
    note = f" One in {step} shown." if step > 1 else ""
    return (
        '<section class="fl-axis"><h2>Consistency against coherence</h2>'
        '<p class="fl-sub">to the right S_V, up S_L, higher is better; apart: nothing inferred</p>'
        f'<div class="fl-scatter" role="img" aria-label="{len(scored)} responses by S_V and S_L">'
        f"{ticks}{points}</div>"
        f'<p class="fl-keys">S_K {keys}<span><i class="fl-k0"></i>no claim</span></p>'
        f'<p class="fl-sub">{count(len(scored))} responses.{note}</p></section>'
    )


def _across(score: float) -> float:
    return 100 * (score - 0.5) / 5


def _up(score: float) -> float:
    return LANE + (100 - LANE) * (score - 0.5) / 5


def _point(t: Triplets, i: int) -> str:
    noise = zlib.crc32(t.sample_ids[i].encode())
    dx, dy = (noise & 0xFFFF) / 0xFFFF - 0.5, (noise >> 16) / 0xFFFF - 0.5
    x = _across(t.scores[i, 0] + 0.7 * dx)
    y = LANE * (0.5 + 0.7 * dy) if t.defaulted[i, 1] else _up(t.scores[i, 1] + 0.7 * dy)
    k = 0 if t.defaulted[i, 2] or t.scores[i, 2] != t.scores[i, 2] else int(t.scores[i, 2])
    hollow = " fl-hollow" if t.defaulted[i, 1] else ""
    address = urlencode({"run": t.run_id, "sample": t.sample_ids[i]})
    title = f"{t.sample_ids[i]}: S_V {cell(t, i, 0)}, S_L {cell(t, i, 1)}, S_K {cell(t, i, 2)}"
    return (
        f'<a class="fl-k{k}{hollow}" style="left:{x:.2f}%;bottom:{y:.2f}%" '
        f'href="?{esc(address)}" target="_self" title="{esc(title)}" tabindex="-1"></a>'
    )


def captioners_html(table: Sequence[CaptionerRow]) -> str:
    """Means by captioner."""
    rows = "".join(
        f'<tr><th scope="row">{esc(r.captioner)}</th><td>{count(r.n)}</td><td><b>{_mean(r.overall)}</b></td>'
        + "".join(f"<td>{_mean(m)}</td>" for m in r.means)
        + f"<td>{count(r.defaulted[1])}, {count(r.defaulted[2])}</td><td>{count(r.unscored)}</td></tr>"
        for r in table
    )
    return (
        '<table class="fl-table"><thead><tr><th scope="col">Captioner</th><th scope="col">responses</th>'
        '<th scope="col">overall</th><th scope="col">S_V</th><th scope="col">S_L</th><th scope="col">S_K</th>'
        '<th scope="col">no claim (L, K)</th><th scope="col">not scored</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _mean(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def selection_html(chosen: Selection) -> str:
    """What is kept and what is dropped."""
    lowest = "" if chosen.lowest is None else f" The lowest score kept is {chosen.lowest:.2f}."
    unscored = ""
    if chosen.n_unscored:
        unscored = f" {count(chosen.n_unscored)} of the dropped have no overall score."
    lines = "".join(
        f'<li><span>{esc(name)}</span><i style="width:{100 * kept / max(1, all_):.1f}%"></i>'
        f"<em>{count(kept)} of {count(all_)}</em></li>"
        for name, kept, all_ in chosen.by_captioner
    )
    return (
        f'<p class="fl-lead">{count(len(chosen.kept))} kept, {count(chosen.n_dropped)} dropped</p>'
        f'<p class="fl-sub">{lowest}{unscored}</p><ul class="fl-bars fl-wide-names">{lines}</ul>'
    )


def _kind(value: str) -> str:
    """A score is coloured as one; "no claim" and "not scored" are not."""
    return "" if value.isdigit() else "fl-quiet-score"


def sample_html(run_id: str, s: TripletSample, *, baseline: bool) -> str:
    """One sample: image, response with its tags, summary, scores with reasons, where they come from."""
    image = ""
    if s.image_sha256:
        source = f"/thumb/{esc(run_id)}/{esc(s.image_sha256)}?w=1024"
        image = f'<img src="{source}" alt="image of {esc(s.sample_id)}" loading="lazy">'
    response = "".join(
        f'<mark class="fl-{tag.lower()}">{esc(text)}</mark>' if tag else esc(text) for text, tag in s.pieces
    )
    instruction = f'<p class="fl-sub">{esc(s.instruction)}</p>' if s.instruction else ""
    news = ""
    if s.new_words:
        news = f'<p class="fl-sub">New words in the summary: {esc(", ".join(s.new_words))}</p>'
    total = "no overall score" if s.overall is None else f"overall {s.overall:.2f}"
    total += " · baseline" if baseline else ""
    axes = "".join(
        f'<li class="{_kind(a.value)}">'
        f"<h3>{esc(a.name)} <small>{esc(a.symbol)}</small> <b>{esc(a.value)}</b></h3>"
        f"<p>{esc(a.explanation)}</p>"
        + (f'<p class="fl-sub">unrounded {a.expected:.2f}</p>' if a.expected is not None else "")
        + (f"<details><summary>Answer of the model</summary><p>{esc(a.raw)}</p></details>" if a.raw else "")
        + "</li>"
        for a in s.axes
    )
    lines = "".join(f"<dt>{esc(k)}</dt><dd>{esc(v)}</dd>" for k, v in s.provenance)
    return (
        f'<article class="fl-sample"><h2>{esc(s.sample_id)} <small>{esc(s.captioner)} · {total}</small></h2>'
        f'{instruction}<div class="fl-sample-body"><div class="fl-sample-picture">{image}</div><div>'
        f'<p class="fl-response">{response}</p><p class="fl-keys">'
        f'<span><mark class="fl-infer">inference</mark></span>'
        f'<span><mark class="fl-know">outside knowledge</mark></span><span>unmarked: visual</span></p>'
        f'<h3>Visual summary</h3><p class="fl-response">{esc(s.visual_summary)}</p>{news}</div>'
        f'<ul class="fl-scores">{axes}</ul></div>'
        f"<details><summary>Where these scores come from</summary><dl>{lines}</dl></details></article>"
    )
