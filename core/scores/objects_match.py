"""Alignment of a fact with the list of objects known to be in its image (closed vocabulary)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from core.domain.fact import Concept
from core.domain.judgement import Judgement, Scored, Unscored
from core.domain.provenance import ModelIdentity
from core.domain.sample import Sample
from core.domain.scoring import ScoringItem
from core.scores.vocabulary import Match, ObjectVocabulary, unsupported_matches
from core.seams import FloatVector

FACTS_AT_ONCE = 4096


class ObjectsScorer:
    """1 if every judged concept is in the sample's objects, 0 if any is not. Higher = better aligned.

    Only concepts that name something of the vocabulary are judged; a fact that names none is
    unscored. Departs: Symbal's scorers see the image; this one sees labels (weakest link, as ALOHa).
    """

    approximate = ""

    def __init__(self, vocabulary: ObjectVocabulary, text: ModelIdentity) -> None:
        self._vocabulary = vocabulary
        self._text = text
        self._taken_back: frozenset[tuple[str, Match]] = frozenset()

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("objects-match", f"1+{self._text.revision}", "embedded", baseline=True)

    def calibrate(self, items: Iterable[tuple[Sample, tuple[Concept, ...]]]) -> frozenset[str]:
        """Take back inexact matches the data speaks against; returns the concepts concerned.

        items: (sample, concepts of one fact) over the whole dataset.
        """
        seen: dict[tuple[str, Match], list[bool]] = {}
        mentions = iter(items)
        while some := list(islice(mentions, FACTS_AT_ONCE)):
            self._vocabulary.match([c for _, concepts in some for c in concepts])  # embeds new names together
            for sample, concepts in some:
                if sample.objects is None:
                    continue
                present = {o.lower() for o in sample.objects}
                for concept, match in zip(concepts, self._vocabulary.match(concepts), strict=True):
                    if match is not None and match.inexact:
                        seen.setdefault((concept.text, match), []).append(match.term in present)
        self._taken_back = unsupported_matches(seen)
        return frozenset(concept for concept, _ in self._taken_back)

    def score(self, items: Sequence[ScoringItem]) -> list[Judgement]:
        """One judgement an item, in the order given."""
        self._vocabulary.match([c for item in items for c in item.concepts])  # embeds new names together
        return [self._score_one(item) for item in items]

    def _score_one(self, item: ScoringItem) -> Judgement:
        if item.sample.objects is None:
            return Unscored("no objects", "the row has no object list")
        matches = self._vocabulary.match(item.concepts)
        present = {o.lower() for o in item.sample.objects}
        judged = {
            match.term: concept.text
            for concept, match in zip(item.concepts, matches, strict=True)
            if match is not None and (concept.text, match) not in self._taken_back
        }
        if not judged:
            return Unscored("no judged concept", "the sentence names nothing of the object vocabulary")
        missing = tuple(term for term in judged if term not in present)
        if not missing:
            return Scored(1.0, "in the object list: " + ", ".join(judged))
        named = ", ".join(t if judged[t] == t else f"{t} (said as '{judged[t]}')" for t in missing)
        return Scored(0.0, f"not in the object list: {named}", unsupported=missing)

    def wrong_below(self, values: FloatVector) -> float:
        """0.5: the verdict is 0 or 1."""
        return 0.5
