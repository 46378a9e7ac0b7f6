"""LLM judge of the benchmark: do two phrases name the same feature? Paper: Symbal 5, B."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.chat import Ask
from core.domain.judgement import Judgement
from core.prompts.answers import LABELS, read_label
from core.prompts.load_prompt import load_prompt
from core.seams import ChatModel

PROMPT = "symbal/judge@1"


def judge_pairs(chat: ChatModel, pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
    """For each (model response, ground truth): probability that they name the same feature, 0..1.

    Equal is 0.5 and above. An answer outside the format is Unscored.
    """
    prompt = load_prompt(PROMPT)
    asks = [
        Ask(prompt.fill(response=response, truth=truth), prompt.ref, choices=LABELS, max_tokens=1)
        for response, truth in pairs
    ]
    return [read_label(answer) for answer in chat.complete(asks)]
