"""What the Label page shows: the next sentence of a blind random sample, and what the verdicts say so far."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from core.domain.label import HumanLabel
from core.findings.prevalence import Prevalence, prevalence, wrongness
from core.labels.fact_labels import WRONG, Place
from core.views.findings import findings_of
from core.views.marked_text import Piece, Span, cut
from core.views.open_run import OpenRun
from core.views.stage_rows import rows_at


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """Sentences in the random order in which they are judged; the same for every annotator.

    place, sample: of each. wrongness: (n,) how wrong the model takes each to be, 0..1, higher = more
    likely wrong; never shown before a verdict. n_unscored: sentences left out because no score is known.
    title: what the sentences have in common.
    """

    title: str
    place: tuple[Place, ...]
    sample: npt.NDArray[np.int64]
    wrongness: npt.NDArray[np.float64]
    n_unscored: int


@dataclass(frozen=True, slots=True)
class LabelCard:
    """A sentence to judge, without any score. image: sha256, None if there is none."""

    place: Place
    image: str | None
    caption: tuple[Piece, ...]
    sentence: str


def label_queue(run: OpenRun, finding_id: str | None = None) -> Queue:
    """The scored sentences of a finding's cluster, or of the whole run, in random order.

    Raises RunError for a finding that is not in the run, or stages that are missing.
    """
    facts = _table(run, "facts", ["sample_id", "sample_index", "start", "end"])
    values = _table(run, "scores", ["value"])["value"].to_numpy(zero_copy_only=False).astype(np.float64)
    rows, title = np.arange(len(values)), "all sentences"
    if finding_id is not None and run.stage("fact_grouping") is not None:
        finding = next((f for f in findings_of(run) if f["finding_id"] == finding_id), None)
        if finding is not None:
            cluster = int(finding["text_cluster"]["id"])
            rows = np.flatnonzero(_table(run, "fact_grouping", ["cluster"])["cluster"].to_numpy() == cluster)
            title = f"sentences about “{finding['textual_fact']['text']}”"
    scored = rows[~np.isnan(values[rows])]
    picked = facts.take(pa.array(scored)).to_pylist()
    places = [(str(f["sample_id"]), int(f["start"]), int(f["end"])) for f in picked]
    order = sorted(range(len(places)), key=lambda i: _draw(run.fingerprint, places[i]))
    return Queue(
        title,
        tuple(places[i] for i in order),
        np.array([picked[i]["sample_index"] for i in order], np.int64),
        wrongness(values[scored])[order],
        len(rows) - len(scored),
    )


def _draw(fingerprint: str, place: Place) -> bytes:
    """A random number of a sentence: the order is the same in every run and for every annotator."""
    return hashlib.sha256(f"{fingerprint}|{place[0]}|{place[1]}|{place[2]}".encode()).digest()


def waiting(queue: Queue, judged: Collection[Place], skipped: Collection[Place]) -> list[int]:
    """Numbers of the sentences still to judge, next first; skipped ones come last."""
    left = [i for i, p in enumerate(queue.place) if p not in judged]
    return sorted(left, key=lambda i: queue.place[i] in skipped)


def card_of(run: OpenRun, queue: Queue, number: int) -> LabelCard:
    """A sentence with its caption and image."""
    place = queue.place[number]
    folder = run.need_stage("samples")
    row = rows_at(folder, ["caption", "image_sha256"], [int(queue.sample[number])])[0]
    caption = str(row["caption"])
    _, start, stop = place
    pieces = cut(caption, [Span(start, stop, "sentence")])
    return LabelCard(place, row["image_sha256"], pieces, caption[start:stop])


def live_prevalence(queue: Queue, verdicts: Mapping[Place, HumanLabel]) -> Prevalence | None:
    """The share of wrong sentences from these verdicts and the scores of all; None without a verdict.

    Valid because the queue is a random order: what is judged is a random sample. "Nothing to assess" is
    neither right nor wrong, and leaves its sentence out.
    """
    said = [WRONG.get(verdicts[p].verdict) if p in verdicts else None for p in queue.place]
    labelled = np.array([s is not None for s in said], np.bool_)
    out = np.array([p in verdicts and s is None for p, s in zip(queue.place, said, strict=True)], np.bool_)
    if not labelled.any():
        return None
    wrong = np.array([s for s in said if s is not None], np.bool_)
    return prevalence(wrong, queue.wrongness[labelled], queue.wrongness[~labelled & ~out])


def _table(run: OpenRun, stage: str, columns: list[str]) -> pa.Table:
    parts = sorted(run.need_stage(stage).glob("part-*.parquet"))
    return pa.concat_tables([pq.read_table(p, columns=columns, partitioning=None) for p in parts])
