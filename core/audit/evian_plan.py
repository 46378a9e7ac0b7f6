"""What Evian will ask in an audit, counted before anything is asked. Paper: Evian 3.2, 3.3.

Per sample 3 questions to decompose and up to 3 to score. Only the tagging is known beforehand: what the
later questions hold depends on its answer, so that they are counted from the response as it is, as an upper
bound. The rule of 2 saves the questions of axes without a claim.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.audit.context import Audit
from core.domain.chat import Ask, ImageInput, PlannedCalls
from core.domain.evian import Decomposition, EvianItem, TagSpan
from core.domain.evian_tags import insert_tags
from core.facts.evian_1_tag import ask_tags
from core.facts.evian_2_distill import ask_distillation
from core.facts.evian_3_synthesize import ask_synthesis
from core.scores.evian_triplet import questions_of


def plan_decompositions(audit: Audit) -> list[PlannedCalls]:
    """The tagging exactly; distillation and synthesis of every response at most."""
    if not audit.models.has_chat("decomposer_chat"):
        return []
    samples = audit.stores["samples"].read_table(["caption", "instruction"]).to_pylist()
    chat = audit.models.chat("decomposer_chat")

    def later() -> Iterator[Ask]:
        for s in samples:
            yield ask_distillation(s["caption"], (), s["instruction"] or "")
            yield ask_synthesis(s["caption"], s["instruction"] or "")

    return [chat.plan(ask_tags(s["caption"]) for s in samples), chat.plan(later(), exact=False)]


def plan_triplets(audit: Audit) -> list[PlannedCalls]:
    """Three questions a response with an image, one without, at most."""
    if not audit.models.has_chat("auditor_chat"):
        return []
    columns = ["sample_id", "caption", "image_path", "image_sha256"]
    samples = audit.stores["samples"].read_table(columns).to_pylist()

    def asks() -> Iterator[Ask]:
        for s in samples:
            images: tuple[ImageInput, ...] = ()
            if audit.image_root is not None and s["image_sha256"] is not None:
                images = (ImageInput(audit.image_root / s["image_path"], s["image_sha256"]),)
            item = EvianItem(s["sample_id"], _all_claimed(s["caption"]))
            yield from (q for q in questions_of(item, images) if isinstance(q, Ask))

    return [audit.models.chat("auditor_chat").plan(asks(), exact=False)]


def _all_claimed(response: str) -> Decomposition:
    """The dearest case: a response that infers and also claims knowledge."""
    spans = (TagSpan("INFER", 0, 0), TagSpan("KNOW", 0, 0))
    return Decomposition(response, spans, insert_tags(response, spans), response, response)
