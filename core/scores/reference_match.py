"""Alignment of a fact with reference captions: each concept against its best match in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.domain.fact import Concept
from core.domain.judgement import Judgement, Scored, Unscored
from core.domain.people import GENERIC_PEOPLE, PEOPLE
from core.domain.provenance import ModelIdentity
from core.domain.scoring import ScoringItem
from core.seams import FloatMatrix, FloatVector, TextEmbedder

WRONG_BELOW = 0.55
"""Between names of one thing (couch and sofa .86, mug and cup .71) and of two of a kind (zebra and giraffe
.49, truck and train .52): a captioner that mistakes one for the other is wrong."""
CACHE_LIMIT = 400_000


class ReferenceScorer:
    """Weakest link: the lowest best-match similarity of a fact's concepts, 0..1, higher = better aligned.

    ALOHa-like (Petryk et al. 2024). References may omit what the image shows, so a low value is
    evidence, not proof. Departs: Symbal's text-only scorer asks an LLM.
    """

    approximate = "references may leave out what the image shows"

    def __init__(self, text: TextEmbedder) -> None:
        self._text = text
        self._vectors: dict[str, FloatMatrix] = {}

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(
            "reference-match", f"2+{self._text.identity.revision}", "embedded", baseline=True
        )

    def score(self, items: Sequence[ScoringItem]) -> list[Judgement]:
        """One judgement an item, in the order given."""
        self._learn([c for item in items for c in (*item.concepts, *item.reference_concepts)])
        return [self._score_one(item) for item in items]

    def _learn(self, concepts: Sequence[Concept]) -> None:
        unknown = list({c.text: None for c in concepts if c.text not in self._vectors})
        if len(self._vectors) + len(unknown) > CACHE_LIMIT:
            self._vectors.clear()
            unknown = list({c.text: None for c in concepts})
        if unknown:
            self._vectors.update(zip(unknown, self._text.embed_texts(unknown), strict=True))

    def _score_one(self, item: ScoringItem) -> Judgement:
        if not item.sample.references:
            return Unscored("no reference", "the row has no reference text")
        if not item.concepts:
            return Unscored("no judged concept", "the sentence names nothing")
        if not item.reference_concepts:
            return Unscored("no reference concept", "the references name nothing")
        support = {c.text: self._support(c, item.reference_concepts) for c in item.concepts}
        weak = sorted((value, text) for text, value in support.items() if value < WRONG_BELOW)
        value = min(support.values())
        weakest = min(support, key=lambda text: support[text])
        return Scored(
            value,
            f"'{weakest}' has the weakest support in the references ({value:.2f})",
            unsupported=tuple(text for _, text in weak),
        )

    def _support(self, concept: Concept, references: Sequence[Concept]) -> float:
        names = {concept.text, concept.head}
        if any(r.text in names or r.head == concept.text for r in references):
            return 1.0
        people = {r.head for r in references if r.head in PEOPLE}
        if (concept.head in GENERIC_PEOPLE and people) or (
            concept.head in PEOPLE and people & GENERIC_PEOPLE
        ):
            return 1.0
        rows = np.stack([self._vectors[r.text] for r in references])
        return float(np.clip((rows @ self._vectors[concept.text]).max(), 0.0, 1.0))

    def wrong_below(self, values: FloatVector) -> float:
        """A fixed similarity: on Flickr8k-Expert it flags 98 % of the captions rated 1, 10 % rated 4."""
        return WRONG_BELOW
