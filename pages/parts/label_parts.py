"""Parts of the Label page as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from core.findings.prevalence import Prevalence
from core.labels.fact_labels import Agreement
from core.views.label_queue import LabelCard
from core.views.numbers import count
from pages.parts.html import esc, marked


def card_html(run_id: str, card: LabelCard, following: str | None) -> str:
    """Image and caption with the sentence marked; the next image is fetched unseen. No score is here."""
    picture = ""
    if card.image is not None:
        source = _thumb(run_id, card.image)
        picture = f'<img class="fl-label-image" src="{source}" alt="Image of {esc(card.place[0])}">'
    ahead = f'<img class="fl-ahead" src="{_thumb(run_id, following)}" alt="">' if following else ""
    return (
        f'<article class="fl-label">{picture}<p class="fl-label-text">{marked(card.caption)}</p>'
        f'<p class="fl-sub">Does the image bear out the marked sentence?</p>{ahead}</article>'
    )


def _thumb(run_id: str, sha256: str) -> str:
    return f"/thumb/{quote(run_id, safe='')}/{quote(sha256, safe='')}?w=1024"


def interval_html(found: Prevalence | None, fewest: int, stop_at: float) -> str:
    """The share of wrong sentences with its interval, and whether one may stop."""
    head = '<section class="fl-prevalence"><h2>Really wrong</h2>'
    if found is None:
        return f'{head}<p class="fl-sub">Estimated from your first verdict on.</p></section>'
    low, high = found.interval.low, found.interval.high
    bar = (
        '<div class="fl-interval" role="img" aria-label="interval of the share of wrong sentences">'
        f'<i style="left:{100 * low:.1f}%;width:{max(0.5, 100 * (high - low)):.1f}%"></i>'
        f'<b style="left:{100 * found.share:.1f}%"></b></div>'
        '<p class="fl-ends"><span>0 %</span><span>100 %</span></p>'
    )
    if found.may_stop(stop_at):
        said = f"You may stop: the interval is narrower than {100 * stop_at:.0f} points."
        kind = "fl-may-stop"
    elif found.n < fewest:
        said, kind = f"Go on: at least {fewest} verdicts are needed, {found.n} so far.", ""
    else:
        width = 100 * found.width
        said = f"Go on until the interval is narrower than {100 * stop_at:.0f} points; it has {width:.0f}."
        kind = ""
    alone = found.verdicts_interval
    of_people = f"{100 * found.verdicts_share:.0f} %, {100 * alone.low:.0f} to {100 * alone.high:.0f} %"
    return (
        f'{head}<p class="fl-rate"><b>{100 * found.share:.0f} %</b> of {count(found.n_facts)} sentences, '
        f"95 % interval {100 * low:.0f} to {100 * high:.0f} %</p>{bar}"
        f'<p class="fl-stop {kind}">{said}</p>'
        f'<p class="fl-sub">From {count(found.n)} of your verdicts and the model’s scores of all (PPI). '
        f"Verdicts alone: {of_people}. "
        "Entailment counts as right, Neutral and Contradiction as wrong.</p></section>"
    )


def agreement_html(found: Sequence[Agreement]) -> str:
    """Agreement with others on sentences that both judged."""
    head = '<section class="fl-agreement"><h2>Agreement</h2>'
    if not found:
        return f'{head}<p class="fl-sub">Nobody else has judged a sentence of yours yet.</p></section>'
    rows = "".join(
        f'<tr><th scope="row">{esc(a.other)}</th><td>{count(a.n)}</td><td>{100 * a.equal:.0f} %</td>'
        f"<td>{'–' if a.kappa is None else f'{a.kappa:.2f}'}</td></tr>"
        for a in found
    )
    return (
        f'{head}<table class="fl-table"><thead><tr><th scope="col">Annotator</th>'
        '<th scope="col">both judged</th>'
        '<th scope="col">equal</th><th scope="col">kappa</th></tr></thead>'
        f'<tbody>{rows}</tbody></table><p class="fl-sub">Cohen’s kappa: 1 = full agreement, 0 = as by chance.'
        "</p></section>"
    )
