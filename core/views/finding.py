"""What the Finding page shows: t, v, why they belong together, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.domain.label import HumanLabel
from core.errors import RunError
from core.labels.replay import standing_labels
from core.views.axes import AlignmentAxis, Bar, RatioAxis, between, interval_of
from core.views.findings import (
    feature_name,
    finding_target,
    findings_of,
    is_believed,
    replication_of,
    scorer_notes,
)
from core.views.numbers import count, counted, decimal, p_value, ratio, share
from core.views.open_run import OpenRun, labels_of

WHERE_PRESENT = {
    "objects": "‘{v}’ is in the object list",
    "references": "the reference captions name ‘{v}’",
    "rest of the caption": "the rest of the caption names ‘{v}’",
    "image, by a chat model": "the summariser sees ‘{v}’ in the image",
    "description of the image, by a chat model": "the summariser reads ‘{v}’ in the image's description",
    "image classes": "the image classifier sees ‘{v}’",
}
RULES = {
    "contrast": "chosen by contrast: the strongest association with the error over the whole dataset",
    "paper": "chosen by the paper's rule: the most frequent in the worst image cluster",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that could have been chosen. width: percent of the longest bar; chosen: it was."""

    text: str
    weight: str
    width: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of the 2x2 table: samples with or without v. share: of the row that say t wrongly."""

    label: str
    wrong: str
    right: str
    total: str
    share: str
    percent: float


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number with its interval in words and what it means in one sentence. bar: None = not drawn."""

    name: str
    value: str
    interval: str
    meaning: str
    bar: Bar | None = None
    reference: float | None = None


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """One line of the history. standing: it is the annotator's verdict now."""

    annotator: str
    verdict: str
    note: str
    time: str
    standing: bool
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class Verdicts:
    """mine: the annotator's standing verdict. others: of everybody else. history: newest first."""

    mine: HumanLabel | None
    others: tuple[HumanLabel, ...]
    history: tuple[VerdictLine, ...]


@dataclass(frozen=True, slots=True)
class FindingView:
    """One finding. position: its place among `total` findings; previous, following: their ids."""

    run_id: str
    finding_id: str
    dataset: str
    rank: int
    total: int
    textual_fact: str
    visual_feature: str
    sentence: str
    rates: str
    table: tuple[TableRow, TableRow]
    statistics: tuple[Statistic, ...]
    textual_candidates: tuple[Candidate, ...]
    visual_candidates: tuple[Candidate, ...]
    rule: str
    presence_from: str
    clusters: str
    notes: tuple[str, ...]
    examples: tuple[str, ...]
    previous: str | None
    following: str | None


def finding_view(run: OpenRun, finding_id: str) -> FindingView:
    """One finding of a finished run. Raises RunError if the run has no such finding."""
    findings = findings_of(run)
    place = next((i for i, f in enumerate(findings) if f["finding_id"] == finding_id), None)
    if place is None:
        raise RunError(
            "this run has no such finding",
            where=run.run_id,
            value=finding_id,
            remedy="choose one from the list",
        )
    finding = findings[place]
    t, v = finding["textual_fact"], finding["visual_feature"]
    return FindingView(
        run_id=run.run_id,
        finding_id=finding_id,
        dataset=run.dataset_name,
        rank=finding["rank"],
        total=len(findings),
        textual_fact=t["text"],
        visual_feature=feature_name(finding),
        sentence=sentence_of(finding),
        rates=rates_of(finding),
        table=table_of(finding),
        statistics=_statistics(finding),
        textual_candidates=_candidates(t["candidates"], t["text"], whole=True),
        visual_candidates=_candidates(v["candidates"], v["text"], whole=v.get("rule") == "paper"),
        rule=RULES.get(v.get("rule", ""), ""),
        presence_from=v.get("presence_from", ""),
        clusters=_clusters(finding),
        notes=scorer_notes(run.findings or {}),
        examples=tuple(finding.get("example_sample_ids", ())),
        previous=findings[place - 1]["finding_id"] if place else None,
        following=findings[place + 1]["finding_id"] if place + 1 < len(findings) else None,
    )


def verdicts_view(run: OpenRun, finding_id: str, annotator: str) -> Verdicts:
    """The verdicts on one finding as this annotator sees them."""
    history = labels_of(run.workspace, run.fingerprint).history(finding_target(finding_id))
    standing = {label.annotator: label for label in standing_labels(reversed(history)).values()}
    taken_back = {label.supersedes for label in history if label.withdrawn}
    lines = tuple(
        VerdictLine(
            annotator=label.annotator,
            verdict=label.verdict,
            note=label.note,
            time=label.time,
            standing=standing.get(label.annotator) == label,
            withdrawn=label.label_id in taken_back,
        )
        for label in history
        if not label.withdrawn
    )
    others = tuple(label for name, label in sorted(standing.items()) if name != annotator)
    return Verdicts(standing.get(annotator), others, lines)


def present_when(finding: Mapping[str, Any]) -> str:
    """The condition "v is present" in words."""
    feature = finding["visual_feature"]
    if not feature["text"]:
        return "a visual feature is present"
    template = WHERE_PRESENT.get(feature.get("presence_from", ""), "‘{v}’ is present")
    return template.format(v=feature["text"])


def sentence_of(finding: Mapping[str, Any]) -> str:
    """The finding in one sentence."""
    t, a = finding["textual_fact"]["text"], finding["association"]
    when, risk = present_when(finding), a.get("risk_ratio")
    if not finding["visual_feature"]["text"]:
        return f"Captions say ‘{t}’ wrongly, and no visual feature was found that it goes with."
    if a["wrong_present"] and not a["wrong_absent"]:
        return f"Captions say ‘{t}’ wrongly only when {when}."
    if risk is not None and risk > 1:
        return f"Captions say ‘{t}’ wrongly {ratio(risk).removesuffix('×')} times as often when {when}."
    if risk is not None:
        return f"Captions say ‘{t}’ wrongly, but not more often when {when} ({ratio(risk)})."
    return f"Captions say ‘{t}’ wrongly; how often when {when} cannot be compared."


def rates_of(finding: Mapping[str, Any]) -> str:
    """The two rates behind the risk ratio."""
    a = finding["association"]
    present, absent = a["wrong_present"] + a["right_present"], a["wrong_absent"] + a["right_absent"]
    v = feature_name(finding)
    return (
        f"Wrong in {share(a['wrong_present'], present)} of {counted(present, 'caption')} with ‘{v}’, "
        f"in {share(a['wrong_absent'], absent)} of {counted(absent, 'caption')} without."
    )


def table_of(finding: Mapping[str, Any]) -> tuple[TableRow, TableRow]:
    """The 2x2 table as rows: v present, v absent."""
    v, a = feature_name(finding), finding["association"]
    return (
        _table_row(f"‘{v}’ present", a["wrong_present"], a["right_present"]),
        _table_row(f"‘{v}’ absent", a["wrong_absent"], a["right_absent"]),
    )


def _table_row(label: str, wrong: int, right: int) -> TableRow:
    total = wrong + right
    percent = 100 * wrong / total if total else 0.0
    return TableRow(label, count(wrong), count(right), count(total), share(wrong, total), percent)


def _statistics(finding: Mapping[str, Any]) -> tuple[Statistic, ...]:
    a, cluster = finding["association"], finding["text_cluster"]
    ratios, alignments = RatioAxis.over([a]), AlignmentAxis.over([cluster])
    risk_interval, alignment_interval = (
        interval_of(a.get("risk_ratio_interval")),
        interval_of(cluster.get("interval")),
    )
    return (
        Statistic(
            "Risk ratio",
            ratio(a.get("risk_ratio")),
            between(risk_interval, ratio),
            "How many times as often the error occurs with v as without it; 1× = no link.",
            ratios.bar(a.get("risk_ratio"), risk_interval),
            ratios.position(1.0),
        ),
        Statistic(
            "Cramér's V",
            decimal(a.get("cramers_v")),
            "",
            "Strength of the link between error and v; 0 = none, 1 = perfect.",
        ),
        Statistic(
            "p",
            p_value(a.get("p")),
            "",
            "Chance of a link at least this strong if there were none (Fisher's exact test, one-sided).",
        ),
        *_belief(a),
        Statistic(
            "Mean alignment",
            decimal(cluster.get("mean_alignment")),
            between(alignment_interval, decimal),
            "How well the sentences of this cluster fit their images; higher = better aligned.",
            alignments.bar(cluster.get("mean_alignment"), alignment_interval),
        ),
    )


def _belief(a: Mapping[str, Any]) -> tuple[Statistic, ...]:
    """q and replication; nothing for findings made before these were computed."""
    if a.get("q") is None:
        return ()
    halves = a.get("replication")
    effects = ""
    if halves:
        first, second = halves["discovery"]["risk_ratio"], halves["held_out"]["risk_ratio"]
        effects = f"{ratio(first)} where found (‘{halves['feature']}’), {ratio(second)} on the other half"
    return (
        Statistic(
            "q",
            p_value(a["q"]),
            f"over {counted(a['n_tests'], 'test')}",
            "Share of false findings to expect among those at least this strong, counting every pair tested.",
        ),
        Statistic(
            "Replicated",
            replication_of(a),
            effects,
            "Whether one random half of the images leads to this v and the other half confirms it."
            + ("" if is_believed(a) else " This finding is not yet to be believed."),
        ),
    )


def _candidates(votes: list[Mapping[str, Any]], chosen: str, *, whole: bool) -> tuple[Candidate, ...]:
    top = max((abs(v["weight"]) for v in votes), default=0.0) or 1.0
    return tuple(
        Candidate(
            v["text"],
            count(round(v["weight"])) if whole else decimal(v["weight"], 1),
            100 * max(0.0, v["weight"]) / top,
            v["text"] == chosen,
        )
        for v in votes
    )


def _clusters(finding: Mapping[str, Any]) -> str:
    text, image = finding["text_cluster"], finding.get("image_cluster")
    said = f"Cluster of {counted(text['size'], 'similar sentence')}"
    if text.get("n_unscored"):
        said += f" ({count(text['n_unscored'])} not judged)"
    if image:
        said += f"; its worst group of similar images holds {counted(image['size'], 'sentence')}"
        if image.get("mean_alignment") is not None:
            said += f" with mean alignment {decimal(image['mean_alignment'])}"
    return said + "."
