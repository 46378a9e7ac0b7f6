"""From ranked fact clusters to ranked findings (t, v). Paper: Symbal 4.1, 4.2, A.3.

Stage 1 gives clusters and their textual facts; here facts of the same name are joined, each gets its
error indicator over the dataset, its v by both rules, its 2x2 table, and the findings are ranked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core.domain.cluster import Cluster
from core.domain.finding import Association, Finding, TextualFact, VisualFeature, VisualFeatureRule, Vote
from core.findings.association import associate
from core.findings.contrast import Contrast, FeatureTable, contrast_features

MAX_EXAMPLES = 24
CLUSTERS_PER_FINDING = 30
"""Worst clusters looked at for each finding wanted (top-k): 300 for ten findings. An error among many right
mentions of the same thing lies in a cluster that is not among the very worst."""

BoolVector = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TextualError:
    """A textual fact with the best-ranked cluster it was found in (C_text) and the others that name it."""

    textual_fact: TextualFact
    cluster: Cluster
    also_in: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ErrorIndicator:
    """Where t is said wrongly. samples: (n,) bool. facts: ids of the facts that say it wrongly."""

    samples: BoolVector
    facts: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Stage2:
    """C_image and v by the paper's rule; cluster None where there are no images."""

    cluster: Cluster | None
    features: tuple[Vote, ...]


def textual_errors(
    ranked: Sequence[Cluster], facts_of: Callable[[Cluster], Sequence[TextualFact]], top_k: int
) -> list[TextualError]:
    """Distinct textual facts of the worst `30 * top_k` clusters, in order of cluster rank.

    ranked: clusters, worst first (unranked ones are ignored). facts_of: the textual facts a cluster
    stands for. A fact named by several clusters is one error; its C_text is the worst of them.
    """
    errors: dict[str, TextualError] = {}
    worst = [c for c in ranked if c.rank is not None][: CLUSTERS_PER_FINDING * top_k]
    for cluster in worst:
        for fact in facts_of(cluster):
            known = errors.get(fact.text)
            if known is None:
                errors[fact.text] = TextualError(fact, cluster, ())
            else:
                errors[fact.text] = replace(known, also_in=(*known.also_in, cluster.cluster_id))
    return list(errors.values())


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A finding before ranking, with what is needed to rank and show it."""

    error: TextualError
    wrong: ErrorIndicator
    present: BoolVector
    visual_feature: VisualFeature
    stage2: Stage2
    association: Association
    contrast: Contrast


def candidate(
    error: TextualError,
    wrong: ErrorIndicator,
    table: FeatureTable,
    stage2: Stage2,
    rule: VisualFeatureRule,
    barred: Collection[str],
) -> Candidate:
    """v and the 2x2 table of one textual error. barred: names of t itself, never candidates for v."""
    contrast = contrast_features(wrong.samples, table, without=barred)
    votes = contrast.candidates if rule == "contrast" else stage2.features
    name = votes[0].text if votes else ""
    present = table.column(name)
    feature = VisualFeature(name, votes, rule, table.presence_from)
    association = associate(wrong.samples[table.known], present[table.known])
    return Candidate(error, wrong, present, feature, stage2, association, contrast)


def rank_findings(candidates: Sequence[Candidate], top_k: int, sample_ids: Sequence[str]) -> list[Finding]:
    """The `top_k` findings, strongest association of t with v first.

    Order: one-sided Fisher p of the 2x2 table, then cluster rank. Departs: the paper keeps the order
    of the clusters' mean alignment, in which an error with no visual trigger can come first.
    """
    order = sorted(candidates, key=_strength)[:top_k]
    return [_finding(c, rank, sample_ids) for rank, c in enumerate(order, start=1)]


def _strength(c: Candidate) -> tuple[float, float, int, str]:
    own = c.contrast.candidates[0].text if c.contrast.candidates else None
    log_p = c.contrast.log_p if c.visual_feature.text == own else 0.0
    if c.visual_feature.text and own != c.visual_feature.text and c.association.p is not None:
        log_p = float(np.log(max(c.association.p, 1e-300)))
    return (log_p, -(c.association.cramers_v or 0.0), c.error.cluster.rank or 0, c.error.textual_fact.text)


def _finding(c: Candidate, rank: int, sample_ids: Sequence[str]) -> Finding:
    return Finding(
        finding_id=finding_id(c.error.textual_fact.text, c.visual_feature.text),
        rank=rank,
        textual_fact=c.error.textual_fact,
        visual_feature=c.visual_feature,
        text_cluster=c.error.cluster,
        image_cluster=c.stage2.cluster,
        association=c.association,
        example_sample_ids=tuple(sample_ids[i] for i in _examples(c)),
    )


def _examples(c: Candidate) -> list[int]:
    """Samples where t is said wrongly: those that show v first, then by index."""
    together = np.flatnonzero(c.wrong.samples & c.present)
    apart = np.flatnonzero(c.wrong.samples & ~c.present)
    return [int(i) for i in np.concatenate([together, apart])[:MAX_EXAMPLES]]


def finding_id(textual_fact: str, visual_feature: str) -> str:
    """Stable name of a finding: the same t and v have the same id in every run."""
    return hashlib.sha256(f"{textual_fact}\x00{visual_feature}".encode()).hexdigest()[:12]
