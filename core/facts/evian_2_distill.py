"""Step 2, visual distillation. Paper: Evian 3.2, A.3."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.domain.chat import Ask, Completion
from core.domain.evian import TagSpan
from core.domain.evian_tags import TAG, has_prefix, insert_tags, untagged, without_prefix
from core.domain.judgement import Unscored
from core.facts.evian_1_tag import answer_tokens
from core.prompts.load_prompt import load_prompt

PROMPT_ID = "evian/distill@1"
_WORD = re.compile(r"\w+(?:['’]\w+)*")


def ask_distillation(response: str, spans: Sequence[TagSpan], instruction: str) -> Ask:
    """The question for one tagged response."""
    prompt = load_prompt(PROMPT_ID)
    text = prompt.fill(
        instruction=instruction or "Describe the image.", marked_response=insert_tags(response, spans)
    )
    return Ask(text, prompt.ref, max_tokens=answer_tokens(response))


def read_distillation(
    response: str, spans: Sequence[TagSpan], answer: Completion | Unscored
) -> str | Unscored:
    """The cleaned response, "" if nothing is left.

    Unscored without its prefix (answer and talk could not be told apart), if a tag is left, or if the words
    of an untagged passage are not all there, in order and together, with nothing new but where a tag stood.
    Punctuation and capitals may change: a deletion leaves commas and sentence starts behind.
    """
    if isinstance(answer, Unscored):
        return answer
    if answer.finish_reason == "length":
        return Unscored("cut off", "the answer ended at its token limit", answer.text)
    cleaned = without_prefix(answer.text, "Cleaned Response").strip()
    if TAG.search(cleaned):
        return Unscored("tags left", "the cleaned response still has tags", answer.text)
    changed = _changed(response, spans, cleaned)
    if changed:
        return Unscored("untagged text changed", changed, answer.text)
    if not has_prefix(answer.text, "Cleaned Response"):
        return Unscored("no prefix", "the answer does not begin with 'Cleaned Response:'", answer.text)
    return cleaned


def _changed(response: str, spans: Sequence[TagSpan], cleaned: str) -> str:
    """What is wrong with the untagged passages, "" if nothing."""
    pieces = [words(response[a:b]) for a, b in untagged(response, spans)]
    got = words(cleaned)
    position = 0
    for i, piece in enumerate(pieces):
        if not piece:
            continue
        last = not any(pieces[i + 1 :])
        at = _find(got, piece, position)
        if last and not response[_end(response, spans, i) :].strip():
            at = len(got) - len(piece) if got[len(got) - len(piece) :] == piece else -1
        if at < position:
            return f"not kept: {' '.join(piece[:12])}"
        if i == 0 and at > 0:
            return f"added: {' '.join(got[:at][:12])}"
        position = at + len(piece)
    if not spans and position < len(got):
        return f"added: {' '.join(got[position:][:12])}"
    return ""


def _end(response: str, spans: Sequence[TagSpan], piece: int) -> int:
    return spans[piece].start if piece < len(spans) else len(response)


def _find(words_: Sequence[str], piece: Sequence[str], start: int) -> int:
    for at in range(start, len(words_) - len(piece) + 1):
        if words_[at : at + len(piece)] == piece:
            return at
    return -1


def words(text: str) -> list[str]:
    """Words and numbers in lower case, without punctuation."""
    return _WORD.findall(text.lower())


def distill_by_deletion(response: str, spans: Sequence[TagSpan]) -> str:
    """The baseline: the untagged text alone, with what deletion leaves behind tidied up.

    Departs: the paper's model rewrites tagged passages where it can; this one only deletes.
    """
    kept = "\x00".join(response[a:b] for a, b in untagged(response, spans))
    kept = re.sub(r"\s*(?:,|;|:|\band\b|\bas\b|\bbut\b)?\s*\x00\s*(?=[.!?]|\Z)", "", kept)
    kept = re.sub(r"(^|[.!?\n])\s*\x00\s*[,;:.!?]*\s*", r"\1 ", kept)
    kept = re.sub(r"\s*,?\s*\x00\s*,?\s*", ", ", kept)
    kept = re.sub(r"(?:(?<=^)|(?<=[.!?]))(?:\s*[.!?,;])+(?=\s|$)", "", kept.strip())
    kept = re.sub(r"[ \t]{2,}", " ", kept).strip(" ,;")
    return kept if words(kept) else ""
