"""Descriptions with labelled sentences, read for the AutoRater. Paper: VNLI-Critique 3, 4.2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.vnli import FourLabel, binary


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """caption[start:end] and what people say of it. label: None = nobody judged it, or no majority.

    raters: one label a rater, None = not judged; () where the file has only the outcome.
    types: kinds of error, () for a right sentence or where the file has none.
    """

    start: int
    end: int
    label: FourLabel | None
    raters: tuple[FourLabel | None, ...] = ()
    types: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()

    @property
    def right(self) -> bool | None:
        """The binary view; None where there is no label or nothing to assess."""
        return None if self.label is None else binary(self.label)


@dataclass(frozen=True, slots=True)
class Description:
    """One caption of one image by one captioner. image: path as in the file, "" = unknown."""

    item_id: str
    image: str
    captioner: str
    caption: str
    sentences: tuple[LabelledSentence, ...]
    references: tuple[str, ...] = ()
    objects: tuple[str, ...] | None = None


def majority(raters: Sequence[FourLabel | None]) -> FourLabel | None:
    """The raters' outcome: Non-entailment if most say Neutral or Contradiction (the commoner of the two).

    None if no view has more than half of those who judged. Paper: 3 (majority of five raters).
    """
    votes = Counter(r for r in raters if r is not None)
    wrong = votes["Neutral"] + votes["Contradiction"]
    half = votes.total() / 2
    if wrong > half:
        return "Neutral" if votes["Neutral"] > votes["Contradiction"] else "Contradiction"
    if votes["Entailment"] > half:
        return "Entailment"
    return "Nothing to assess" if votes["Nothing to assess"] > half else None


def joined(sentences: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The caption that a list of sentences makes, joined with one blank, and the place of each."""
    caption, spans = "", []
    for text in sentences:
        start = len(caption) + 1 if caption else 0
        caption = f"{caption} {text}" if caption else text
        spans.append((start, len(caption)))
    return caption, spans
