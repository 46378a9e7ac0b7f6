"""Evian's nouns: a response taken apart, and its score on three axes. Paper: Evian 3.1 to 3.3."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.domain.judgement import Unscored

Tag = Literal["INFER", "KNOW"]
Axis = Literal["image_text_consistency", "logical_coherence", "factual_accuracy"]
AXES: tuple[Axis, ...] = ("image_text_consistency", "logical_coherence", "factual_accuracy")
AXIS_SYMBOLS: dict[Axis, str] = {
    "image_text_consistency": "S_V",
    "logical_coherence": "S_L",
    "factual_accuracy": "S_K",
}
DEFAULT_SCORE = 2
"""Score of an axis without a tagged passage. Paper: Evian 3.3."""


@dataclass(frozen=True, slots=True)
class TagSpan:
    """Characters start..stop of a response and what they are: INFER (subjective) or KNOW (knowledge)."""

    tag: Tag
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A response in its parts. Paper: Evian 3.2.

    spans: tagged passages in order, disjoint. marked_response: the response with tags in it.
    cleaned_response: without what cannot be seen. visual_summary: that as one fluent paragraph.
    new_words: content words of the summary that the cleaned response does not have (for people to judge).
    """

    response: str
    spans: tuple[TagSpan, ...]
    marked_response: str
    cleaned_response: str | Unscored
    visual_summary: str | Unscored
    new_words: tuple[str, ...] = ()

    @property
    def inferences(self) -> tuple[str, ...]:
        """The passages tagged INFER."""
        return self.texts("INFER")

    @property
    def knowledge_claims(self) -> tuple[str, ...]:
        """The passages tagged KNOW."""
        return self.texts("KNOW")

    def texts(self, tag: Tag) -> tuple[str, ...]:
        """The passages under one tag, in reading order."""
        return tuple(self.response[s.start : s.stop] for s in self.spans if s.tag == tag)


@dataclass(frozen=True, slots=True)
class AxisScore:
    """A score on one axis, 1..5, higher = better.

    defaulted: True = nothing to judge; the value is 2 by rule and says nothing about quality.
    expected: mean of 1..5 under the model's probabilities (or a heuristic's unrounded value),
        None if unknown.
    """

    value: int
    explanation: str
    defaulted: bool = False
    expected: float | None = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class ScoreTriplet:
    """S_V, S_L and S_K of a response. Paper: Evian 3.3."""

    sample_id: str
    image_text_consistency: AxisScore | Unscored
    logical_coherence: AxisScore | Unscored
    factual_accuracy: AxisScore | Unscored

    def axis(self, name: Axis) -> AxisScore | Unscored:
        """The score on one axis."""
        found: AxisScore | Unscored = getattr(self, name)
        return found

    @property
    def defaulted(self) -> frozenset[Axis]:
        """Axes that are 2 by rule."""
        scores = {name: self.axis(name) for name in AXES}
        return frozenset(n for n, s in scores.items() if isinstance(s, AxisScore) and s.defaulted)


@dataclass(frozen=True, slots=True)
class EvianItem:
    """What the triplet scorers see of a sample.

    decomposition: or why there is none. alignments: (sentence span start, stop, alignment) of the
    response's sentences, for the baseline; higher = better aligned.
    """

    sample_id: str
    decomposition: Decomposition | Unscored
    instruction: str = ""
    alignments: tuple[tuple[int, int, float], ...] = field(default=())
