"""The 14 kinds of defect and how each is planted. Paper: Evian 3, Table 2, B.2 (in our words)."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.evian import Axis


@dataclass(frozen=True, slots=True)
class Subtype:
    """code: as in the paper's catalogue. axis: the score that should see it. instruction: to the rewriter."""

    code: str
    axis: Axis
    instruction: str

    @property
    def category(self) -> str:
        return self.code.split("_", 1)[0]


_V: Axis = "image_text_consistency"
_L: Axis = "logical_coherence"
_K: Axis = "factual_accuracy"

SUBTYPES: tuple[Subtype, ...] = (
    Subtype(
        "consistency_attribute",
        _V,
        "Rewrite the response so that one attribute of one key object, such as its colour, number or size, "
        "is another one.",
    ),
    Subtype(
        "consistency_spatial",
        _V,
        "Rewrite the response so that it states a wrong spatial relation between two objects (turn 'beside "
        "the bed' into 'above the bed').",
    ),
    Subtype(
        "consistency_action",
        _V,
        "Rewrite the response so that a subject does something else or is in another state (turn 'a woman "
        "is reading' into 'a woman is dancing').",
    ),
    Subtype(
        "consistency_fake",
        _V,
        "Rewrite the response so that it also mentions an object that is plausible there but does not exist.",
    ),
    Subtype(
        "consistency_misidentification",
        _V,
        "Rewrite the response so that an object that is there is called something else (call a 'plate' a "
        "'tray').",
    ),
    Subtype(
        "reasoning_conclusion",
        _L,
        "Rewrite the text with a hasty generalisation. Take one single detail (one person on a bicycle) and "
        "blow it up into a grand conclusion that sounds plausible but is quite arbitrary (so a national "
        "cycling race must be under way). Tie the flawed chain together with words such as "
        "'so' or 'therefore'.",
    ),
    Subtype(
        "reasoning_causal",
        _L,
        "Rewrite the text so that it takes correlation for causation. Find two things in it that may occur "
        "together without a direct causal link, and force cause and effect on them with words such as "
        "'because' or 'leading to' (a cat asleep on the sill as the cause of the rain outside).",
    ),
    Subtype(
        "reasoning_prediction",
        _L,
        "Rewrite the text with an overconfident, arbitrary prediction from very little. Take a small, "
        "trivial act (a girl drawing with chalk) and lead it straight to a grand and distant future (she is "
        "bound to become a celebrated painter). It has to sound physically possible while the leap is "
        "huge and baseless.",
    ),
    Subtype(
        "reasoning_procedural",
        _L,
        "Put into an otherwise normal process a step that seems plausible but is superfluous or "
        "pseudoscience. It must not make the process fail, only make it logically flawed (when coffee is "
        "brewed: first turn the cup towards the sunrise so that the aroma aligns).",
    ),
    Subtype(
        "reasoning_comparison",
        _L,
        "Build a faulty analogy. Compare two things that share only small, outward traits and differ in "
        "essence, and draw a misleading conclusion (a school is like a greenhouse, so enough light is all "
        "that pupils need), leaving out the factors that matter more.",
    ),
    Subtype(
        "knowledge_entity",
        _K,
        "If the response names an entity of the real world, rewrite it so that what is said of the entity is "
        "corrupted (such as 'the Colosseum in Madrid').",
    ),
    Subtype(
        "knowledge_context",
        _K,
        "Rewrite the response so that an object or scene stands in a wrong historical or technological "
        "context.",
    ),
    Subtype(
        "knowledge_definition",
        _K,
        "If the response defines a concept, rewrite it so that the definition is wrong.",
    ),
    Subtype(
        "knowledge_attribution",
        _K,
        "If the response mentions a work or a quotation, attribute it to the wrong source.",
    ),
)
BY_CODE = {s.code: s for s in SUBTYPES}
P_KNOWLEDGE, P_REASONING = 0.8, 0.6
"""The cascade: knowledge first where there is some, then reasoning, else consistency. Paper: Evian B.1."""


def of_category(category: str) -> tuple[Subtype, ...]:
    """The subtypes of "consistency", "reasoning" or "knowledge"."""
    return tuple(s for s in SUBTYPES if s.category == category)
