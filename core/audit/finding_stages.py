"""Stages from scores to findings: rank clusters, name t, group images, name v. Paper: Symbal 4, A.3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.audit.context import Audit, Stage
from core.audit.feature_stage import FEATURE_STAGE, feature_pairs
from core.audit.find import believed_candidates, find_errors
from core.audit.finding_tables import (
    EVIDENCE_LIMIT,
    EVIDENCE_SCHEMA,
    IMAGES_SCHEMA,
    Facts,
    clusters_table,
    finding_json,
)
from core.audit.image_stages import image_name, image_rows
from core.audit.summary_stages import SUMMARY_STAGES, asks_for_features
from core.clusters.symbal_2_group_images import group_images
from core.domain.cluster import Cluster, Interval
from core.domain.finding import Finding, TextualFact, Vote
from core.findings.systematic_misalignment import (
    Candidate,
    TextualError,
    rank_findings,
)
from core.runs.parts import StageStore


def text_clusters_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """All fact clusters ranked by misalignment, with the textual facts each stands for."""
    found = find_errors(Facts.read(audit), audit.config.top_k)
    store.write_table(0, clusters_table(found.ranked, found.named))
    return {"n_clusters": len(found.ranked), "errors": [asdict(e) for e in found.errors]}


def read_errors(audit: Audit) -> list[TextualError]:
    """The textual errors found by the text_clusters stage."""
    errors = []
    for e in audit.summary("text_clusters")["errors"]:
        cluster = dict(e["cluster"])
        cluster["interval"] = Interval(**cluster["interval"]) if cluster["interval"] else None
        t = e["textual_fact"]
        fact = TextualFact(t["text"], tuple(Vote(**v) for v in t["candidates"]))
        errors.append(TextualError(fact, Cluster(**cluster), tuple(e["also_in"])))
    return errors


def image_grouping_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """For each C_text, the clusters of its images; one part a fact cluster."""
    vectors = audit.stores["image_vectors"].read_array()
    rows_of = image_rows(audit)
    facts = Facts.read(audit)
    wanted = sorted({e.cluster.cluster_id for e in read_errors(audit)})
    for part, cluster_id in enumerate(wanted):
        audit.cancel.raise_if_requested()
        if not store.has_part(part):
            rows = np.unique(rows_of[facts.sample[facts.cluster == cluster_id]])
            rows = rows[rows >= 0]
            labels = rows
            if len(rows):
                named = partial(image_name, audit, rows)
                labels = group_images(vectors[rows], seed=audit.config.seed, name_of=named).labels
            columns = [
                pa.array(np.full(len(rows), cluster_id), pa.int32()),
                pa.array(rows, pa.int64()),
                pa.array(labels, pa.int32()),
            ]
            store.write_table(part, pa.Table.from_arrays(columns, schema=IMAGES_SCHEMA))
        audit.emit(
            "progress", stage="image_grouping", n_done=part + 1, n_total=len(wanted), unit="fact clusters"
        )
    if not wanted:
        store.write_table(0, IMAGES_SCHEMA.empty_table())
    return {"n_text_clusters": len(wanted)}


def findings_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """The ranked findings (in the summary) and the evidence of each (one part a finding)."""
    facts = Facts.read(audit)
    found = believed_candidates(
        read_errors(audit),
        facts,
        feature_pairs(audit, facts),
        sample_images(audit),
        closed_vocabulary=is_closed(audit),
        rule=audit.config.visual_feature_rule,
        seed=audit.config.seed,
        label_of_sample=_ImageClusters.read(audit).label_of_sample,
        check=audit.cancel.raise_if_requested,
    )
    ids = audit.stores["samples"].read_table(["sample_id"])["sample_id"].to_pylist()
    findings = rank_findings(found, audit.config.top_k, ids)
    by_name = {c.error.textual_fact.text: c for c in found}
    for part, finding in enumerate(findings):
        c = by_name[finding.textual_fact.text]
        store.write_table(part, _evidence(finding, c, facts))
    if not findings:
        store.write_table(0, EVIDENCE_SCHEMA.empty_table())
    return {"findings": [finding_json(f) for f in findings], "n_candidates": len(found)}


def is_closed(audit: Audit) -> bool:
    """Whether features are names of a closed vocabulary, where another name is another thing."""
    return audit.setting == "objects" and not asks_for_features(audit)


def sample_images(audit: Audit) -> npt.NDArray[np.int64]:
    """(n_samples,) number of each sample's image, by content, else by path; a sample without is alone."""
    columns = audit.stores["samples"].read_table(["image_sha256", "image_path"])
    named = zip(columns["image_sha256"].to_pylist(), columns["image_path"].to_pylist(), strict=True)
    keys = [sha or path or f"sample {i}" for i, (sha, path) in enumerate(named)]
    return np.asarray(np.unique(np.array(keys, object).astype(str), return_inverse=True)[1], np.int64)


@dataclass(slots=True)
class _ImageClusters:
    """Image clusters of the fact clusters, and the image row of each sample."""

    table: pa.Table | None
    row_of_sample: npt.NDArray[np.int64] | None

    @classmethod
    def read(cls, audit: Audit) -> _ImageClusters:
        if "image_grouping" not in audit.stores:
            return cls(None, None)
        return cls(audit.stores["image_grouping"].read_table(), image_rows(audit))

    def label_of_sample(self, text_cluster: int) -> npt.NDArray[np.int64] | None:
        """(n_samples,) image cluster inside one fact cluster, -1 for samples outside it."""
        if self.table is None or self.row_of_sample is None:
            return None
        mine = np.asarray(self.table["text_cluster"].to_numpy() == text_cluster)
        rows = np.asarray(self.table["image_row"].to_numpy())[mine]
        labels = np.asarray(self.table["cluster"].to_numpy())[mine]
        by_row = np.full(int(self.row_of_sample.max(initial=-1)) + 2, -1, np.int64)
        by_row[rows] = labels
        return by_row[self.row_of_sample]  # row -1 (no image) reads the last entry, which stays -1


def _evidence(finding: Finding, c: Candidate, facts: Facts) -> pa.Table:
    """Facts behind a finding: all that say t wrongly, then others of C_text, at most 2,000 of each."""
    members = np.flatnonzero(facts.cluster == finding.text_cluster.cluster_id)
    others = np.setdiff1d(members, c.wrong.facts)[:EVIDENCE_LIMIT]
    ids = np.concatenate([c.wrong.facts[:EVIDENCE_LIMIT], others]).astype(np.int64)
    wrong = np.arange(len(ids)) < min(len(c.wrong.facts), EVIDENCE_LIMIT)
    sample = facts.sample[ids]
    columns = [
        pa.array([finding.finding_id] * len(ids), pa.string()),
        pa.array(sample, pa.int32()),
        pa.array(ids, pa.int64()),
        pa.array(wrong),
        pa.array(c.present[sample]),
    ]
    return pa.Table.from_arrays(columns, schema=EVIDENCE_SCHEMA)


def _top_k(audit: Audit) -> Mapping[str, object]:
    return {"top_k": audit.config.top_k}


FINDING_STAGES = (
    *SUMMARY_STAGES,
    FEATURE_STAGE,
    Stage(
        "text_clusters",
        2,
        ("facts", "concepts", "scores", "fact_grouping", "fact_features"),
        _top_k,
        text_clusters_work,
    ),
    Stage(
        "image_grouping",
        1,
        ("samples", "facts", "concepts", "scores", "fact_grouping", "text_clusters", "image_vectors"),
        lambda audit: {"seed": audit.config.seed},
        image_grouping_work,
        lambda audit: audit.has_images,
    ),
    Stage(
        "findings",
        4,
        (
            "samples",
            "facts",
            "concepts",
            "reference_concepts",
            "feature_names",
            "fact_features",
            "image_features",
            "scores",
            "fact_grouping",
            "text_clusters",
            "image_grouping",
        ),
        lambda audit: {
            "top_k": audit.config.top_k,
            "rule": audit.config.visual_feature_rule,
            "seed": audit.config.seed,
        },
        findings_work,
    ),
)
