"""Evian in an audit: decompositions, then triplets, per sample. Paper: Evian 3.

With chat models in the preset (decomposer_chat, auditor_chat) as the paper has it; without, the embedded
baselines. Calls per sample: 3 to decompose, and 1 to 3 to score (a defaulted axis asks nothing).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from core.audit.context import Audit, Stage
from core.audit.evian_plan import plan_decompositions, plan_triplets
from core.audit.evian_tables import (
    count_triplets,
    decomposition_of,
    decompositions_table,
    triplets_table,
)
from core.domain.chat import ImageInput
from core.domain.evian import Decomposition, EvianItem
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.facts import evian_1_tag, evian_2_distill, evian_3_synthesize
from core.facts.evian_decompose import decompose, decompose_by_rules
from core.models.embedded.evian_tagger import RuleTagger
from core.prompts.load_prompt import load_prompt
from core.runs.executor_local import run_parts
from core.runs.parts import StageStore
from core.scores import evian_factual_accuracy, evian_image_text_consistency, evian_logical_coherence
from core.scores.evian_baseline import AlignmentScale, BaselineTriplets, scale_of
from core.scores.evian_triplet import score_triplets
from core.seams import ChatModel

SAMPLES_A_PART = 256
BASELINE_NOTE = "scores are heuristics from alignment scores and text similarity; no fact is checked"
STEP_PROMPTS = (evian_1_tag.PROMPT_ID, evian_2_distill.PROMPT_ID, evian_3_synthesize.PROMPT_ID)
AXIS_PROMPTS = (
    evian_image_text_consistency.PROMPT_ID,
    evian_logical_coherence.PROMPT_ID,
    evian_factual_accuracy.PROMPT_ID,
)


def chat_of(audit: Audit, role: str) -> ChatModel | None:
    """The chat model in this role, None if the preset has none: the embedded baseline works then."""
    return audit.models.chat(role) if audit.models.has_chat(role) else None


def decompositions_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Every response in its parts."""
    samples = audit.stores["samples"].read_table(["sample_id", "caption", "instruction"])
    chat = chat_of(audit, "decomposer_chat")
    tagger = RuleTagger() if chat is None else None

    def make_part(start: int, stop: int) -> pa.Table:
        rows = samples.slice(start, stop - start)
        responses = rows["caption"].to_pylist()
        if chat is not None:
            instructions = [i or "" for i in rows["instruction"].to_pylist()]
            found = decompose(responses, instructions, chat)
        else:
            assert tagger is not None
            tagged = tagger.tag(responses)
            found = [
                s if isinstance(s, Unscored) else decompose_by_rules(r, s)
                for r, s in zip(responses, tagged, strict=True)
            ]
        return decompositions_table(start, rows["sample_id"].to_pylist(), responses, found)

    run_parts(
        store,
        samples.num_rows,
        SAMPLES_A_PART,
        make_part,
        cancel=audit.cancel,
        emit=audit.emit,
        unit="samples",
    )
    identity = chat.identity if chat is not None else RuleTagger().identity
    reasons = store.read_table(["reason"])["reason"]
    return {"model": _identity(identity), "n_unscored": len(reasons) - reasons.null_count}


def triplets_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """S_V, S_L and S_K of every sample."""
    n = audit.stores["samples"].read_table(["sample_id"]).num_rows
    scorer = _TripletMaker(audit)

    def make_part(start: int, stop: int) -> pa.Table:
        return triplets_table(start, scorer.score(start, stop))

    run_parts(store, n, SAMPLES_A_PART, make_part, cancel=audit.cancel, emit=audit.emit, unit="samples")
    return {"model": _identity(scorer.identity), "note": scorer.note, **count_triplets(store.iter_tables())}


class _TripletMaker:
    """Scores a range of samples with the auditor model or the baseline."""

    def __init__(self, audit: Audit) -> None:
        self._samples = audit.stores["samples"].read_table(
            ["sample_id", "instruction", "image_path", "image_sha256"]
        )
        self._parts = audit.stores["decompositions"]
        self._root = audit.image_root
        self._chat = chat_of(audit, "auditor_chat")
        self._alignments: _Alignments | None = None
        self._baseline: BaselineTriplets | None = None
        self.identity: ModelIdentity
        self.note = ""
        if self._chat is not None:
            self.identity = self._chat.identity
        else:
            self._alignments, self.note = _Alignments(audit), BASELINE_NOTE
            self._baseline = BaselineTriplets(audit.models.text_embedder, _scale(audit))
            self.identity = self._baseline.identity

    def score(self, start: int, stop: int) -> list[Any]:
        rows = self._samples.slice(start, stop - start).to_pylist()
        found = self._decompositions(start, stop)
        items = [
            EvianItem(
                row["sample_id"],
                decomposition,
                row["instruction"] or "",
                self._alignments.of(start + i) if self._alignments else (),
            )
            for i, (row, decomposition) in enumerate(zip(rows, found, strict=True))
        ]
        if self._chat is None:
            assert self._baseline is not None
            return self._baseline.score(items)
        return score_triplets(items, [self._images(row) for row in rows], self._chat)

    def _decompositions(self, start: int, stop: int) -> Sequence[Decomposition | Unscored]:
        part = self._parts.read_part(start // SAMPLES_A_PART)
        return [decomposition_of(row) for row in part.slice(0, stop - start).to_pylist()]

    def _images(self, row: Mapping[str, Any]) -> tuple[ImageInput, ...]:
        if self._root is None or row["image_sha256"] is None:
            return ()
        return (ImageInput(self._root / row["image_path"], row["image_sha256"]),)


class _Alignments:
    """Alignments of the sentences of each sample; facts are in sample order."""

    def __init__(self, audit: Audit) -> None:
        facts = audit.stores["facts"].read_table(["sample_index", "start", "end"])
        self._sample = np.asarray(facts["sample_index"].to_numpy())
        self._start, self._end = facts["start"].to_numpy(), facts["end"].to_numpy()
        self._value = audit.stores["scores"].read_table(["value"])["value"]

    def of(self, sample: int) -> tuple[tuple[int, int, float], ...]:
        low, high = np.searchsorted(self._sample, [sample, sample + 1])
        return tuple(self._rows(int(low), int(high)))

    def _rows(self, low: int, high: int) -> Iterator[tuple[int, int, float]]:
        for i in range(low, high):
            value = self._value[i].as_py()
            if value is not None:
                yield int(self._start[i]), int(self._end[i]), float(value)


def _scale(audit: Audit) -> AlignmentScale:
    return scale_of(audit.summary("scores")["scorer"]["name"])


def _identity(identity) -> dict[str, object]:  # type: ignore[no-untyped-def]
    return {
        "name": identity.name,
        "revision": identity.revision,
        "backend": identity.backend,
        "baseline": identity.baseline,
    }


def _decomposition_params(audit: Audit) -> Mapping[str, object]:
    chat = chat_of(audit, "decomposer_chat")
    if chat is None:
        return {"model": RuleTagger().identity}
    return {"model": chat.identity, "prompts": [load_prompt(p).ref.sha256 for p in STEP_PROMPTS]}


def _triplet_params(audit: Audit) -> Mapping[str, object]:
    chat = chat_of(audit, "auditor_chat")
    if chat is None:
        baseline = BaselineTriplets(audit.models.text_embedder, _scale(audit))
        return {"model": baseline.identity, "setting": audit.setting}
    return {"model": chat.identity, "prompts": [load_prompt(p).ref.sha256 for p in AXIS_PROMPTS]}


EVIAN_STAGES = (
    Stage(
        "decompositions",
        2,
        ("samples",),
        _decomposition_params,
        decompositions_work,
        steps=("evian",),
        plan=plan_decompositions,
        plan_inputs=("samples",),
    ),
    Stage(
        "triplets",
        1,
        ("samples", "decompositions", "facts", "scores"),
        _triplet_params,
        triplets_work,
        steps=("evian",),
        plan=plan_triplets,
        plan_inputs=("samples",),
    ),
)
