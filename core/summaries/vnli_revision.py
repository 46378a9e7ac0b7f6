"""Critic-and-revise: an LLM rewrites a sentence by its critique. Paper: VNLI-Critique 5.1."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.domain.chat import Ask, Completion
from core.domain.judgement import Unscored
from core.domain.vnli import Claim, Factuality, Revision
from core.prompts.load_prompt import load_prompt
from core.seams import ChatModel

PROMPT_ID = "vnli/revise@1"
NONE_BEFORE = "(nothing)"
_LABEL = re.compile(
    r"\A(?:\*\*)?(?:revised|rewritten|corrected)(?: sentence)?(?:\*\*)?\s*:\s*(?:\*\*)?\s*", re.I
)
_DELETE = re.compile(r"\A[\"'*`]*delete[\"'*`.]*\Z", re.I)
_QUOTES = {'"': '"', "“": "”", "'": "'", "`": "`"}
LONGEST = 3
"""A rewritten sentence may be three times as long as the original (and 200 characters); more is a speech."""


def revision_ask(claim: Claim, critique: str) -> Ask:
    """The question to the reviser. It sees text only."""
    prompt = load_prompt(PROMPT_ID)
    text = prompt.fill(
        claim_prefix=claim.prefix.strip() or NONE_BEFORE, target_claim=claim.text, critique=critique
    )
    return Ask(text, prompt.ref, max_tokens=64 + len(claim.text))


def read_revision(claim: Claim, answer: Completion | Unscored) -> str | Unscored:
    """The new sentence, "" to delete it. Unscored if blank, cut off, several lines, or far too long."""
    if isinstance(answer, Unscored):
        return answer
    if answer.finish_reason == "length":
        return Unscored("cut off", "the answer ended at its token limit", answer.text)
    text = _LABEL.sub("", answer.text.strip()).strip()
    if not text:
        return Unscored(
            "empty answer", "the reviser wrote nothing; to delete, it answers DELETE", answer.text
        )
    if _DELETE.match(text):
        return ""
    if text[0] in _QUOTES and text.endswith(_QUOTES[text[0]]) and not claim.text.startswith(text[0]):
        text = text[1:-1].strip()
    if "\n" in text and "\n" not in claim.text:
        return Unscored("unparseable", "the answer has several lines", answer.text)
    if len(text) > 200 + LONGEST * len(claim.text):
        return Unscored("unparseable", "the answer is far longer than the sentence", answer.text)
    return text or Unscored("empty answer", "the reviser wrote nothing", answer.text)


def revise(
    claims: Sequence[Claim], found: Sequence[str], chat: ChatModel
) -> list[tuple[str, str] | Unscored]:
    """(new sentence, raw answer) a claim, in order. found: the critiques."""
    asks = [revision_ask(c, text) for c, text in zip(claims, found, strict=True)]
    results: list[tuple[str, str] | Unscored] = []
    for claim, answer in zip(claims, chat.complete(asks) if asks else [], strict=True):
        text = read_revision(claim, answer)
        raw = answer.text if isinstance(answer, Completion) else answer.raw
        results.append(text if isinstance(text, Unscored) else (text, raw))
    return results


def revised_claim(claim: Claim, text: str) -> Claim:
    """The new sentence in the old one's place, to be classified again. Its prefix is the original text."""
    return Claim(claim.fact_id, claim.sample_id, text, claim.prefix, claim.start, claim.start + len(text))


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """How the critic judges what was revised. Paper: Table 6 ("VNLI-Critique as Judge", Fixed).

    rate: accepted / judged, None if nothing was judged. Deleted sentences are counted apart: there is
    nothing left to judge.
    """

    flagged: int
    judged: int
    accepted: int
    deleted: int
    unscored: int

    @property
    def rate(self) -> float | None:
        return self.accepted / self.judged if self.judged else None


def self_consistency(revisions: Iterable[Revision | Unscored]) -> SelfConsistency:
    """Counts over the revisions of all flagged sentences."""
    flagged = judged = accepted = deleted = unscored = 0
    for one in revisions:
        flagged += 1
        if isinstance(one, Unscored):
            unscored += 1
        elif one.deleted:
            deleted += 1
        elif not isinstance(one.after, Factuality) or one.after.p_entailment is None:
            unscored += 1
        else:
            judged += 1
            accepted += one.after.verdict == "Entailment"
    return SelfConsistency(flagged, judged, accepted, deleted, unscored)
