"""From facts with alignments to candidates for findings, in memory: shared by the stages and the benchmarks.

Paper: Symbal 4.1, 4.2, A.3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.audit.finding_tables import Facts
from core.domain.cluster import Cluster
from core.domain.finding import TextualFact, VisualFeatureRule, Vote
from core.findings.believe import Trial, believe
from core.findings.contrast import FeaturePairs, FeatureTable
from core.findings.features import same_thing
from core.findings.systematic_misalignment import (
    Candidate,
    ErrorIndicator,
    Stage2,
    TextualError,
    candidate,
    textual_errors,
)
from core.scores.rank_clusters import rank_clusters
from core.summaries.symbal_1_textual_fact import textual_facts
from core.summaries.symbal_2_visual_feature import most_frequent_features

LabelOfSample = Callable[[int], npt.NDArray[np.int64] | None]
"""Fact cluster -> (n_samples,) image cluster inside it, -1 for samples outside; None without images."""


@dataclass(frozen=True, slots=True)
class TextStage:
    """Stage 1: all fact clusters, worst first, the textual facts of each, and the distinct errors."""

    ranked: list[Cluster]
    named: dict[int, list[TextualFact]]
    errors: list[TextualError]


def find_errors(facts: Facts, top_k: int) -> TextStage:
    """Rank the clusters of facts by misalignment and name what each says wrongly."""
    ranked = rank_clusters(facts.cluster, facts.alignment)
    misaligned: dict[int, list[list[str]]] = defaultdict(list)
    for fact, said in facts.said_wrongly.items():
        misaligned[int(facts.cluster[fact])].append(said)
    named = {c.cluster_id: textual_facts(misaligned[c.cluster_id]) for c in ranked}
    return TextStage(ranked, named, textual_errors(ranked, lambda c: named[c.cluster_id], top_k))


def no_images(text_cluster: int) -> None:
    """The image clusters of data without images."""


def find_candidate(
    error: TextualError,
    facts: Facts,
    features: FeaturePairs,
    *,
    closed_vocabulary: bool,
    rule: VisualFeatureRule,
    label_of_sample: LabelOfSample = no_images,
) -> Candidate:
    """Stage 2 of one error: where it occurs, its v by both rules, its 2x2 table."""
    wrong = _indicator(error.textual_fact.text, facts, len(features.known))
    table = features.table(wrong.facts)
    barred = same_thing(
        error.textual_fact.text,
        table.names,
        closed_vocabulary=closed_vocabulary,
        called=features.called,
    )
    stage2 = _stage_2(error, facts, table, label_of_sample(error.cluster.cluster_id), wrong, barred)
    return candidate(error, wrong, table, stage2, rule, barred)


def believed_candidates(
    errors: Sequence[TextualError],
    facts: Facts,
    features: FeaturePairs,
    images: npt.NDArray[np.int64],
    *,
    closed_vocabulary: bool,
    rule: VisualFeatureRule,
    seed: int,
    label_of_sample: LabelOfSample = no_images,
    check: Callable[[], None] = lambda: None,
) -> list[Candidate]:
    """Every error with its v, its table, q and replication.

    images: (n_samples,) number of each sample's image. check: called before each error; may raise.
    """
    tested: list[Trial] = []
    for error in errors:
        check()
        c = find_candidate(
            error,
            facts,
            features,
            closed_vocabulary=closed_vocabulary,
            rule=rule,
            label_of_sample=label_of_sample,
        )
        table = features.table(c.wrong.facts)
        t = error.textual_fact.text
        barred = same_thing(t, table.names, closed_vocabulary=closed_vocabulary, called=features.called)
        tested.append(Trial(c, table, barred))
    return believe(tested, images, seed=seed)


def _indicator(name: str, facts: Facts, n_samples: int) -> ErrorIndicator:
    ids = np.array([i for i, said in facts.said_wrongly.items() if name in said], np.int64)
    samples = np.zeros(n_samples, bool)
    samples[facts.sample[ids]] = True
    return ErrorIndicator(samples, ids)


def _stage_2(
    error: TextualError,
    facts: Facts,
    table: FeatureTable,
    label: npt.NDArray[np.int64] | None,
    wrong: ErrorIndicator,
    barred: Collection[str],
) -> Stage2:
    """C_image (worst image cluster of C_text) and its most frequent features. Paper: Symbal 4.2."""
    members = np.flatnonzero(facts.cluster == error.cluster.cluster_id)
    if label is None:
        shown = np.unique(facts.sample[np.intersect1d(wrong.facts, members)])
        return Stage2(None, _frequent(table, shown, barred))
    ranked = rank_clusters(label[facts.sample[members]], facts.alignment[members])
    worst = ranked[0] if ranked and ranked[0].rank is not None else None
    if worst is None:
        return Stage2(None, ())
    shown = np.unique(facts.sample[members][label[facts.sample[members]] == worst.cluster_id])
    return Stage2(worst, _frequent(table, shown, barred))


def _frequent(
    table: FeatureTable, samples: npt.NDArray[np.int64], barred: Collection[str]
) -> tuple[Vote, ...]:
    rows = table.present.tocsr()[samples]
    shown = [
        [table.names[j] for j in rows.indices[a:b]]
        for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)
    ]
    return most_frequent_features(shown, without=barred)
