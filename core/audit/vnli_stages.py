"""VNLI-Critique in an audit: factuality of every sentence, critiques and revisions of the wrong ones.

With chat models in the preset (critic_chat, reviser_chat) as the paper has it; without, the embedded
baselines. Paper: VNLI-Critique 4, 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from core.audit.context import Audit, Stage
from core.audit.evian_stages import chat_of
from core.audit.vnli_critics import COMPARED_WITH, ClaimReader, Critic
from core.audit.vnli_tables import (
    CRITIQUES_SCHEMA,
    REVISIONS_SCHEMA,
    count_critiques,
    count_factuality,
    count_revisions,
    critique_row,
    factuality_table,
    revision_row,
)
from core.domain.chat import Ask, PlannedCalls
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.domain.vnli import Claim, Revision
from core.models.embedded.clause_removal import without_concepts
from core.models.embedded.sentence_check import faults
from core.prompts.load_prompt import load_prompt
from core.runs.executor_local import Part, run_parts
from core.runs.parts import StageStore
from core.scores import vnli_factuality
from core.scores.vnli_baseline import baseline_identity
from core.scores.vnli_factuality import factuality_ask
from core.summaries import vnli_critique, vnli_revision
from core.summaries.vnli_critique import baseline_critique, critique_ask, critiques
from core.summaries.vnli_revision import revise, revised_claim, revision_ask

FACTS_A_PART = 512
REVISER_BASELINE = ModelIdentity("vnli-clause-removal", "3", "embedded", baseline=True)
PLANNED_CRITIQUE = "x" * 160


def factuality_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """p_entailment and verdict of every fact."""
    reader = ClaimReader(audit)
    critic = Critic(audit, reader)

    def make_part(start: int, stop: int) -> pa.Table:
        return factuality_table(range(start, stop), critic.judge(reader.claims(start, stop)))

    _run(audit, store, len(reader), make_part)
    return {
        "model": _identity_json(_critic_identity(audit)),
        "threshold": critic.threshold,
        **count_factuality(store.iter_tables()),
    }


def critiques_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """What is wrong with every sentence that is not entailed."""
    reader = ClaimReader(audit)
    critic = Critic(audit, reader)

    def make_part(start: int, stop: int) -> pa.Table:
        wrong = _flagged(audit, reader, start, stop)
        rows = _asked_critiques(audit, reader, wrong) if critic.chat else _named(audit, critic, wrong)
        return pa.Table.from_pylist(rows, schema=CRITIQUES_SCHEMA)

    _run(audit, store, len(reader), make_part)
    return {"model": _identity_json(_critic_identity(audit)), **count_critiques(store.iter_tables())}


def revisions_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Rewritten sentences, each judged again. Paper: Table 6."""
    reader = ClaimReader(audit)
    critic = Critic(audit, reader)
    chat = chat_of(audit, "reviser_chat")

    def make_part(start: int, stop: int) -> pa.Table:
        wrong = _flagged(audit, reader, start, stop)
        rows = audit.stores["critiques"].read_part(start // FACTS_A_PART).to_pylist()
        texts: list[tuple[str, str] | Unscored] = [
            Unscored("no critique", r["detail"] or r["reason"] or "") for r in rows
        ]
        able = [i for i, r in enumerate(rows) if r["critique"] is not None]
        if chat is not None:
            made = revise([wrong[i] for i in able], [rows[i]["critique"] for i in able], chat)
        elif critic.chat is not None:
            none = Unscored("no reviser", "the preset has a critic but no reviser_chat")
            made = [none for _ in able]
        else:
            made = _shortened([wrong[i] for i in able], [rows[i]["unsupported"] for i in able])
        for i, one in zip(able, made, strict=True):
            texts[i] = one
        kept = [i for i, t in enumerate(texts) if not isinstance(t, Unscored) and t[0]]
        after = critic.judge_again([revised_claim(wrong[i], texts[i][0]) for i in kept])  # type: ignore[index]
        judged = dict(zip(kept, after, strict=True))
        found = [
            revision_row(claim.fact_id, t if isinstance(t, Unscored) else Revision(t[0], judged.get(i), t[1]))
            for i, (claim, t) in enumerate(zip(wrong, texts, strict=True))
        ]
        return pa.Table.from_pylist(found, schema=REVISIONS_SCHEMA)

    _run(audit, store, len(reader), make_part)
    return {"model": _identity_json(_reviser_identity(audit)), **count_revisions(store.iter_tables())}


def _flagged(audit: Audit, reader: ClaimReader, start: int, stop: int) -> list[Claim]:
    """The claims of a part that are not entailed."""
    verdicts = audit.stores["factuality"].read_part(start // FACTS_A_PART)["verdict"].to_pylist()
    claims = reader.claims(start, stop)
    return [c for c, v in zip(claims, verdicts, strict=False) if v == "Non-entailment"]


def _asked_critiques(audit: Audit, reader: ClaimReader, wrong: Sequence[Claim]) -> list[dict[str, object]]:
    chat = audit.models.chat("critic_chat")
    found = critiques(wrong, [reader.images(c.fact_id) for c in wrong], chat)
    texts = [t if isinstance(t, str) else "" for t in found]
    named = audit.models.concept_extractor.extract(texts)
    return [
        critique_row(claim.fact_id, text, list(dict.fromkeys(c.text for c in concepts)))
        for claim, text, concepts in zip(wrong, found, named, strict=True)
    ]


def _named(audit: Audit, critic: Critic, wrong: Sequence[Claim]) -> list[dict[str, object]]:
    rows = []
    for claim, concepts in zip(wrong, critic.unsupported([c.fact_id for c in wrong]), strict=True):
        names = list(dict.fromkeys(c.text for c in concepts))
        spans = [(c.text, c.start, c.end) for c in concepts]
        critique = baseline_critique(names, COMPARED_WITH[audit.setting])
        rows.append(critique_row(claim.fact_id, critique, names, spans))
    return rows


def _shortened(
    claims: Sequence[Claim], unsupported: Sequence[Sequence[Mapping[str, Any]]]
) -> list[tuple[str, str] | Unscored]:
    """The baseline's revisions: the unsupported clause taken out, if what is left still is a sentence."""
    texts = without_concepts(
        [claim.text for claim in claims], [[(c["start"], c["end"]) for c in spans] for spans in unsupported]
    )
    found = iter(faults([(claim.text, text) for claim, text in zip(claims, texts, strict=True) if text]))
    made: list[tuple[str, str] | Unscored] = []
    for claim, text in zip(claims, texts, strict=True):
        fault = next(found) if text else ""
        if text is None or text == claim.text:
            fault = "no phrase can be taken out without the rest"
        made.append(
            (text, "") if text is not None and not fault else Unscored("no safe edit", fault, text or "")
        )
    return made


def _run(audit: Audit, store: StageStore, n: int, make_part: Any) -> None:
    def part(start: int, stop: int) -> Part:
        made: Part = make_part(start, stop)
        return made

    run_parts(store, n, FACTS_A_PART, part, cancel=audit.cancel, emit=audit.emit, unit="facts")


def _critic_identity(audit: Audit) -> ModelIdentity:
    chat = chat_of(audit, "critic_chat")
    if chat is not None:
        return chat.identity
    scorer = audit.summary("scores")["scorer"]
    return baseline_identity(ModelIdentity(scorer["name"], scorer["revision"], scorer["backend"]))


def _reviser_identity(audit: Audit) -> ModelIdentity:
    chat = chat_of(audit, "reviser_chat")
    return chat.identity if chat is not None else REVISER_BASELINE


def _identity_json(identity: ModelIdentity) -> dict[str, object]:
    return {
        "name": identity.name,
        "revision": identity.revision,
        "backend": identity.backend,
        "baseline": identity.baseline,
    }


def _params(audit: Audit, *prompts: str) -> dict[str, object]:
    """What decides a stage's output beside its inputs."""
    return {
        "critic": _critic_identity(audit),
        "threshold": audit.config.entailment_threshold,
        "setting": audit.setting,
        "prompts": [load_prompt(p).ref.sha256 for p in prompts],
    }


def _revision_params(audit: Audit) -> Mapping[str, object]:
    params = _params(audit, vnli_revision.PROMPT_ID, vnli_factuality.PROMPT_ID)
    return {**params, "reviser": _reviser_identity(audit)}


def _asks(audit: Audit, make: Any) -> Iterator[Ask]:
    reader = ClaimReader(audit)
    for start in range(0, len(reader), FACTS_A_PART):
        for claim in reader.claims(start, min(start + FACTS_A_PART, len(reader))):
            yield make(claim, reader.images(claim.fact_id))


def _plan(audit: Audit, role: str, make: Any, *, exact: bool) -> list[PlannedCalls]:
    if not audit.models.has_chat(role):
        return []
    return [audit.models.chat(role).plan(_asks(audit, make), exact=exact)]


_INPUTS = ("samples", "facts", "concepts", "reference_concepts", "joint_image_vectors", "scores")
VNLI_STAGES = (
    Stage(
        "factuality",
        1,
        ("samples", "facts", "scores"),
        lambda audit: _params(audit, vnli_factuality.PROMPT_ID),
        factuality_work,
        steps=("vnli",),
        plan=lambda audit: _plan(audit, "critic_chat", factuality_ask, exact=True),
        plan_inputs=("facts",),
    ),
    Stage(
        "critiques",
        1,
        (*_INPUTS, "factuality"),
        lambda audit: _params(audit, vnli_critique.PROMPT_ID),
        critiques_work,
        steps=("vnli",),
        plan=lambda audit: _plan(audit, "critic_chat", critique_ask, exact=False),
        plan_inputs=("facts",),
    ),
    Stage(
        "revisions",
        1,
        (*_INPUTS, "factuality", "critiques"),
        _revision_params,
        revisions_work,
        steps=("vnli",),
        plan=lambda audit: _plan(
            audit, "reviser_chat", lambda c, images: revision_ask(c, PLANNED_CRITIQUE), exact=False
        ),
        plan_inputs=("facts",),
    ),
)
"""critic_chat: 1 question a sentence, 1 more for a flagged one, 1 more for its revision."""
