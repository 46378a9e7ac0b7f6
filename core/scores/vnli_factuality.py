"""Is a sentence true of its image? Yes/No by a critic model. Paper: VNLI-Critique 4.1, 4.2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.domain.chat import Ask, Completion, ImageInput
from core.domain.judgement import Unscored
from core.domain.vnli import DEFAULT_THRESHOLD, Claim, Factuality, FactualityJudgement, verdict_of
from core.prompts.load_prompt import load_prompt
from core.seams import ChatModel

PROMPT_ID = "vnli/factuality@1"
ANSWERS = ("Yes", "No")
SAMPLES = 5
SAMPLING_TEMPERATURE = 1.0


def factuality_ask(claim: Claim, images: Sequence[ImageInput]) -> Ask:
    """The classification question, word for word as in the paper. Blanks at the prefix's end are left out."""
    prompt = load_prompt(PROMPT_ID)
    text = prompt.fill(claim_prefix=claim.prefix.rstrip(), target_claim=claim.text)
    return Ask(text, prompt.ref, images=tuple(images), choices=ANSWERS, max_tokens=1)


def classify(
    claims: Sequence[Claim],
    images: Sequence[Sequence[ImageInput]],
    chat: ChatModel,
    *,
    threshold: float = DEFAULT_THRESHOLD,
    samples: int = SAMPLES,
) -> list[FactualityJudgement]:
    """One judgement a claim, in order. p_entailment: probability of Yes among Yes and No.

    samples: answers drawn, one request each, for a claim whose answer came without probabilities; 1 = keep
    the bare label. A server that gives several answers a request is asked so by its client instead.
    """
    asks = [factuality_ask(c, i) for c, i in zip(claims, images, strict=True)]
    answers = chat.complete(asks) if asks else []
    bare = (
        [i for i, a in enumerate(answers) if isinstance(a, Completion) and not a.choice_probabilities]
        if samples > 1
        else []
    )
    drawn = _draw(chat, [asks[i] for i in bare], samples)
    found = [read_factuality(answer, threshold) for answer in answers]
    for i, one in zip(bare, drawn, strict=True):
        found[i] = of_samples(one, threshold)
    return found


def read_factuality(
    answer: Completion | Unscored, threshold: float = DEFAULT_THRESHOLD
) -> FactualityJudgement:
    """The judgement of one answer; anything but Yes or No is Unscored."""
    if isinstance(answer, Unscored):
        return answer
    label = answer.text.strip().rstrip(".").capitalize()
    if label not in ANSWERS:
        return Unscored("unparseable", "the answer is not Yes or No", answer.text)
    if not answer.choice_probabilities:
        p = float(label == "Yes")
        return Factuality(p, verdict_of(p, threshold), "label", f"answered {label}", answer.text)
    yes = answer.choice_probabilities.get("Yes", -1.0)
    if not 0.0 <= yes <= 1.0:
        return Unscored("unparseable", "the probability of Yes is not in 0..1", answer.text)
    said = f"probability of Yes {yes:.3f}"
    return Factuality(float(yes), verdict_of(yes, threshold), "logprobs", said, answer.text)


def of_samples(
    answers: Sequence[Completion | Unscored], threshold: float = DEFAULT_THRESHOLD
) -> FactualityJudgement:
    """Share of Yes among the drawn answers that are Yes or No. Paper: 4.2 (5-sample strategy).

    Unscored if none is; how many were read is in the explanation.
    """
    read = [read_factuality(a) for a in answers]
    labels = [r.p_entailment for r in read if isinstance(r, Factuality) and r.p_entailment is not None]
    raw = " | ".join(a.text if isinstance(a, Completion) else f"({a.reason})" for a in answers)
    if not labels:
        return Unscored("unparseable", f"none of {len(answers)} drawn answers is Yes or No", raw)
    p = sum(labels) / len(labels)
    said = f"Yes in {sum(labels):.0f} of {len(labels)} answers read ({len(answers)} drawn)"
    return Factuality(p, verdict_of(p, threshold), "samples", said, raw)


def _draw(chat: ChatModel, asks: Sequence[Ask], samples: int) -> list[list[Completion | Unscored]]:
    """`samples` answers a question, each with its own seed."""
    wanted = [
        replace(ask, temperature=SAMPLING_TEMPERATURE, seed=ask.seed + k + 1)
        for ask in asks
        for k in range(samples)
    ]
    answers = chat.complete(wanted) if wanted else []
    return [list(answers[i * samples : (i + 1) * samples]) for i in range(len(asks))]
