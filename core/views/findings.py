"""What the Findings page shows: the ranked findings of one run with their verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import RunError
from core.findings.believe import holds_up
from core.labels.replay import TargetStatus
from core.views.axes import AlignmentAxis, Bar, RatioAxis, between, interval_of
from core.views.numbers import NOTHING, counted, decimal, p_value, ratio
from core.views.open_run import OpenRun, labels_of

SETTINGS = {
    "objects": "judged against object lists",
    "reference-based": "judged against reference captions",
    "reference-free": "judged against the images alone",
}


NO_FEATURE = "no feature found"


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding as numbers and as text. alignment: mean, higher = better aligned."""

    finding_id: str
    rank: int
    textual_fact: str
    visual_feature: str
    cluster_size: int
    alignment: str
    alignment_interval: str
    alignment_bar: Bar
    risk_ratio: str
    risk_ratio_interval: str
    risk_ratio_bar: Bar
    cramers_v: str
    p: str
    q: str
    replication: str
    believed: bool
    verdict: str
    verdict_detail: str


@dataclass(frozen=True, slots=True)
class FindingsView:
    """title: dataset name. facts: what was audited, short clauses. notes: how far to trust the scores.

    no_effect: where a risk ratio of 1 lies on the axis of the risk ratio bars, percent.
    n_judged: findings with at least one standing verdict.
    """

    run_id: str
    title: str
    facts: tuple[str, ...]
    notes: tuple[str, ...]
    rows: tuple[FindingRow, ...]
    no_effect: float
    n_judged: int
    first_open: str | None


def finding_target(finding_id: str) -> str:
    """How labels name a finding."""
    return f"finding:{finding_id}"


def findings_view(run: OpenRun) -> FindingsView:
    """All findings of a finished run, best first. Raises RunError if the run has no findings yet."""
    findings = findings_of(run)
    statuses = labels_of(run.workspace, run.fingerprint).statuses() if run.fingerprint else {}
    ratio_axis = RatioAxis.over([f["association"] for f in findings])
    alignment_axis = AlignmentAxis.over([f["text_cluster"] for f in findings])
    rows = tuple(
        _row(f, statuses.get(finding_target(f["finding_id"])), ratio_axis, alignment_axis) for f in findings
    )
    judged = [r for r in rows if r.verdict]
    return FindingsView(
        run_id=run.run_id,
        title=run.dataset_name,
        facts=dataset_facts(run),
        notes=scorer_notes(run.findings or {}),
        rows=rows,
        no_effect=ratio_axis.position(1.0),
        n_judged=len(judged),
        first_open=next((r.finding_id for r in rows if not r.verdict), None),
    )


def findings_of(run: OpenRun) -> list[Mapping[str, Any]]:
    """The findings as they stand in findings.json, in rank order."""
    if run.findings is None:
        raise RunError(
            f"this run is {run.info.state} and has no findings", where=run.run_id, remedy="wait, or resume it"
        )
    return sorted(run.findings.get("findings", []), key=lambda f: f["rank"])


def dataset_facts(run: OpenRun) -> tuple[str, ...]:
    """What was audited, in short clauses."""
    info = run.info
    facts = [counted(info.n_samples, "caption"), counted(info.n_facts, "sentence")]
    if run.count("n_images"):
        facts.append(counted(run.count("n_images"), "image"))
    if info.setting in SETTINGS:
        facts.append(SETTINGS[info.setting])
    if info.n_unscored:
        facts.append(counted(info.n_unscored, "sentence could", "sentences could") + " not be judged")
    if run.count("n_problems"):
        facts.append(counted(run.count("n_problems"), "row") + " with problems")
    return tuple(facts)


def scorer_notes(findings: Mapping[str, Any]) -> tuple[str, ...]:
    """How far the scores can be trusted, in plain words; () when there is nothing to warn of."""
    scorer = findings.get("scorer") or {}
    notes = []
    if scorer.get("baseline"):
        notes.append(
            f"Baseline scorer ({scorer.get('name', 'unnamed')}): a simple, stated rule judged the sentences, "
            "not a strong model. Treat findings as leads to check."
        )
    if scorer.get("approximate"):
        notes.append(f"Scores are approximate: {scorer['approximate']}.")
    return tuple(notes)


def feature_name(finding: Mapping[str, Any]) -> str:
    """v, or words that say there is none."""
    return finding["visual_feature"]["text"] or NO_FEATURE


def is_believed(association: Mapping[str, Any]) -> bool:
    """q below 0.05 and replicated; a finding without these numbers is not to be believed yet."""
    return holds_up(association.get("q"), association.get("replicated"))


def replication_of(association: Mapping[str, Any]) -> str:
    """ "yes", "no" or "too few" images; an en dash where it was not looked at."""
    if association.get("q") is None:
        return NOTHING
    return {True: "yes", False: "no", None: "too few"}[association.get("replicated")]


def verdict_of(status: TargetStatus | None) -> tuple[str, str]:
    """(verdict or "disputed" or "", who says what) of a target."""
    if status is None or not status.counts:
        return "", ""
    said = ", ".join(f"{name}: {label.verdict}" for name, label in sorted(status.by_annotator.items()))
    return status.agreed or "disputed", said


def _row(
    finding: Mapping[str, Any], status: TargetStatus | None, ratios: RatioAxis, alignments: AlignmentAxis
) -> FindingRow:
    cluster, association = finding["text_cluster"], finding["association"]
    alignment, alignment_interval = cluster.get("mean_alignment"), interval_of(cluster.get("interval"))
    risk, risk_interval = association.get("risk_ratio"), interval_of(association.get("risk_ratio_interval"))
    verdict, detail = verdict_of(status)
    return FindingRow(
        finding_id=finding["finding_id"],
        rank=finding["rank"],
        textual_fact=finding["textual_fact"]["text"],
        visual_feature=feature_name(finding),
        cluster_size=cluster["size"],
        alignment=decimal(alignment),
        alignment_interval=between(alignment_interval, decimal),
        alignment_bar=alignments.bar(alignment, alignment_interval),
        risk_ratio=ratio(risk),
        risk_ratio_interval=between(risk_interval, ratio),
        risk_ratio_bar=ratios.bar(risk, risk_interval),
        cramers_v=decimal(association.get("cramers_v")),
        p=p_value(association.get("p")),
        q=p_value(association.get("q")),
        replication=replication_of(association),
        believed=is_believed(association),
        verdict=verdict,
        verdict_detail=detail,
    )
