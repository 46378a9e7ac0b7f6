"""Step 1, semantic tagging. Paper: Evian 3.2, A.3."""

from __future__ import annotations

from core.domain.chat import Ask, Completion
from core.domain.evian import TagSpan
from core.domain.evian_tags import parse_marked
from core.domain.judgement import Unscored
from core.prompts.load_prompt import load_prompt

PROMPT_ID = "evian/tag@1"


def ask_tags(response: str) -> Ask:
    """The question for one response. Greedy; room for the response and its tags."""
    prompt = load_prompt(PROMPT_ID)
    return Ask(prompt.fill(response=response), prompt.ref, max_tokens=answer_tokens(response))


def read_tags(response: str, answer: Completion | Unscored) -> tuple[TagSpan, ...] | Unscored:
    """Spans of the answer; Unscored if it was cut off or changed a single character of the response."""
    if isinstance(answer, Unscored):
        return answer
    if answer.finish_reason == "length":
        return Unscored("cut off", "the answer ended at its token limit", answer.text)
    return parse_marked(response, answer.text)


def answer_tokens(text: str) -> int:
    """A limit that a faithful answer does not reach: a token per two characters, at least 256."""
    return 256 + len(text) // 2
