"""Judgements: a score that was made, or one that was not, never a made-up number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scored:
    """A judgement with a value. For alignment: higher = better aligned.

    unsupported: concepts the scorer holds to be without support in the image, worst first;
        () when the scorer does not say which part of the fact is wrong.
    """

    value: float
    explanation: str = ""
    raw: str = ""
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unscored:
    """A judgement that could not be made; counted, shown with its raw text, never averaged.

    reason: stable word for grouping ("unparseable", "no judged concept", "no image", ...).
    """

    reason: str
    detail: str = ""
    raw: str = ""


Judgement = Scored | Unscored


@dataclass(frozen=True, slots=True)
class Alignment:
    """How well a fact agrees with its image; higher = better aligned. Paper: Symbal 4.1 (scoring)."""

    fact_id: int
    sample_id: str
    judgement: Judgement
