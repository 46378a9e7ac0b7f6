"""Textual facts and the concepts they name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """A textual fact t_i^k: one sentence of a caption. Paper: Symbal 4.1, A.1.

    fact_id: running number over the dataset, 0-based, in sample order then position.
    sample_id: the sample whose caption says it.
    position: k, 0-based place of the sentence in its caption.
    text: the sentence; equals caption[start:end].
    start, end: character offsets in the caption (Python code points).
    The prefix of a fact (VNLI-Critique's paragraph context) is caption[:start].
    """

    fact_id: int
    sample_id: str
    position: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Concept:
    """Something a sentence names: a noun phrase reduced to lemmas.

    text: lower-case lemmatised noun compound, without adjectives, determiners and numbers ("leather bag").
    head: lemma of its head noun ("bag").
    start, end: character offsets in the sentence.
    phrase: `text` with its adjectives, in lemmas ("small red handbag"); "" = the same as text.
    """

    text: str
    head: str
    start: int
    end: int
    phrase: str = ""
