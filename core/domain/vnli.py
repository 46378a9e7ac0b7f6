"""Sentence factuality, critiques and revisions in VNLI-Critique's words. Paper: VNLI-Critique 3, 4.1, 5."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from core.domain.judgement import Unscored

FourLabel = Literal["Entailment", "Neutral", "Contradiction", "Nothing to assess"]
FOUR_LABELS: tuple[FourLabel, ...] = ("Entailment", "Neutral", "Contradiction", "Nothing to assess")
"""What people say of a sentence (Paper: 3)."""
Verdict = Literal["Entailment", "Non-entailment", "Nothing to assess"]
VERDICTS: tuple[Verdict, ...] = ("Entailment", "Non-entailment", "Nothing to assess")
"""What a Yes/No critic can say: the binary view, and the sentences it was not asked about."""
DEFAULT_THRESHOLD = 0.5

_BLANKS_BEFORE = re.compile(r"[ \t]*\Z")
_BLANKS_AFTER = re.compile(r"[ \t]*")
_BULLET = re.compile(r"[ \t]*(?:[-*+•‣▪●–—]+|\(?\d{1,3}[.)])[ \t]*\Z")
_NEWLINE = re.compile(r"\r?\n")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence with its paragraph context. Paper: 4.1.

    text == caption[start:end]; prefix == caption[:start], to the character.
    """

    fact_id: int
    sample_id: str
    text: str
    prefix: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Factuality:
    """p_entailment: 0..1, higher = better supported by the image; None where there is nothing to assess.

    how: "logprobs", "samples", "label" (a bare Yes or No), "baseline" or "rule".
    unsupported: concepts without support, worst first (baseline only).
    """

    p_entailment: float | None
    verdict: Verdict
    how: str
    explanation: str = ""
    raw: str = ""
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """A rewritten sentence. text: "" = the sentence is taken out; after: its own factuality, None for "".

    raw: the answer it was read from.
    """

    text: str
    after: Factuality | Unscored | None
    raw: str = ""

    @property
    def deleted(self) -> bool:
        return not self.text


FactualityJudgement: TypeAlias = Factuality | Unscored


def binary(label: str) -> bool | None:
    """Factual or not: Entailment = True, Neutral and Contradiction = False, Nothing to assess = None.

    Raises: ValueError for any other label. Paper: 3.
    """
    if label not in FOUR_LABELS and label != "Non-entailment":
        raise ValueError(f"not a label of a sentence: {label!r}")
    return None if label == "Nothing to assess" else label == "Entailment"


def verdict_of(p_entailment: float, threshold: float = DEFAULT_THRESHOLD) -> Verdict:
    """Entailment from the threshold on; at .5 it is the label with the higher confidence. Paper: 4.2."""
    return "Entailment" if p_entailment >= threshold else "Non-entailment"


def revised_span(caption: str, start: int, end: int, text: str) -> tuple[int, int]:
    """The characters an edit replaces: the sentence itself, and for a deletion what would be left hanging.

    A deleted sentence takes the blanks after it along (before it, at the end of a line); one that has
    its line to itself takes its bullet and its line break.
    """
    if text:
        return start, end
    line = max(caption.rfind("\n", 0, start) + 1, 0)
    stop = _BLANKS_AFTER.match(caption, end).end()  # type: ignore[union-attr]
    at_line_end = stop == len(caption) or caption[stop] in "\r\n"
    before = caption[line:start]
    if at_line_end and (not before.strip() or _BULLET.fullmatch(before)):
        newline = _NEWLINE.match(caption, stop)
        if newline:
            return line, newline.end()
        back = re.compile(r"\s*\Z").search(caption[:line])
        return (back.start() if back else line), stop
    if at_line_end:
        blanks = _BLANKS_BEFORE.search(before)
        return (line + blanks.start() if blanks else start), stop
    return start, stop


def reassemble(caption: str, edits: Mapping[tuple[int, int], str]) -> str:
    """The caption with sentences replaced ("" = deleted); all outside `revised_span` stays byte for byte.

    edits: (start, end) of a sentence -> its new text. Raises: ValueError if sentences overlap.
    """
    pieces: list[str] = []
    position = last_end = 0
    for (start, end), text in sorted(edits.items()):
        if not last_end <= start <= end <= len(caption):
            raise ValueError(f"sentences overlap or lie outside the caption: {start}..{end}")
        a, b = revised_span(caption, start, end, text)
        a = max(a, position)  # blanks between two deleted sentences go once
        pieces += [caption[position:a], text]
        position, last_end = max(b, position), end
    pieces.append(caption[position:])
    return "".join(pieces)
