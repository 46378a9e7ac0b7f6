"""A caption cut into marked pieces: which sentence is wrong, and which words of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Mark = Literal["", "sentence", "concept", "feature", "gap"]
_STRENGTH: dict[Mark, int] = {"": 0, "feature": 1, "sentence": 2, "concept": 3, "gap": 4}

LONGEST_WHOLE = 320
CONTEXT = 90
LONGEST_EXCERPT = 600
LONGEST_FULL = 20_000
GAP = " … "


@dataclass(frozen=True, slots=True)
class Span:
    """Characters start..stop of a text and what they are."""

    start: int
    stop: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text under one mark; "gap" = an ellipsis that stands for left-out text."""

    text: str
    mark: Mark


def cut(text: str, spans: Iterable[Span], start: int = 0, stop: int | None = None) -> tuple[Piece, ...]:
    """Pieces of text[start:stop] in order; together they are exactly that text.

    Where spans overlap the stronger mark wins: concept over sentence over feature.
    """
    stop = len(text) if stop is None else min(stop, len(text))
    inside = [
        Span(max(s.start, start), min(s.stop, stop), s.mark)
        for s in spans
        if s.start < stop and s.stop > start and s.start < s.stop
    ]
    edges = sorted({start, stop, *(s.start for s in inside), *(s.stop for s in inside)})
    pieces: list[Piece] = []
    for left, right in pairwise(edges):
        covering: list[Mark] = [s.mark for s in inside if s.start <= left and s.stop >= right]
        mark: Mark = max(covering, key=_STRENGTH.__getitem__) if covering else ""
        if pieces and pieces[-1].mark == mark:
            pieces[-1] = Piece(pieces[-1].text + text[left:right], mark)
        else:
            pieces.append(Piece(text[left:right], mark))
    return tuple(pieces)


def excerpt(text: str, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """The marked part with some words around it; short texts whole. Left-out text is a "gap"."""
    if len(text) <= LONGEST_WHOLE:
        return cut(text, spans)
    start, stop = _window(text, [s for s in spans if s.start < min(s.stop, len(text))])
    pieces = cut(text, spans, start, stop)
    head = (Piece(GAP.lstrip(), "gap"),) if start > 0 else ()
    tail = (Piece(GAP.rstrip(), "gap"),) if stop < len(text) else ()
    return (*head, *pieces, *tail)


def full(text: str, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """The whole text, cut off only beyond what a page can hold."""
    pieces = cut(text, spans, 0, LONGEST_FULL)
    if len(text) <= LONGEST_FULL:
        return pieces
    return (*pieces, Piece(f" … {len(text) - LONGEST_FULL:,} more characters", "gap"))


def _window(text: str, spans: Sequence[Span]) -> tuple[int, int]:
    if not spans:
        return 0, _back_to_space(text, LONGEST_WHOLE)
    strongest = max(_STRENGTH[s.mark] for s in spans)
    first = min((s for s in spans if _STRENGTH[s.mark] == strongest), key=lambda s: s.start)
    around = next((s for s in spans if s.mark == "sentence" and s.start <= first.start < s.stop), first)
    start, stop = around.start, around.stop
    if stop - start > LONGEST_EXCERPT:
        start = max(around.start, first.start - LONGEST_EXCERPT // 2)
        stop = min(around.stop, start + LONGEST_EXCERPT)
    start = _on_to_space(text, start - CONTEXT) if start > CONTEXT else 0
    stop = _back_to_space(text, stop + CONTEXT) if stop + CONTEXT < len(text) else len(text)
    return start, stop


def _on_to_space(text: str, at: int) -> int:
    found = text.find(" ", at, at + 30)
    return at if found < 0 else found + 1


def _back_to_space(text: str, at: int) -> int:
    found = text.rfind(" ", at - 30, at)
    return at if found < 0 else found


def word_spans(text: str, words: str, mark: Mark) -> list[Span]:
    """Where `words` stands in `text` as whole words, in any case; also with a plural s."""
    if not words.strip():
        return []
    pattern = rf"(?<!\w){re.escape(words)}(?:s|es)?(?!\w)"
    return [Span(m.start(), m.end(), mark) for m in re.finditer(pattern, text, re.IGNORECASE)]
