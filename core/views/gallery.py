"""The samples behind a finding: with and without the error, with and without the visual feature."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.views.findings import feature_name, findings_of
from core.views.marked_text import Piece, Span, excerpt, full, word_spans
from core.views.numbers import decimal
from core.views.open_run import OpenRun
from core.views.stage_rows import rows_at, rows_where

GROUPS = ("wrong_present", "right_present", "wrong_absent", "right_absent")
_SAMPLE_COLUMNS = ("sample_id", "caption", "image_sha256", "image_path", "references", "objects", "captioner")
_SCORE_COLUMNS = ("fact_id", "value", "explanation", "unsupported", "reason", "detail")


@dataclass(frozen=True, slots=True)
class Chip:
    """A short name under a picture. is_feature: it is v."""

    text: str
    is_feature: bool


@dataclass(frozen=True, slots=True)
class SampleCard:
    """One sample with the sentences in question.

    image: sha256 of the image, None if there is none. excerpt: the offending sentence with some words
    around it. caption: the whole caption. explanation: why the scorer says so. objects: None = not given.
    """

    sample_id: str
    image: str | None
    image_path: str
    excerpt: tuple[Piece, ...]
    caption: tuple[Piece, ...]
    shortened: bool
    alignment: str
    explanation: str
    objects: tuple[Chip, ...] | None
    references: tuple[tuple[Piece, ...], ...]
    captioner: str


@dataclass(frozen=True, slots=True)
class Group:
    """Samples of one cell of the 2x2 table. samples: their (sample index, fact ids), examples first."""

    key: str
    title: str
    hint: str
    samples: tuple[tuple[int, tuple[int, ...]], ...]


def groups_of(run: OpenRun, finding_id: str) -> tuple[Group, ...]:
    """The four groups of a finding, in the order of GROUPS; () if the run keeps no evidence.

    Wrong: some sentence says t wrongly. Right: a judged sentence of the same cluster, none of the sample
    says t wrongly. At most as many samples as the evidence of the run holds.
    """
    folder = run.stage("findings")
    if folder is None:
        return ()
    finding = next(f for f in findings_of(run) if f["finding_id"] == finding_id)
    columns = ("sample_index", "fact_id", "wrong", "feature_present")
    evidence = rows_where(folder, columns, "finding_id", finding_id).to_pylist()
    judged = _judged(run, [e["fact_id"] for e in evidence if not e["wrong"]])
    cells: dict[str, dict[int, list[int]]] = {key: {} for key in GROUPS}
    wrong_samples = {e["sample_index"] for e in evidence if e["wrong"]}
    for e in evidence:
        is_right = e["sample_index"] not in wrong_samples and e["fact_id"] in judged
        if e["wrong"] or is_right:
            key = f"{'wrong' if e['wrong'] else 'right'}_{'present' if e['feature_present'] else 'absent'}"
            cells[key].setdefault(e["sample_index"], []).append(e["fact_id"])
    return _named_groups(run, finding, cells)


def _judged(run: OpenRun, fact_ids: Sequence[int]) -> set[int]:
    rows = rows_at(run.need_stage("scores"), ("fact_id", "value"), fact_ids)
    return {row["fact_id"] for row in rows if row["value"] is not None}


def _named_groups(
    run: OpenRun, finding: Mapping[str, Any], cells: Mapping[str, Mapping[int, list[int]]]
) -> tuple[Group, ...]:
    t, v = finding["textual_fact"]["text"], feature_name(finding)
    words = {
        "wrong_present": (f"Wrong, with ‘{v}’", f"‘{t}’ is said wrongly and ‘{v}’ is present: the finding."),
        "right_present": (
            f"Right, with ‘{v}’",
            f"‘{v}’ is present, yet a sentence of the same cluster is not wrong.",
        ),
        "wrong_absent": (f"Wrong, without ‘{v}’", f"‘{t}’ is said wrongly although ‘{v}’ is absent."),
        "right_absent": (
            f"Right, without ‘{v}’",
            f"Sentences of the same cluster that are not wrong, ‘{v}’ absent.",
        ),
    }
    examples = set(finding.get("example_sample_ids", ()))
    first: set[int] = set()
    if examples:
        indices = list(cells["wrong_present"])
        rows = rows_at(run.need_stage("samples"), ("sample_id",), indices)
        first = {i for i, row in zip(indices, rows, strict=True) if row["sample_id"] in examples}
    return tuple(
        Group(
            key,
            *words[key],
            tuple(
                (i, tuple(facts)) for i, facts in sorted(cells[key].items(), key=lambda c: c[0] not in first)
            ),
        )
        for key in GROUPS
    )


def cards_of(run: OpenRun, finding_id: str, group: Group, start: int, stop: int) -> tuple[SampleCard, ...]:
    """The cards of group.samples[start:stop]. Raises RunError if a stage is missing or damaged."""
    finding = next(f for f in findings_of(run) if f["finding_id"] == finding_id)
    t, v = finding["textual_fact"]["text"], finding["visual_feature"]["text"]
    marks_caption = finding["visual_feature"].get("presence_from") == "rest of the caption"
    chosen = group.samples[start:stop]
    samples = rows_at(run.need_stage("samples"), _SAMPLE_COLUMNS, [i for i, _ in chosen])
    fact_ids = [fact for _, facts in chosen for fact in facts]
    facts = dict(zip(fact_ids, _facts(run, fact_ids), strict=True))
    return tuple(
        _card(sample, [facts[f] for f in ids], t, v, marks_caption)
        for sample, (_, ids) in zip(samples, chosen, strict=True)
    )


def _facts(run: OpenRun, fact_ids: Sequence[int]) -> list[dict[str, Any]]:
    """Facts with their concepts and scores; fact_id is the row of every per-fact stage."""
    facts = rows_at(run.need_stage("facts"), ("fact_id", "text", "start", "end"), fact_ids)
    concepts = rows_at(run.need_stage("concepts"), ("concepts",), fact_ids)
    scores = rows_at(run.need_stage("scores"), _SCORE_COLUMNS, fact_ids)
    return [{**f, **c, **s} for f, c, s in zip(facts, concepts, scores, strict=True)]


def _card(
    sample: Mapping[str, Any], facts: Sequence[Mapping[str, Any]], t: str, v: str, marks_caption: bool
) -> SampleCard:
    caption = sample["caption"]
    spans = [span for fact in facts for span in fact_spans(fact, t)]
    if marks_caption:
        spans += word_spans(caption, v, "feature")
    worst = min(facts, key=lambda f: (f["value"] is None, f["value"] or 0.0))
    judged = worst["value"] is not None
    short = excerpt(caption, spans)
    objects = sample["objects"]
    return SampleCard(
        sample_id=sample["sample_id"],
        image=sample["image_sha256"],
        image_path=sample["image_path"] or "",
        excerpt=short,
        caption=full(caption, spans),
        shortened="".join(p.text for p in short) != caption,
        alignment=decimal(worst["value"]) if judged else "not judged",
        explanation=worst["explanation"] if judged else (worst["detail"] or worst["reason"] or ""),
        objects=None if objects is None else tuple(Chip(o, o.lower() == v.lower()) for o in objects),
        references=tuple(full(r, word_spans(r, v, "feature")) for r in sample["references"] or ()),
        captioner=sample["captioner"] or "",
    )


def fact_spans(fact: Mapping[str, Any], t: str) -> list[Span]:
    """The sentence and, inside it, the words that say t, as spans of the caption."""
    start = fact["start"]
    spans = [Span(start, fact["end"], "sentence")]
    names = {t.lower(), *said_as(fact["explanation"] or "", t)}
    mentions = [
        Span(start + c["start"], start + c["end"], "concept")
        for c in fact["concepts"] or ()
        if c["text"].lower() in names or c["head"].lower() in names
    ]
    if not mentions:
        mentions = [
            Span(start + s.start, start + s.stop, s.mark) for s in word_spans(fact["text"], t, "concept")
        ]
    return spans + mentions


def said_as(explanation: str, t: str) -> set[str]:
    """What the sentence calls t when it uses another word, as the scorer explains it."""
    return {m.lower() for m in re.findall(rf"\b{re.escape(t)} \(said as '([^']+)'\)", explanation)}
