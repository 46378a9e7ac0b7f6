"""A judged caption, critiques and revisions as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from core.views.numbers import count
from core.views.vnli_sample import CaptionView, SentenceView, word_diff
from pages.parts.html import esc

VERDICTS = {
    "Entailment": ("fl-v-right", "✓", "supported"),
    "Non-entailment": ("fl-v-wrong", "✗", "not supported"),
    "Nothing to assess": ("fl-v-none", "○", "nothing to assess"),
    "Not judged": ("fl-v-none", "?", "not judged"),
}
_DECIDED = {"accepted": "Accepted", "edited": "Edited by hand", "rejected": "Rejected: the original stays"}


def caption_html(view: CaptionView) -> str:
    """The caption, each sentence by its verdict: colour, underline and a sign before it."""
    pieces, position = [], 0
    for s in view.sentences:
        pieces += [esc(view.caption[position : s.start]), _sentence(s)]
        position = s.end
    pieces.append(esc(view.caption[position:]))
    used = {s.verdict for s in view.sentences}
    keys = "".join(f"<span>{sign} {name}</span>" for v, (_, sign, name) in VERDICTS.items() if v in used)
    return f'<p class="fl-caption">{"".join(pieces)}</p><p class="fl-v-keys">{keys}</p>'


def _sentence(s: SentenceView) -> str:
    kind, sign, name = VERDICTS.get(s.verdict, VERDICTS["Not judged"])
    p = f", p {s.p}" if s.p else ""
    title = esc(f"{name}{p}. {s.why}".strip())
    mark = f'<b role="img" aria-label="{name}">{sign}</b>'
    return f'<span class="{kind}" title="{title}">{mark}{esc(s.text)}</span>'


def picture_html(run_id: str, view: CaptionView) -> str:
    """The image by URL, "" if there is none."""
    if view.image is None:
        return ""
    source = f"/thumb/{quote(run_id, safe='')}/{quote(view.image, safe='')}"
    image = f'<img src="{source}" alt="Image {esc(view.sample_id)}" loading="lazy">'
    return f'<div class="fl-thumb">{image}</div>'


def critique_html(s: SentenceView) -> str:
    """What the critic says is wrong, or why it says nothing."""
    text = esc(s.critique) if s.critique else f"No critique: {esc(s.critique_missing or 'none was written')}"
    p = f" (p {esc(s.p)})" if s.p else ""
    return f'<p class="fl-critique">✗{p} {text}</p>'


def diff_html(before: str, after: str | None, missing: str = "") -> str:
    """Words taken out and put in; a sentence to be taken out is struck through whole."""
    if after is None:
        return f'<p class="fl-diff">{esc(before)}</p><p class="fl-decided">No revision: {esc(missing)}</p>'
    if not after:
        return f'<p class="fl-diff"><del>{esc(before)}</del></p>'
    tags = {"same": "{}", "out": "<del>{}</del>", "in": "<ins>{}</ins>"}
    pieces = "".join(tags[kind].format(esc(text)) for kind, text in word_diff(before, after))
    return f'<p class="fl-diff">{pieces}</p>'


def after_html(s: SentenceView) -> str:
    """What the critic says of the revision."""
    if s.revision is None:
        return ""
    if not s.revision:
        said = "Proposed: take the sentence out."
    elif not s.after:
        said = "The revision was not judged."
    else:
        _, sign, name = VERDICTS.get(s.after, VERDICTS["Not judged"])
        said = f"Revision judged again: {sign} {name}{f' (p {esc(s.p_after)})' if s.p_after else ''}."
    return f'<p class="fl-decided">{said}</p>'


def decided_html(s: SentenceView) -> str:
    """What people decided, and who."""
    d = s.decision
    if d is None:
        return ""
    who = esc(", ".join(label.annotator for label in d.labels))
    if d.verdict is None:
        return f'<p class="fl-decided">Disputed by {who}: the original stays until they agree.</p>'
    taken_out = " (taken out)" if d.text == "" else ""
    return f'<p class="fl-decided">{_DECIDED[d.verdict]}{taken_out} · {who}</p>'


def reasons_html(reasons: Sequence[tuple[str, int]]) -> str:
    """What the critiques name most, with the number of sentences."""
    items = "".join(f"<li>{esc(name)} <em>{count(n)}</em></li>" for name, n in reasons)
    return f'<ul class="fl-reasons" aria-label="What critiques name most">{items}</ul>'
