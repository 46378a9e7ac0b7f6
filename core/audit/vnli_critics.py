"""The critic and the reviser of an audit: chat models where the preset has them, else baselines.

Paper: VNLI-Critique 4, 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from core.audit.context import Audit
from core.audit.evian_stages import chat_of
from core.audit.score_stage import ScoringData, prepared_scorer
from core.domain.chat import ImageInput
from core.domain.fact import Concept
from core.domain.judgement import Judgement, Scored, Unscored
from core.domain.scoring import ScoringItem
from core.domain.vnli import Claim, Factuality, FactualityJudgement
from core.facts.vnli_claims import nothing_to_assess
from core.scores.vnli_baseline import baseline_factuality
from core.scores.vnli_factuality import classify
from core.seams import AlignmentScorer

COMPARED_WITH = {
    "objects": "the object list",
    "reference-based": "the references",
    "reference-free": "the image's classes",
}


class ClaimReader:
    """Claims and images of the facts start..stop; captions are read once, claims made as needed."""

    def __init__(self, audit: Audit) -> None:
        self._facts = audit.stores["facts"].read_table()
        self._samples = audit.stores["samples"].read_table(["caption", "image_path", "image_sha256"])
        self._root = audit.image_root

    def __len__(self) -> int:
        return int(self._facts.num_rows)

    def claims(self, start: int, stop: int) -> list[Claim]:
        """Claims in fact order."""
        found = []
        for row in self._facts.slice(start, stop - start).to_pylist():
            caption = self._samples["caption"][row["sample_index"]].as_py()
            prefix = caption[: row["start"]]
            found.append(
                Claim(row["fact_id"], row["sample_id"], row["text"], prefix, row["start"], row["end"])
            )
        return found

    def images(self, fact_id: int) -> tuple[ImageInput, ...]:
        """The image of a fact's sample, () if it has none."""
        sample = self._facts["sample_index"][fact_id].as_py()
        sha = self._samples["image_sha256"][sample].as_py()
        if self._root is None or sha is None:
            return ()
        return (ImageInput(self._root / self._samples["image_path"][sample].as_py(), sha),)


class Critic:
    """Judges claims, and revised sentences in their place, the same way."""

    def __init__(self, audit: Audit, reader: ClaimReader) -> None:
        self._audit = audit
        self._reader = reader
        self.chat = chat_of(audit, "critic_chat")
        self.threshold = audit.config.entailment_threshold
        self.unit = audit.unit_scores
        self.wrong_below: float = audit.summary("scores")["wrong_below"]

    def judge(self, claims: Sequence[Claim]) -> list[FactualityJudgement]:
        """One judgement a claim, in order. Sentences with nothing to assess are not asked about.

        Without a chat model the scores stage is read: these must be the facts themselves.
        """
        return self._with_rule(claims, self._ask if self.chat is not None else self._from_scores)

    def judge_again(self, claims: Sequence[Claim]) -> list[FactualityJudgement]:
        """The same for rewritten sentences, which were never scored."""
        return self._with_rule(claims, self._ask if self.chat is not None else self._score_anew)

    def _with_rule(self, claims: Sequence[Claim], judge: Any) -> list[FactualityJudgement]:
        rules = [nothing_to_assess(c.text) for c in claims]
        rest = iter(judge([c for c, rule in zip(claims, rules, strict=True) if not rule]))
        return [Factuality(None, "Nothing to assess", "rule", rule) if rule else next(rest) for rule in rules]

    def _ask(self, claims: Sequence[Claim]) -> list[FactualityJudgement]:
        assert self.chat is not None
        images = [self._reader.images(c.fact_id) for c in claims]
        seen = [i for i, image in enumerate(images) if image]
        answers = classify(
            [claims[i] for i in seen], [images[i] for i in seen], self.chat, threshold=self.threshold
        )
        found: list[FactualityJudgement] = [Unscored("no image", "the row has no image")] * len(claims)
        for i, answer in zip(seen, answers, strict=True):
            found[i] = answer
        return found

    def _from_scores(self, claims: Sequence[Claim]) -> list[FactualityJudgement]:
        table = self._scores.take(pa.array([c.fact_id for c in claims], pa.int64()))
        return [self._baseline(_judgement(row)) for row in table.to_pylist()]

    def _score_anew(self, claims: Sequence[Claim]) -> list[FactualityJudgement]:
        texts = [c.text for c in claims]
        concepts = self._audit.models.concept_extractor.extract(texts)
        items = []
        own = self._items([c.fact_id for c in claims])
        for item, claim, named in zip(own, claims, concepts, strict=True):
            items.append(replace(item, fact=replace(item.fact, text=claim.text), concepts=named))
        return [self._baseline(j) for j in self.scorer.score(self._embedded(items, texts))]

    def unsupported(self, fact_ids: Sequence[int]) -> list[list[Concept]]:
        """Per fact, its concepts that score as wrong alone, worst first (of an embedding, the worst one).

        Departs: the paper's critic says what is wrong; a scorer is asked about each concept alone.
        """
        items, owners = [], []
        for position, item in enumerate(self._items(fact_ids)):
            for concept in item.concepts:
                items.append(replace(item, concepts=(concept,), fact=replace(item.fact, text=concept.text)))
                owners.append(position)
        found: list[list[tuple[float, Concept]]] = [[] for _ in fact_ids]
        names = [i.concepts[0].text for i in items]
        for owner, item, one in zip(
            owners, items, self.scorer.score(self._embedded(items, names)), strict=True
        ):
            if isinstance(one, Scored) and one.value < self.wrong_below:
                found[owner].append((one.value, item.concepts[0]))
        ranked = [[c for _, c in sorted(some, key=lambda pair: (pair[0], pair[1].start))] for some in found]
        return ranked if self.unit else [some[:1] for some in ranked]

    def _items(self, fact_ids: Sequence[int]) -> list[ScoringItem]:
        """Scoring items of facts of one part, read together."""
        if not fact_ids:
            return []
        first = min(fact_ids)
        near = self._data.items(first, max(fact_ids) + 1)
        return [near[i - first] for i in fact_ids]

    def _baseline(self, judgement: Judgement) -> FactualityJudgement:
        return baseline_factuality(judgement, self.wrong_below, unit=self.unit, threshold=self.threshold)

    def _embedded(self, items: Sequence[ScoringItem], texts: Sequence[str]) -> list[ScoringItem]:
        if self._data.text_vectors is None or not items:
            return list(items)
        unique = list(dict.fromkeys(texts))
        rows = dict(zip(unique, self._audit.models.text_embedder.embed_texts(unique), strict=True))
        return [replace(i, text_vector=rows[t]) for i, t in zip(items, texts, strict=True)]

    @cached_property
    def _scores(self) -> pa.Table:
        return self._audit.stores["scores"].read_table()

    @cached_property
    def _data(self) -> ScoringData:
        return ScoringData(self._audit)

    @cached_property
    def scorer(self) -> AlignmentScorer:
        """The alignment scorer the baseline is made of."""
        return prepared_scorer(self._audit, self._data)[0]


def _judgement(row: dict[str, Any]) -> Judgement:
    if row["value"] is None:
        return Unscored(row["reason"], row["detail"] or "", row["raw"] or "")
    return Scored(row["value"], row["explanation"] or "", row["raw"] or "", tuple(row["unsupported"] or ()))
