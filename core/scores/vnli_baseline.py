"""The embedded critic: the alignment scorer's value as p_entailment. A baseline.

Departs: no model reads image and sentence together; the number orders sentences as the scorer does and is
no probability. Paper: VNLI-Critique 4.2.
"""

from __future__ import annotations

import math

from core.domain.judgement import Judgement, Scored
from core.domain.provenance import ModelIdentity
from core.domain.vnli import DEFAULT_THRESHOLD, Factuality, FactualityJudgement, verdict_of

VERSION = "1"


def baseline_identity(scorer: ModelIdentity) -> ModelIdentity:
    """The critic made of a scorer."""
    return ModelIdentity(
        "vnli-baseline", f"{VERSION}+{scorer.name}@{scorer.revision}", "embedded", baseline=True
    )


def baseline_p(value: float, wrong_below: float, *, unit: bool) -> float:
    """0..1, rising with the alignment, .5 at `wrong_below`.

    unit: alignments are 0..1 (objects, references): piecewise linear; else standardised: logistic.
    """
    if not unit:
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, value - wrong_below))))
    value = min(max(value, 0.0), 1.0)
    if value < wrong_below:
        return 0.5 * value / wrong_below
    return 1.0 if wrong_below >= 1.0 else 0.5 + 0.5 * (value - wrong_below) / (1.0 - wrong_below)


def baseline_factuality(
    judgement: Judgement, wrong_below: float, *, unit: bool, threshold: float = DEFAULT_THRESHOLD
) -> FactualityJudgement:
    """The scorer's judgement as a verdict; an unscored fact stays unscored."""
    if not isinstance(judgement, Scored):
        return judgement
    p = baseline_p(judgement.value, wrong_below, unit=unit)
    return Factuality(
        p,
        verdict_of(p, threshold),
        "baseline",
        judgement.explanation,
        judgement.raw,
        judgement.unsupported,
    )
