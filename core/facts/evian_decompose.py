"""The three steps over a chat model, for many responses at once. Paper: Evian 3.2."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.chat import Ask, Completion
from core.domain.evian import Decomposition, TagSpan
from core.domain.evian_tags import insert_tags
from core.domain.judgement import Unscored
from core.facts.evian_1_tag import ask_tags, read_tags
from core.facts.evian_2_distill import ask_distillation, distill_by_deletion, read_distillation
from core.facts.evian_3_synthesize import ask_synthesis, new_words, read_synthesis
from core.seams import ChatModel

NOTHING_VISUAL = Unscored("no visual description", "the response says nothing about what is visible")


def decompose(
    responses: Sequence[str], instructions: Sequence[str], chat: ChatModel
) -> list[Decomposition | Unscored]:
    """One decomposition a response, in order: three calls each, fewer after a failed step.

    Unscored if the tagging failed; a later failed step leaves its own field Unscored.
    """
    tagged = [
        read_tags(r, a)
        for r, a in zip(responses, chat.complete([ask_tags(r) for r in responses]), strict=True)
    ]
    found: dict[int, tuple[TagSpan, ...]] = {
        i: spans for i, spans in enumerate(tagged) if not isinstance(spans, Unscored)
    }
    cleaned = _answers(
        chat, {i: ask_distillation(responses[i], s, instructions[i]) for i, s in found.items()}
    )
    texts = {i: read_distillation(responses[i], found[i], answer) for i, answer in cleaned.items()}
    asks = {i: ask_synthesis(t, instructions[i]) for i, t in texts.items() if isinstance(t, str) and t}
    summaries = _answers(chat, asks)
    results: list[Decomposition | Unscored] = []
    for i, (response, spans) in enumerate(zip(responses, tagged, strict=True)):
        if isinstance(spans, Unscored):
            results.append(spans)
            continue
        text = texts[i]
        summary: str | Unscored = text if isinstance(text, Unscored) else NOTHING_VISUAL
        if i in summaries and isinstance(text, str):
            summary = read_synthesis(text, summaries[i])
        news = new_words(text, summary) if isinstance(text, str) and isinstance(summary, str) else ()
        results.append(Decomposition(response, spans, insert_tags(response, spans), text, summary, news))
    return results


def decompose_by_rules(response: str, spans: tuple[TagSpan, ...]) -> Decomposition:
    """The baseline: distillation by deletion, which is its own summary. Departs: no rewriting, no fluency."""
    cleaned = distill_by_deletion(response, spans)
    summary: str | Unscored = cleaned or NOTHING_VISUAL
    return Decomposition(response, spans, insert_tags(response, spans), cleaned, summary)


def _answers(chat: ChatModel, asks: dict[int, Ask]) -> dict[int, Completion | Unscored]:
    return dict(zip(asks, chat.complete(list(asks.values())), strict=True)) if asks else {}
