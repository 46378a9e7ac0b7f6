"""What is wrong with a sentence, in words; only sentences that are not entailed are asked about.

Paper: VNLI-Critique 4.1, 4.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.chat import Ask, ImageInput
from core.domain.judgement import Unscored
from core.domain.vnli import Claim
from core.prompts.answers import read_text
from core.prompts.load_prompt import load_prompt
from core.seams import ChatModel

PROMPT_ID = "vnli/critique@1"
MAX_TOKENS = 256


def critique_ask(claim: Claim, images: Sequence[ImageInput]) -> Ask:
    """The critique question, word for word as in the paper."""
    prompt = load_prompt(PROMPT_ID)
    text = prompt.fill(claim_prefix=claim.prefix.rstrip(), target_claim=claim.text)
    return Ask(text, prompt.ref, images=tuple(images), max_tokens=MAX_TOKENS)


def critiques(
    claims: Sequence[Claim], images: Sequence[Sequence[ImageInput]], chat: ChatModel
) -> list[str | Unscored]:
    """One critique a claim, in order. The caller passes non-entailed claims only."""
    asks = [critique_ask(c, i) for c, i in zip(claims, images, strict=True)]
    return [read_text(a) for a in chat.complete(asks)] if asks else []


def baseline_critique(unsupported: Sequence[str], compared_with: str) -> str | Unscored:
    """The baseline's critique names the concepts without support.

    compared_with: "the references", "the object list" or "the image's classes". Unscored if the scorer
    does not say which concept is wrong.
    """
    names = [f"'{name}'" for name in unsupported]
    if not names:
        return Unscored("no concept", "the scorer does not say which part of the sentence is wrong")
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{listed} {'finds' if len(names) == 1 else 'find'} no support in {compared_with}."
