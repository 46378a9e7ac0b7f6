"""The scores stage: one alignment per (fact, image) pair. Paper: Symbal 4.1 (scoring)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.audit import chat_scoring
from core.audit.chat_scoring import chat_scorer, plan_scores
from core.audit.context import Audit, Stage
from core.audit.image_stages import image_rows
from core.audit.text_stages import concepts_of
from core.domain.chat import PlannedCalls
from core.domain.fact import Concept, Fact
from core.domain.judgement import Judgement, Scored
from core.domain.run import STEPS
from core.domain.sample import ImageRef, Sample
from core.domain.scoring import ScoringItem
from core.errors import ConfigError
from core.models.preset_checks import CHAT_SCORERS
from core.runs.executor_local import run_parts
from core.runs.parts import StageStore
from core.scores.objects_match import ObjectsScorer
from core.scores.reference_match import ReferenceScorer
from core.scores.symbal_embedding import EmbeddingScorer
from core.scores.vocabulary import ObjectVocabulary
from core.seams import AlignmentScorer

FACTS_A_PART = 4096
_SAMPLE_COLUMNS = (
    "sample_id",
    "references",
    "objects",
    "image_path",
    "image_sha256",
    "image_width",
    "image_height",
)
CONSE_NOTE = "image classes of a small network stand in for a joint image-text model (ConSE)"

SCORES_SCHEMA = pa.schema(
    [
        ("fact_id", pa.int64()),
        ("value", pa.float64()),
        ("explanation", pa.string()),
        ("raw", pa.string()),
        ("unsupported", pa.list_(pa.string())),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)


def vocabulary_terms(audit: Audit) -> list[str]:
    """The closed vocabulary: as given, else the union of all object lists, lower case, sorted."""
    if audit.config.vocabulary:
        return sorted({t.strip().lower() for t in audit.config.vocabulary if t.strip()})
    lists = audit.stores["samples"].read_table(["objects"])["objects"]
    return sorted({o.strip().lower() for objects in lists.to_pylist() for o in objects or () if o.strip()})


class ScoringData:
    """The tables a scorer's items are made of, read once. Facts are in sample order."""

    def __init__(self, audit: Audit) -> None:
        self.facts = audit.stores["facts"].read_table()
        self.concepts = None
        if "concepts" in audit.stores:  # a count of calls is made without
            self.concepts = audit.stores["concepts"].read_table()["concepts"]
        self.samples = audit.stores["samples"].read_table([*_SAMPLE_COLUMNS])
        self.references = None
        if "reference_concepts" in audit.stores:
            self.references = audit.stores["reference_concepts"].read_table()["concepts"]
        self.text_vectors = self.image_vectors = self.image_row = None
        if "joint_image_vectors" in audit.stores:
            self.text_vectors = audit.stores["fact_vectors"].read_array()
            self.image_vectors = audit.stores["joint_image_vectors"].read_array()
            self.image_row = image_rows(audit)

    def items(self, start: int, stop: int) -> list[ScoringItem]:
        """Scoring items of the facts start..stop."""
        rows = self.facts.slice(start, stop - start).to_pylist()
        concepts: list[Any] = [None] * len(rows)
        if self.concepts is not None:
            concepts = self.concepts.slice(start, stop - start).to_pylist()
        samples: dict[int, tuple[Sample, tuple[Concept, ...]]] = {}
        items = []
        for row, cell in zip(rows, concepts, strict=True):
            index = row.pop("sample_index")
            if index not in samples:
                samples[index] = self._sample(index)
            sample, reference_concepts = samples[index]
            text, image = self._vectors(row["fact_id"], index)
            items.append(ScoringItem(Fact(**row), sample, concepts_of(cell), reference_concepts, text, image))
        return items

    def item(
        self,
        fact: Fact,
        sample_index: int,
        concepts: tuple[Concept, ...],
        text_vector: npt.NDArray[np.float32],
    ) -> ScoringItem:
        """The item of a fact that is not in the tables, about the image of a sample that is."""
        sample, reference_concepts = self._sample(sample_index)
        image = None
        if self.image_row is not None and self.image_vectors is not None:
            row = int(self.image_row[sample_index])
            image = self.image_vectors[row] if row >= 0 else None
        text = text_vector if image is not None else None
        return ScoringItem(fact, sample, concepts, reference_concepts, text, image)

    def _sample(self, index: int) -> tuple[Sample, tuple[Concept, ...]]:
        row = {name: self.samples[name][index].as_py() for name in _SAMPLE_COLUMNS}
        objects = row["objects"]
        image = None
        if row["image_sha256"] is not None:
            size = row["image_width"], row["image_height"]
            image = ImageRef(row["image_path"], row["image_sha256"], *size)
        sample = Sample(
            sample_id=row["sample_id"],
            caption="",
            image=image,
            references=tuple(row["references"] or ()),
            objects=None if objects is None else tuple(objects),
        )
        found = concepts_of(self.references[index].as_py()) if self.references is not None else ()
        return sample, found

    def _vectors(self, fact_id: int, sample_index: int):  # type: ignore[no-untyped-def]
        if self.text_vectors is None or self.image_row is None or self.image_vectors is None:
            return None, None
        row = int(self.image_row[sample_index])
        return (self.text_vectors[fact_id], self.image_vectors[row]) if row >= 0 else (None, None)


def make_scorer(audit: Audit) -> AlignmentScorer:
    """The preset's scorer, else the one the data calls for: objects, references, or the embedding scorer.

    Raises: ConfigError if there is nothing to score against.
    """
    models, kind = audit.models, audit.scorer_kind
    if kind in CHAT_SCORERS:
        return chat_scorer(audit)
    if kind == "objects":
        terms = vocabulary_terms(audit)
        found = models.concept_extractor.extract(terms)
        lemmas = {term: c[0].text for term, c in zip(terms, found, strict=True) if len(c) == 1}
        return ObjectsScorer(
            ObjectVocabulary(terms, lemmas, models.text_embedder), models.text_embedder.identity
        )
    if kind == "references":
        return ReferenceScorer(models.text_embedder)
    if not audit.has_images:
        raise ConfigError(
            "there is nothing to compare the captions with: no references, no objects and no images",
            remedy="give --references, --objects or --images",
        )
    note = CONSE_NOTE if models.preset.joint_image_embedder == "conse" else ""
    return EmbeddingScorer(models.text_embedder, models.joint_image_embedder, approximate=note)


def prepared_scorer(audit: Audit, data: ScoringData) -> tuple[AlignmentScorer, list[str]]:
    """The scorer, fitted to the dataset, and the concepts it was told not to judge."""
    scorer = make_scorer(audit)
    taken_back: list[str] = []
    if isinstance(scorer, ObjectsScorer):
        taken_back = sorted(scorer.calibrate(_mentions(data)))
    if isinstance(scorer, EmbeddingScorer) and data.image_vectors is not None:
        scorer.fit_background(data.image_vectors)
    return scorer, taken_back


def scores_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Scores of all facts; the summary counts the unscored by reason and says what counts as wrong."""
    data = ScoringData(audit)
    scorer, taken_back = prepared_scorer(audit, data)

    def make_part(start: int, stop: int) -> pa.Table:
        return scores_table(range(start, stop), scorer.score(data.items(start, stop)))

    n = data.facts.num_rows
    part = chat_scoring.FACTS_A_PART if audit.scorer_kind in CHAT_SCORERS else FACTS_A_PART
    run_parts(store, n, part, make_part, cancel=audit.cancel, emit=audit.emit, unit="facts")
    table = store.read_table(["value", "reason"])
    values = np.array(table["value"].drop_null().to_pylist(), np.float64)
    reasons = Counter(r for r in table["reason"].to_pylist() if r is not None)
    return {
        "n_scored": len(values),
        "n_unscored": sum(reasons.values()),
        "unscored_reasons": dict(sorted(reasons.items())),
        "wrong_below": scorer.wrong_below(values),
        "mean_alignment": float(values.mean()) if len(values) else None,
        "scorer": {
            "name": scorer.identity.name,
            "revision": scorer.identity.revision,
            "backend": scorer.identity.backend,
            "baseline": scorer.identity.baseline,
            "approximate": scorer.approximate,
        },
        "not_judged_concepts": taken_back,
    }


def _mentions(data: ScoringData) -> Iterator[tuple[Sample, tuple[Concept, ...]]]:
    for start in range(0, data.facts.num_rows, FACTS_A_PART):
        for item in data.items(start, min(start + FACTS_A_PART, data.facts.num_rows)):
            yield item.sample, item.concepts


def scores_table(fact_ids: range, judgements: list[Judgement]) -> pa.Table:
    """Judgements as rows; value is null and reason set where a fact is unscored."""
    scored = [j if isinstance(j, Scored) else None for j in judgements]
    unscored = [None if isinstance(j, Scored) else j for j in judgements]
    columns = [
        pa.array(fact_ids, pa.int64()),
        pa.array([s.value if s else None for s in scored], pa.float64()),
        pa.array([s.explanation if s else "" for s in scored], pa.string()),
        pa.array([j.raw for j in judgements], pa.string()),
        pa.array([list(s.unsupported) if s else [] for s in scored], pa.list_(pa.string())),
        pa.array([u.reason if u else None for u in unscored], pa.string()),
        pa.array([u.detail if u else None for u in unscored], pa.string()),
    ]
    return pa.Table.from_arrays(columns, schema=SCORES_SCHEMA)


def _inputs_params(audit: Audit) -> Mapping[str, object]:
    kind = audit.scorer_kind
    if kind in CHAT_SCORERS:
        return {"setting": audit.setting, "scorer": chat_scorer(audit).identity}
    params: dict[str, object] = {"setting": audit.setting, "text": audit.models.text_embedder.identity}
    if kind == "objects":
        params["vocabulary"] = list(audit.config.vocabulary)
    if kind == "embedding":
        params["image"] = audit.models.joint_image_embedder.identity
    return params


def _plan(audit: Audit) -> Sequence[PlannedCalls]:
    if audit.scorer_kind not in CHAT_SCORERS:
        return []
    data = ScoringData(audit)
    return plan_scores(audit, data.items(0, data.facts.num_rows))


SCORE_STAGE = Stage(
    "scores",
    5,
    ("samples", "facts", "concepts", "reference_concepts", "fact_vectors", "joint_image_vectors"),
    _inputs_params,
    scores_work,
    steps=STEPS,
    plan=_plan,
    plan_inputs=("facts",),
)
