"""The claims of a caption: every sentence with all the text before it. Paper: VNLI-Critique 3, 4.1."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.domain.vnli import Claim
from core.facts.sentences import split_sentences

_TO_THE_READER = re.compile(
    r"""\s*(?:
        (?:sure|certainly|of\ course|okay|absolutely)\b[^.]{0,20}[!,.:]
      | (?:here|below)(?:'s|\ is|\ are)\ (?:a|an|the|some|my)\b[^.]*
        \b(?:description|caption|summary|overview|breakdown)\b
      | (?:i\ hope|let\ me\ know|feel\ free|please\ (?:note|let|feel)|would\ you\ like)\b
      | if\ you\ (?:have|need|want|would)\b
      | (?:i(?:'m|\ am)\ (?:sorry|happy|glad|unable|an\ ai)|as\ an\ ai|i\ can(?:'t|not)|how\ can\ i)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_WORD = re.compile(r"[^\W\d_]+")
_HEADING_WORDS = frozenset(
    """description descriptions image caption summary overview details detail conclusion introduction
    analysis notes note title answer response key elements element features feature observations
    composition interpretation the and of a an overall visual detailed main""".split()
)


def claims_of(sample_id: str, caption: str, first_fact_id: int = 0) -> list[Claim]:
    """Claims in reading order, numbered from `first_fact_id`; prefix == caption[:start]."""
    return [
        Claim(first_fact_id + k, sample_id, caption[a:b], caption[:a], a, b)
        for k, (a, b) in enumerate(split_sentences(caption))
    ]


def claims_of_sentences(sample_id: str, sentences: Sequence[str], first_fact_id: int = 0) -> list[Claim]:
    """Claims of a caption that a dataset gives as a list of sentences; they are joined with one blank."""
    claims: list[Claim] = []
    caption = ""
    for k, sentence in enumerate(sentences):
        prefix = f"{caption} " if caption else ""
        start = len(prefix)
        claims.append(Claim(first_fact_id + k, sample_id, sentence, prefix, start, start + len(sentence)))
        caption = prefix + sentence
    return claims


def nothing_to_assess(text: str) -> str:
    """Why a sentence says nothing about an image, "" if it may. The rule is narrow on purpose.

    A sentence is passed over if it addresses the reader ("I hope this helps"), asks a question, or is a
    heading of words such as "Description". Departs: the paper's raters decide it for each sentence.
    """
    if _TO_THE_READER.match(text):
        return "speaks to the reader, not about the image"
    if text.rstrip("\"'”’)* ").endswith("?"):
        return "a question"
    words = [w.lower() for w in _WORD.findall(text)]
    if not words and not any(c.isdigit() for c in text):
        return "no words"
    if words and len(words) <= 4 and not any(c.isdigit() for c in text) and set(words) <= _HEADING_WORDS:
        return "a heading"
    return ""
