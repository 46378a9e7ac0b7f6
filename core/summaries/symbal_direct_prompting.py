"""Direct-prompting baseline: the whole dataset in one question. Paper: Symbal 6, C (extended results)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.chat import Ask
from core.domain.judgement import Unscored
from core.prompts.answers import read_text, split_list
from core.prompts.load_prompt import load_prompt
from core.seams import ChatModel

PROMPT = "symbal/direct_prompting@1"
MAX_PREDICTIONS = 5
ANSWER = re.compile(
    r"textual error:[ \t]*(?P<t>[^\n]*)\n\s*visual feature:[ \t]*(?P<v>[^\n]*)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class DirectPrediction:
    """Up to five predictions each, best first."""

    textual_errors: tuple[str, ...]
    visual_features: tuple[str, ...]


def direct_question(samples: Sequence[tuple[str, str]]) -> Ask:
    """samples: (reference caption, model-generated caption) pairs; all of them go into the question."""
    prompt = load_prompt(PROMPT)
    shown = [f"Reference caption: {r}\nModel-generated caption: {c}" for r, c in samples]
    return Ask(prompt.fill(samples="\n\n".join(shown)), prompt.ref, max_tokens=256)


def predict_directly(chat: ChatModel, samples: Sequence[tuple[str, str]]) -> DirectPrediction | Unscored:
    """t and v by one question. An answer outside the format is Unscored."""
    (answer,) = chat.complete([direct_question(samples)])
    text = read_text(answer)
    if isinstance(text, Unscored):
        return text
    found = ANSWER.fullmatch(text)
    if found is None:
        return Unscored("unparseable", "the answer is not the two lists asked for", text)
    errors, features = split_list(found["t"]), split_list(found["v"])
    if max(len(errors), len(features)) > MAX_PREDICTIONS:
        return Unscored("unparseable", f"more than {MAX_PREDICTIONS} predictions in a list", text)
    return DirectPrediction(errors, features)
