"""Run the audit's own code on settings that share most of their captions.

Sentences are embedded and parsed once for all settings; captions common to all are judged once. Everything
else, grouping, ranking, naming, contrast, is called as an audit calls it, with an audit's defaults (a test
compares the findings with those of an audit of the written files).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.audit.find import find_candidate, find_errors
from core.audit.finding_tables import Facts
from core.bench.symbalbench.coco import BaseSample
from core.bench.symbalbench.settings import Setting
from core.clusters.symbal_1_group_facts import group_facts
from core.domain.fact import Concept, Fact
from core.domain.finding import Finding, VisualFeatureRule
from core.domain.judgement import Judgement, Scored
from core.domain.sample import Sample
from core.domain.scoring import ScoringItem
from core.facts.sentences import split_sentences
from core.findings.contrast import FeaturePairs
from core.findings.features import pairs_from_captions, pairs_from_references
from core.findings.one_name import OneName, frequent_names, one_name
from core.findings.systematic_misalignment import Candidate, rank_findings
from core.models.registry import Models
from core.scores.reference_match import ReferenceScorer
from core.scores.symbal_embedding import EmbeddingScorer
from core.seams import AlignmentScorer, FloatMatrix, FloatVector

Concepts = tuple[Concept, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """Distinct sentences with what the models say of them. vectors: (n, d) unit rows, as `texts`."""

    texts: tuple[str, ...]
    vectors: FloatMatrix
    concepts: tuple[Concepts, ...]

    def row_of(self) -> dict[str, int]:
        return {text: i for i, text in enumerate(self.texts)}


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Facts of all samples with their judgements. sample, sentence: (n,) indices, in sample order."""

    sample: npt.NDArray[np.int64]
    sentence: npt.NDArray[np.int64]
    judgements: tuple[Judgement, ...]


class SettingRunner:
    """Finds the errors of settings over one base dataset.

    image_vectors: (n_samples, d) rows of the samples' images; given, the setting is reference-free.
    """

    def __init__(
        self,
        samples: Sequence[BaseSample],
        sentences: Sentences,
        models: Models,
        rule: VisualFeatureRule = "contrast",
        seed: int = 0,
        image_vectors: FloatMatrix | None = None,
    ) -> None:
        self.samples = samples
        self.sentences = sentences
        self.rule: VisualFeatureRule = rule
        self.seed = seed
        self.image_vectors = image_vectors
        self._scorer = self._scorer_of(models)
        self._row = sentences.row_of()
        self._models = models
        self._name_vectors: dict[str, FloatVector] = {}

    def _scorer_of(self, models: Models) -> AlignmentScorer:
        if self.image_vectors is None:
            return ReferenceScorer(models.text_embedder)
        scorer = EmbeddingScorer(models.text_embedder, models.joint_image_embedder)
        scorer.fit_background(self.image_vectors)
        return scorer

    @cached_property
    def _references(self) -> list[Concepts]:
        """What the references of each sample name, each name once, as an audit reads them."""
        found = []
        for sample in self.samples:
            named = [c for text in sample.references for c in self.sentences.concepts[self._row[text]]]
            found.append(tuple({c.text: c for c in named}.values()))
        return found

    @cached_property
    def _reference_names(self) -> list[set[str]]:
        return [{n for c in concepts for n in (c.text, c.head)} for concepts in self._references]

    def features(self, facts: Facts) -> FeaturePairs:
        if self.image_vectors is not None:
            rows = zip(facts.sample.tolist(), range(len(facts.sample)), facts.names, strict=True)
            return pairs_from_captions(rows, len(self.samples), self._called(facts))
        has = [bool(s.references) for s in self.samples]
        return pairs_from_references(self._reference_names, has, facts.aligned(), self._called(facts))

    def _called(self, facts: Facts) -> OneName:
        """Names of one thing, as the audit's stage `feature_names` joins them."""
        counts: Counter[str] = Counter()
        of_references = self._reference_names if self.image_vectors is None else []
        for names in (*facts.names, *of_references):
            counts.update(set(names))
        frequent = frequent_names(counts)
        unknown = [name for name in frequent if name not in self._name_vectors]
        if unknown:
            rows = self._models.text_embedder.embed_texts(unknown)
            self._name_vectors.update(zip(unknown, rows, strict=True))
        return one_name(frequent, np.stack([self._name_vectors[name] for name in frequent]))

    @cached_property
    def _base(self) -> Judged:
        spans = [split_sentences(s.caption) for s in self.samples]
        pairs = [
            (i, self._row[s.caption[a:b]])
            for i, (s, cut) in enumerate(zip(self.samples, spans, strict=True))
            for a, b in cut
        ]
        return self._judge(pairs)

    def _judge(self, pairs: Iterable[tuple[int, int]]) -> Judged:
        pairs = list(pairs)
        items = [self._item(sample, sentence) for sample, sentence in pairs]
        judged = self._scorer.score(items)
        table = np.array(pairs, np.int64).reshape(-1, 2)
        return Judged(table[:, 0], table[:, 1], tuple(judged))

    def _item(self, sample: int, sentence: int) -> ScoringItem:
        base = self.samples[sample]
        fact = Fact(0, base.image.image_id, 0, self.sentences.texts[sentence], 0, 0)
        if self.image_vectors is not None:
            shown = Sample(sample_id=base.image.image_id, caption="")
            vectors = (self.sentences.vectors[sentence], self.image_vectors[sample])
            return ScoringItem(fact, shown, self.sentences.concepts[sentence], (), *vectors)
        known = Sample(sample_id=base.image.image_id, caption="", references=base.references)
        return ScoringItem(fact, known, self.sentences.concepts[sentence], self._references[sample])

    def facts(self, setting: Setting) -> Facts:
        """All facts of a setting, scored and grouped."""
        added = self._judge((row, self._row[text]) for row, text in setting.added.items())
        sample = np.concatenate([self._base.sample, added.sample])
        order = np.argsort(sample, kind="stable")
        sample = sample[order]
        sentence = np.concatenate([self._base.sentence, added.sentence])[order]
        judged = (*self._base.judgements, *added.judgements)
        judgements = [judged[int(i)] for i in order]
        cluster = group_facts(self.sentences.vectors[sentence], seed=self.seed).labels
        alignment = np.array([j.value if isinstance(j, Scored) else np.nan for j in judgements])
        below = self._scorer.wrong_below(alignment[~np.isnan(alignment)])
        return Facts(
            sample,
            cluster.astype(np.int64),
            alignment,
            [self._names[i] for i in sentence],
            _said_wrongly(judgements, alignment, below, lambda i: self.sentences.concepts[int(sentence[i])]),
            below,
        )

    @cached_property
    def _names(self) -> list[list[str]]:
        return [sorted({n for c in cs for n in (c.text, c.head)}) for cs in self.sentences.concepts]

    def candidates(self, facts: Facts, top_k: int) -> list[Candidate]:
        """Every textual error of the worst clusters with its v."""
        features = self.features(facts)
        return [
            find_candidate(e, facts, features, closed_vocabulary=False, rule=self.rule)
            for e in find_errors(facts, top_k).errors
        ]

    def findings(self, setting: Setting, top_k: int = 10) -> list[Finding]:
        """The ranked findings, as the audit of the written setting would give them."""
        found = self.candidates(self.facts(setting), top_k)
        return rank_findings(found, top_k, [s.image.image_id for s in self.samples])


def _said_wrongly(
    judgements: Sequence[Judgement],
    alignment: FloatVector,
    below: float,
    concepts: Callable[[int], Concepts],
) -> dict[int, list[str]]:
    said = {}
    for i in np.flatnonzero(alignment < below).tolist():
        judged = judgements[i]
        unsupported = list(judged.unsupported) if isinstance(judged, Scored) else []
        said[i] = unsupported or [c.text for c in concepts(i)]
    return said


def all_sentences(samples: Sequence[BaseSample], settings: Sequence[Setting]) -> list[str]:
    """Every distinct sentence of the captions, references (whole) and errors, in a fixed order."""
    texts: dict[str, None] = {}
    for sample in samples:
        texts.update(dict.fromkeys(sample.caption[a:b] for a, b in split_sentences(sample.caption)))
        texts.update(dict.fromkeys(sample.references))
    for setting in settings:
        texts.update(dict.fromkeys(setting.added.values()))
    return list(texts)
