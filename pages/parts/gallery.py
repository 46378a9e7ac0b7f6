"""Cards of samples: image by URL, the offending sentence marked in its caption."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from core.views.gallery import SampleCard
from pages.parts.html import esc, marked


def gallery_html(run_id: str, cards: Sequence[SampleCard], *, wrong: bool, judged: bool = False) -> str:
    """The cards as a grid. wrong: whether the marked sentences are errors.

    judged: whether the run judged sentences; each card then links to the page of its sample.
    """
    holds = "" if wrong else " fl-holds"
    return f'<div class="fl-gallery{holds}">{"".join(_card(run_id, c, judged) for c in cards)}</div>'


def _card(run_id: str, card: SampleCard, judged: bool) -> str:
    link = _sample_link(run_id, card) if judged else ""
    return (
        f'<figure class="fl-card">{_picture(run_id, card)}<figcaption>'
        f"<p>{marked(card.excerpt)}</p>{_objects(card)}{link}{_details(card)}</figcaption></figure>"
    )


def _sample_link(run_id: str, card: SampleCard) -> str:
    address = urlencode({"run": run_id, "sample": card.sample_id})
    name = f"Sentence by sentence: sample {card.sample_id}"
    return (
        f'<a class="fl-sample-link" href="/sample?{esc(address)}" target="_self" aria-label="{esc(name)}">'
        "Sentence by sentence</a>"
    )


def _picture(run_id: str, card: SampleCard) -> str:
    if card.image is None:
        return ""
    source = f"/thumb/{quote(run_id, safe='')}/{quote(card.image, safe='')}"
    return (
        f'<a class="fl-picture" href="{source}?w=1024" target="_blank" rel="noopener">'
        f'<img src="{source}" alt="Image {esc(card.sample_id)}" loading="lazy" decoding="async"></a>'
    )


def _objects(card: SampleCard) -> str:
    if not card.objects:
        return ""
    chips = "".join(
        f'<li class="{"fl-is-v" if c.is_feature else ""}">{esc(c.text)}</li>' for c in card.objects
    )
    return f'<ul class="fl-chips" aria-label="Objects in the image">{chips}</ul>'


def _details(card: SampleCard) -> str:
    lines = [("Why", esc(card.explanation)), ("Alignment, higher = better aligned", esc(card.alignment))]
    if card.shortened:
        lines.insert(0, ("Whole caption", f"<p>{marked(card.caption)}</p>"))
    if card.references:
        lines.append(("References", "<br>".join(marked(r) for r in card.references)))
    if card.objects is not None and not card.objects:
        lines.append(("Objects", "none listed"))
    if card.captioner:
        lines.append(("Captioner", esc(card.captioner)))
    lines.append(("Sample", esc(card.sample_id)))
    if card.image_path:
        lines.append(("Image", esc(card.image_path)))
    inner = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in lines if value)
    return f"<details><summary>Details</summary><dl>{inner}</dl></details>"
