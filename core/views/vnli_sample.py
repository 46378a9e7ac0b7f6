"""A caption with the verdict, critique and revision of each sentence, and what people decided about them.

Paper: VNLI-Critique 4, 5.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from core.errors import RunError
from core.labels.revisions import Decision, Place, decisions, revised_caption
from core.runs.files import read_json
from core.views.findings import findings_of
from core.views.numbers import decimal
from core.views.open_run import OpenRun, labels_of
from core.views.stage_rows import rows_at, rows_in, rows_where

Change = Literal["same", "out", "in"]
NOT_JUDGED = "Not judged"
_FACTS = ("fact_id", "sample_index", "text", "start", "end")
_REVISIONS = ("fact_id", "revision", "p_after", "verdict_after", "reason", "detail")
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class SentenceView:
    """One sentence. verdict: of VERDICTS, or "Not judged" (why: reason). p, p_after: as text, "" = none.

    critique: "" = none (critique_missing says why). revision: None = none proposed (revision_missing says
    why), "" = to be taken out. after: the critic's verdict on the revision, "" = not judged.
    decision: what holds now, None = nobody has decided.
    """

    fact_id: int
    sample_id: str
    start: int
    end: int
    text: str
    verdict: str
    p: str
    why: str
    critique: str
    critique_missing: str
    revision: str | None
    revision_missing: str
    p_after: str
    after: str
    decision: Decision | None

    @property
    def place(self) -> Place:
        return (self.sample_id, self.start, self.end)

    @property
    def flagged(self) -> bool:
        return self.verdict == "Non-entailment"

    @property
    def safe(self) -> bool:
        """Whether the critic has no objection to what is proposed."""
        return self.revision == "" or (self.revision is not None and self.after == "Entailment")


@dataclass(frozen=True, slots=True)
class CaptionView:
    """One sample. gaps and sentences together are the caption; revised: with all accepted revisions."""

    sample_index: int
    sample_id: str
    image: str | None
    image_path: str
    captioner: str
    caption: str
    sentences: tuple[SentenceView, ...]
    revised: str


@dataclass(frozen=True, slots=True)
class FindingCritiques:
    """The flagged sentences behind a finding. reasons: (what critiques name, number of sentences).

    samples: sample indices with a flagged sentence that says t wrongly. open: their safe revisions that
    nobody has decided about.
    """

    n_flagged: int
    n_revised: int
    reasons: tuple[tuple[str, int], ...]
    samples: tuple[int, ...]
    fact_ids: tuple[int, ...]
    open: tuple[SentenceView, ...]


def has_vnli(run: OpenRun) -> bool:
    """Whether the run judged and revised sentences."""
    return all(run.stage(name) is not None for name in ("factuality", "critiques", "revisions"))


def critic_of(run: OpenRun) -> tuple[str, bool]:
    """(name of the critic, whether it is a baseline)."""
    model = read_json(run.need_stage("factuality") / "stage.json")["summary"]["model"]
    return str(model["name"]), bool(model["baseline"])


def sample_index_of(run: OpenRun, sample_id: str) -> int:
    """Position of a sample. Raises RunError if the run has no such sample."""
    folder = run.need_stage("samples")
    found = rows_where(run.need_stage("facts"), ("sample_index",), "sample_id", sample_id)
    if found.num_rows:
        return int(found["sample_index"][0].as_py())
    raise RunError("this run has no such sample", where=str(folder.name), value=sample_id)


def caption_views(run: OpenRun, sample_indices: Sequence[int]) -> tuple[CaptionView, ...]:
    """Samples with the sentences of their captions, in the order asked for."""
    columns = ("sample_id", "caption", "image_sha256", "image_path", "captioner")
    samples = rows_at(run.need_stage("samples"), columns, sample_indices)
    facts = rows_in(run.need_stage("facts"), _FACTS, "sample_index", list(sample_indices))
    ids = [row["sample_id"] for row in samples]
    decided = {p: d for p, d in _decisions(run).items() if p[0] in set(ids)}
    sentences = sentence_views(run, facts, dict(zip(sample_indices, ids, strict=True)), decided)
    found = []
    for index, row in zip(sample_indices, samples, strict=True):
        own = {(d.start, d.end): d for p, d in decided.items() if p[0] == row["sample_id"] and d.accepted}
        found.append(
            CaptionView(
                index,
                row["sample_id"],
                row["image_sha256"],
                row["image_path"] or "",
                row["captioner"] or "",
                row["caption"],
                tuple(s for s in sentences if s.sample_id == row["sample_id"]),
                revised_caption(row["caption"], own),
            )
        )
    return tuple(found)


def sentence_views(
    run: OpenRun, facts: Sequence[dict[str, Any]], ids: dict[int, str], decided: dict[Place, Decision]
) -> list[SentenceView]:
    """The sentences of these rows of the facts stage."""
    fact_ids = [row["fact_id"] for row in facts]
    columns = ("p_entailment", "verdict", "explanation", "reason", "detail")
    judged = rows_at(run.need_stage("factuality"), columns, fact_ids)
    wrong = [f for f, row in zip(fact_ids, judged, strict=True) if row["verdict"] == "Non-entailment"]
    critiques = _by_fact(run, "critiques", ("fact_id", "critique", "reason", "detail"), wrong)
    revisions = _by_fact(run, "revisions", _REVISIONS, wrong)
    found = []
    for fact, row in zip(facts, judged, strict=True):
        critique = critiques.get(fact["fact_id"], {})
        revision = revisions.get(fact["fact_id"], {})
        sample_id = ids[fact["sample_index"]]
        found.append(
            SentenceView(
                fact["fact_id"],
                sample_id,
                fact["start"],
                fact["end"],
                fact["text"],
                verdict=row["verdict"] or NOT_JUDGED,
                p=_p(row["p_entailment"]),
                why=row["explanation"] or row["detail"] or row["reason"] or "",
                critique=critique.get("critique") or "",
                critique_missing=_reason(critique),
                revision=revision.get("revision"),
                revision_missing=_reason(revision),
                p_after=_p(revision.get("p_after")),
                after=revision.get("verdict_after") or "",
                decision=decided.get((sample_id, fact["start"], fact["end"])),
            )
        )
    return found


def finding_critiques(run: OpenRun, finding_id: str) -> FindingCritiques:
    """What critiques say about the sentences that a finding says are wrong, and their revisions."""
    finding = next((f for f in findings_of(run) if f["finding_id"] == finding_id), None)
    folder = run.stage("findings")
    if finding is None or folder is None:
        raise RunError("this run has no such finding", where=run.run_id, value=finding_id)
    columns = ("sample_index", "fact_id", "wrong")
    evidence = rows_where(folder, columns, "finding_id", finding_id).to_pylist()
    wrong = sorted({row["fact_id"] for row in evidence if row["wrong"]})
    named = _by_fact(run, "critiques", ("fact_id", "names"), wrong)
    counts = Counter(name for row in named.values() for name in dict.fromkeys(row["names"] or ()))
    facts = rows_at(run.need_stage("facts"), _FACTS, sorted(named))
    indices = sorted({f["sample_index"] for f in facts})
    samples = rows_at(run.need_stage("samples"), ("sample_id",), indices)
    ids = {i: row["sample_id"] for i, row in zip(indices, samples, strict=True)}
    sentences = sentence_views(run, facts, ids, _decisions(run))
    return FindingCritiques(
        n_flagged=len(named),
        n_revised=sum(s.revision is not None for s in sentences),
        reasons=tuple(counts.most_common(8)),
        samples=tuple(indices),
        fact_ids=tuple(sorted(named)),
        open=tuple(s for s in sentences if s.safe and s.decision is None),
    )


def word_diff(before: str, after: str) -> tuple[tuple[Change, str], ...]:
    """What became of the words: runs of kept, taken out and put in text, in reading order.

    "same" and "out" together are `before`, "same" and "in" together `after`, to the character.
    """
    a, b = _WORDS.findall(before), _WORDS.findall(after)
    pieces: list[tuple[Change, str]] = []
    for kind, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", "".join(a[i:j])))
            continue
        if i < j:
            pieces.append(("out", "".join(a[i:j])))
        if k < m:
            pieces.append(("in", "".join(b[k:m])))
    return tuple(pieces)


def _decisions(run: OpenRun) -> dict[Place, Decision]:
    return decisions(labels_of(run.workspace, run.fingerprint))


def _by_fact(run: OpenRun, stage: str, columns: Sequence[str], fact_ids: Sequence[int]) -> dict[int, Any]:
    rows = rows_in(run.need_stage(stage), columns, "fact_id", fact_ids) if fact_ids else []
    return {row["fact_id"]: row for row in rows}


def _p(value: float | None) -> str:
    return "" if value is None else decimal(value)


def _reason(row: dict[str, Any]) -> str:
    return ": ".join(part for part in (row.get("reason"), row.get("detail")) if part)
