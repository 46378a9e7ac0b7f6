"""How much can this audit see? Known errors planted into the user's own captions, and looked for again.

Paper: SymbalBench 5, B, applied to the data of a finished run instead of COCO. A copy of the captions gets
a sentence that says t, more often where v is shown; the audit's own grouping, scoring, naming and statistics
run on the copy, with the run's models and settings. What is known of the samples and of the other sentences
is read from the run.

Departs from auditing the written copy: what a scorer learns from the dataset (which words its captions use
for which object) is learnt from the captions as they were, and so are names of one thing. A test compares
both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.audit.context import Audit
from core.audit.feature_stage import feature_pairs
from core.audit.find import LabelOfSample, believed_candidates, find_errors, no_images
from core.audit.finding_stages import is_closed, sample_images
from core.audit.finding_tables import Facts
from core.audit.image_stages import image_rows
from core.audit.score_stage import ScoringData, prepared_scorer
from core.bench.planted_pairs import Plan, choose_plans
from core.bench.planted_results import PlantedResult, kept_results, result_of, write_result
from core.bench.symbalbench.inject import LEVELS, sentence, templates
from core.clusters.symbal_1_group_facts import group_facts
from core.clusters.symbal_2_group_images import group_images
from core.domain.fact import Concept, Fact
from core.domain.finding import Finding
from core.domain.judgement import Judgement, Scored
from core.errors import ConfigError
from core.findings.contrast import FeaturePairs
from core.findings.systematic_misalignment import rank_findings
from core.seams import FloatMatrix

Progress = Callable[[int, int], None]


def plant(
    audit: Audit,
    *,
    n: int = 20,
    seed: int = 0,
    levels: Sequence[float] = LEVELS,
    sentences: Sequence[str] = (),
    progress: Progress = lambda done, total: None,
) -> list[PlantedResult]:
    """Plant up to `n` errors at each level, one at a time, and look for each.

    audit: a reopened, finished run with Symbal. sentences: templates with {t} or {a} (default: fifty for
    photographs). Results are kept in the run's folder as they come; asked again, what is there is not redone.
    Raises: ConfigError if the run has no Symbal, or nothing can be planted in so few samples.
    """
    if "findings" not in audit.stores:
        raise ConfigError("the run has no findings to compare with", remedy="audit with --steps symbal")
    ground = Ground(audit)
    plans = ground.plans(n, seed, levels)
    if not plans:
        raise ConfigError(
            "no error can be planted: too few samples show the same things", value=len(ground.captions),
            remedy="plant in a run with some hundred samples",
        )  # fmt: skip
    file = planted_file(audit)
    used = tuple(sentences) or templates()
    done = {r.name: r for r in kept_results(file) if r.seed == seed and r.of == ground.key}
    results = []
    for i, plan in enumerate(plans):
        audit.cancel.raise_if_requested()
        progress(i, len(plans))
        result = done.get(f"{plan.t}--{plan.v}--{plan.level}")
        if result is None:
            findings = ground.findings(plan, ground.sentences(plan, used, seed))
            result = result_of(plan, findings, seed=seed, of=ground.key, called=ground.features.called)
            write_result(file, result)
        results.append(result)
    progress(len(plans), len(plans))
    return results


def planted_file(audit: Audit) -> Path:
    """Where the results of a run's planted errors are kept."""
    return audit.cancel.run_dir / "planted.jsonl"


@dataclass(frozen=True, slots=True, eq=False)
class Added:
    """Sentences added, one a sample. samples: (m,) rows. The rest in the same order."""

    samples: npt.NDArray[np.int64]
    vectors: FloatMatrix
    concepts: tuple[tuple[Concept, ...], ...]
    judgements: tuple[Judgement, ...]


class Ground:
    """What planting needs of a run, read once."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit
        self.key = audit.stores["findings"].key
        samples = audit.stores["samples"].read_table(["sample_id", "caption"])
        self.ids: list[str] = samples["sample_id"].to_pylist()
        self.captions: list[str] = samples["caption"].to_pylist()
        self.base = Facts.read(audit)
        self.vectors = np.asarray(audit.stores["fact_vectors"].read_array())
        self.data = ScoringData(audit)
        self.scorer, self.not_judged = prepared_scorer(audit, self.data)
        self.images = sample_images(audit)

    @cached_property
    def features(self) -> FeaturePairs:
        return feature_pairs(self.audit, self.base)

    def plans(self, n: int, seed: int, levels: Sequence[float]) -> list[Plan]:
        """The errors to plant."""
        said: list[set[str]] = [set() for _ in self.captions]
        for sample, names in zip(self.base.sample, self.base.names, strict=True):
            said[int(sample)].update(names)
        return choose_plans(
            self.features.table(np.zeros(0, np.int64)),
            self.captions,
            said,
            n=n,
            seed=seed,
            closed_vocabulary=is_closed(self.audit),
            levels=levels,
            barred=self.not_judged,
        )

    def sentences(self, plan: Plan, used: Sequence[str], seed: int) -> list[str]:
        """One sentence for each sample that carries the error."""
        generator = np.random.default_rng([seed, *f"{plan.t}|{plan.v}|{plan.level}".encode()])
        return [sentence(str(how), plan.t) for how in generator.choice(list(used), len(plan.rows))]

    def findings(self, plan: Plan, texts: Sequence[str]) -> list[Finding]:
        """The findings of the audit with the error planted."""
        facts = self._facts(self._added(plan, texts))
        config = self.audit.config
        found = believed_candidates(
            find_errors(facts, config.top_k).errors,
            facts,
            feature_pairs(self.audit, facts),
            self.images,
            closed_vocabulary=is_closed(self.audit),
            rule=config.visual_feature_rule,
            seed=config.seed,
            label_of_sample=self._image_labels(facts),
            check=self.audit.cancel.raise_if_requested,
        )
        return rank_findings(found, config.top_k, self.ids)

    def _added(self, plan: Plan, texts: Sequence[str]) -> Added:
        models = self.audit.models
        unique = list(dict.fromkeys(texts))
        place = [unique.index(t) for t in texts]
        vectors = np.asarray(models.text_embedder.embed_texts(unique))[place]
        found = models.concept_extractor.extract(unique)
        concepts = tuple(tuple(found[i]) for i in place)
        items = [
            self.data.item(Fact(-1, self.ids[row], 0, text, 0, len(text)), int(row), said, vector)
            for row, text, said, vector in zip(plan.rows, texts, concepts, vectors, strict=True)
        ]
        return Added(plan.rows, vectors, concepts, tuple(self.scorer.score(items)))

    def _facts(self, added: Added) -> Facts:
        """The run's facts with the added ones behind the last of their sample, grouped anew."""
        base = self.base
        sample = np.concatenate([base.sample, added.samples])
        order = np.argsort(sample, kind="stable")
        values = np.array([j.value if isinstance(j, Scored) else np.nan for j in added.judgements])
        alignment = np.concatenate([base.alignment, values])
        below = self.scorer.wrong_below(alignment[~np.isnan(alignment)])
        own = [sorted({n for c in said for n in (c.text, c.head)}) for said in added.concepts]
        names = [*base.names, *own]
        said = {**base.said_wrongly, **dict(_said(added, below, len(base.sample)))}
        new_id = np.argsort(order)
        labels = group_facts(
            np.concatenate([self.vectors, added.vectors])[order], seed=self.audit.config.seed
        ).labels
        return Facts(
            sample[order],
            labels.astype(np.int64),
            alignment[order],
            [names[i] for i in order],
            {int(new): s for new, s in sorted((int(new_id[old]), s) for old, s in said.items())},
            below,
        )

    def _image_labels(self, facts: Facts) -> LabelOfSample:
        """Image clusters of a fact cluster, grouped when asked for; only the paper's rule names v by them."""
        if "image_vectors" not in self.audit.stores or self.audit.config.visual_feature_rule != "paper":
            return no_images
        vectors, rows_of = self.audit.stores["image_vectors"].read_array(), image_rows(self.audit)

        def label_of_sample(text_cluster: int) -> npt.NDArray[np.int64] | None:
            rows = np.unique(rows_of[facts.sample[facts.cluster == text_cluster]])
            rows = rows[rows >= 0]
            by_row = np.full(int(rows_of.max(initial=-1)) + 2, -1, np.int64)
            if len(rows):
                by_row[rows] = group_images(vectors[rows], seed=self.audit.config.seed).labels
            return by_row[rows_of]

        return label_of_sample


def _said(added: Added, below: float, first: int) -> Iterator[tuple[int, list[str]]]:
    """(fact, names it says wrongly) of the added facts that count as wrong, numbered from `first`."""
    for i, (judged, concepts) in enumerate(zip(added.judgements, added.concepts, strict=True)):
        if isinstance(judged, Scored) and judged.value < below:
            yield first + i, list(judged.unsupported) or [c.text for c in concepts]
