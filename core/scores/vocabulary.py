"""Names of a closed object vocabulary for free concepts: "men" is a person, "sofa" is a couch.

A heuristic of general means (lemmas, spelling, a table of words for people, MiniLM similarity),
with thresholds measured on COCO val2017's human captions against its labels; see
`benchmarks/vocabulary_match.py`. A concept that names nothing of the vocabulary is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.domain.fact import Concept
from core.domain.people import PEOPLE, is_person_word
from core.seams import FloatMatrix, TextEmbedder

SYNONYM_SIMILARITY = 0.68
SYNONYM_MARGIN = 0.15
HEAD_SIMILARITY = 0.66
MIN_SUPPORT = {"head": 0.5, "synonym": 0.8}
MIN_SUPPORT_COUNT = 5
SURE_SIMILARITY = 0.83


@dataclass(frozen=True, slots=True)
class Match:
    """term: the vocabulary's word. how: "exact", "compound", "spelling", "person", "head" or "synonym".

    similarity: cosine of the two names for a `head` or a `synonym`; those are guesses that a data check
    may take back (`inexact`).
    """

    term: str
    how: str
    similarity: float = 1.0

    @property
    def inexact(self) -> bool:
        return self.how in {"head", "synonym"}


class ObjectVocabulary:
    """Maps concepts to the terms of a closed vocabulary.

    terms: the vocabulary's words, any case. lemmas: each term's noun lemmas ("skis" -> "ski").
    """

    def __init__(self, terms: Sequence[str], lemmas: Mapping[str, str], text: TextEmbedder) -> None:
        self.terms = tuple(sorted({t.strip().lower() for t in terms if t.strip()}))
        self._text = text
        self._by_form: dict[str, str] = {}
        for term in self.terms:
            for form in (term, lemmas.get(term, term)):
                self._by_form.setdefault(form, term)
        self._by_spelling = {_squeeze(form): term for form, term in self._by_form.items()}
        self._by_head = self._unique_heads()
        self._person = next((t for t in self.terms if t in PEOPLE), None)
        self._vectors = text.embed_texts(self.terms)
        self._known: dict[str, Match | None] = {}

    def _unique_heads(self) -> dict[str, str]:
        """Last word of the terms of several words, where only one term ends in it."""
        heads: dict[str, list[str]] = {}
        for form, term in self._by_form.items():
            words = form.split()
            if len(words) > 1:
                heads.setdefault(words[-1], []).append(term)
        return {head: terms[0] for head, terms in heads.items() if len(set(terms)) == 1}

    def match(self, concepts: Sequence[Concept]) -> list[Match | None]:
        """The term each concept names, None where it names nothing of the vocabulary."""
        unknown = {_phrase(c): c for c in concepts if _phrase(c) not in self._known}
        pending: list[Concept] = []
        for phrase, concept in unknown.items():
            match = self._by_rule(concept)
            if match is None and self.terms:
                pending.append(concept)
            self._known[phrase] = match
        if pending:
            similarity = self._text.embed_texts([c.text for c in pending]) @ self._vectors.T
            for concept, row in zip(pending, similarity, strict=True):
                self._known[_phrase(concept)] = self._by_similarity(concept, row)
        return [self._known[_phrase(c)] for c in concepts]

    def _by_rule(self, concept: Concept) -> Match | None:
        words = _phrase(concept).split()  # with adjectives: a "hot dog" is no dog
        for start in range(len(words)):
            form = " ".join(words[start:])
            if form in self._by_form:
                if any(w in self._by_form for w in concept.text.split()[: -len(words) + start]):
                    return None  # "truck bed", "train car": a part of the one, not the other
                return Match(self._by_form[form], "exact" if start == 0 else "compound")
        spelling = self._by_spelling.get(_squeeze(concept.text))
        if spelling:
            return Match(spelling, "spelling")
        if self._person and is_person_word(concept.head):
            return Match(self._person, "person")
        return None

    def _by_similarity(self, concept: Concept, row: FloatMatrix) -> Match | None:
        head = self._by_head.get(concept.head)
        if head is not None and row[self.terms.index(head)] >= HEAD_SIMILARITY:
            return Match(head, "head", float(row[self.terms.index(head)]))
        order = np.argsort(-row)
        best = self.terms[int(order[0])]
        runner_up = float(row[order[1]]) if len(order) > 1 else 0.0
        if row[order[0]] < SYNONYM_SIMILARITY or row[order[0]] - runner_up < SYNONYM_MARGIN:
            return None
        if _is_part_of_name(concept.text, best) or concept.head.endswith("room"):
            return None
        return Match(best, "synonym", float(row[order[0]]))


def _phrase(concept: Concept) -> str:
    return concept.phrase or concept.text


def _squeeze(text: str) -> str:
    return text.replace(" ", "").replace("-", "")


def _is_part_of_name(concept: str, term: str) -> bool:
    """True where one only borrows the other's word: "clock tower", "tennis", "bedroom", "toothpick"."""
    short, long = sorted((_squeeze(concept), _squeeze(term)), key=len)
    if long.startswith(short):
        return True
    return len(concept.split()) > 1 and any(w in term.split() for w in concept.split()[:-1])


def unsupported_matches(
    matched: Mapping[tuple[str, Match], Sequence[bool]],
) -> frozenset[tuple[str, Match]]:
    """(concept, inexact match) pairs that the data speak against, or do not speak for.

    matched: for each pair, whether the term is in the sample's objects, for each fact that names it.
    With five facts or more, a "head" must be right half the time and a "synonym" 80 % (on COCO
    "sofa" finds a couch always, "sign" a stop sign in 13 %). With fewer, a synonym stands only if it
    is nearly the same word (similarity 0.83), a head not at all. Concepts taken back are not judged,
    rather than called wrong.
    """
    return frozenset(pair for pair, present in matched.items() if not _stands(pair[1], present))


def _stands(match: Match, present: Sequence[bool]) -> bool:
    if len(present) >= MIN_SUPPORT_COUNT:
        return sum(present) >= MIN_SUPPORT[match.how] * len(present)
    return match.how == "synonym" and match.similarity >= SURE_SIMILARITY
