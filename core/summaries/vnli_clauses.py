"""The baseline's revision: the clause that names an unsupported concept is taken out. A heuristic.

Departs: the paper asks an LLM, which may also put right what is wrong; this only deletes.
Paper: VNLI-Critique 5.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_LINK = (
    r"(?:along|together) with|as well as|next to|in front of|on top of|surrounded by|accompanied by|such as|"
    r"with|holding|wearing|carrying|while|featuring|including|containing|beside|near|behind|under|above|"
    r"against|on|in|at|by|from|to|over|inside|around|between|beneath|through|into|and|or"
)
_START = re.compile(rf"(?:,\s*(?:(?:and|or|as well as)\s+)?|\s+)(?=(?:{_LINK})\b)|,\s*", re.I)
_STOP = re.compile(rf",|;|\.(?=\s|$)|\s+(?=(?:{_LINK}|that|which|who|is|are|was|were)\b)", re.I)
_OPENING_LINK = re.compile(rf"\s*(?:{_LINK})\b", re.I)
_LEFT = re.compile(r"[^\W\d_]{2,}")
_DANGLING = re.compile(
    r"\b(?:a|an|the|his|her|their|its|some|two|three|several|of|with|and|or|is|are|was|were|has|have|there|"
    r"in|on|at|by|to|near|next)\s*[.!?]*\Z",
    re.I,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|can|\w+s|\w+ing|\w+ed|stand|sit|hold|wear|lie|ride|walk)\b", re.I
)
_FEWEST_WORDS = 3


def without_concepts(sentence: str, spans: Sequence[tuple[int, int]]) -> str:
    """The sentence without the clauses that hold the spans, "" if too little would be left.

    spans: (start, end) of unsupported concepts in the sentence. What is kept is kept to the character,
    but for a capital letter, a comma and the link word at the cut.
    """
    text = sentence
    for start, end in sorted(spans, reverse=True):
        if start >= len(text):
            continue
        text = _cut(text, start, min(end, len(text)))
        if not text:
            return ""
    kept = _tidy(text, sentence)
    return kept if _stands(kept) else ""


def _cut(text: str, start: int, end: int) -> str:
    """Without the clause around text[start:end]; "" if the concept is what the sentence is about."""
    stop_match = _STOP.search(text, end)
    stop = stop_match.start() if stop_match else len(text)
    starts = [m for m in _START.finditer(text, 0, start) if m.end() <= start]
    if not starts:
        return _without_opening(text, stop)
    return text[: starts[-1].start()] + text[stop:]


def _without_opening(text: str, stop: int) -> str:
    """ "In the kitchen, a man cooks": an opening phrase goes with its comma; a subject takes all with it."""
    if _OPENING_LINK.match(text) and text[stop : stop + 1] == ",":
        return text[stop + 1 :].lstrip()
    return ""


def _tidy(text: str, original: str) -> str:
    """Commas and end mark as a sentence has them."""
    text = re.sub(r"\s+([,.;!?])", r"\1", text.strip())
    text = re.sub(r",(?=\s*(?:,|[.!?]|$))", "", text)
    text = re.sub(r"^(?:,|;|and\b|or\b)\s*", "", text).strip()
    end = re.search(r"[.!?][\"'”’)]*\Z", original.rstrip())
    if end and not re.search(r"[.!?][\"'”’)]*\Z", text):
        text = text.rstrip(",; ") + end.group()
    if text and original[:1].isupper():
        text = text[0].upper() + text[1:]
    return text


def _stands(text: str) -> bool:
    words = _LEFT.findall(text)
    return len(words) >= _FEWEST_WORDS and not _DANGLING.search(text) and bool(_VERB.search(text))
