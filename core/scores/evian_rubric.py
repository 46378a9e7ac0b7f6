"""Asking for a score from 1 to 5 with an explanation, and reading the answer. Paper: Evian 3.3, A.4."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.domain.chat import Ask, Completion, ImageInput
from core.domain.evian import DEFAULT_SCORE, AxisScore
from core.domain.judgement import Unscored
from core.prompts.load_prompt import load_prompt
from core.seams import ChatModel

SCORES = ("1", "2", "3", "4", "5")
MAX_TOKENS = 400
_SCORE = re.compile(r"score[\"'*_`]*\s*[:=]\s*[\"'*_`\s]*(-?\d+(?:[.,]\d+)?)(?:\s*/\s*(\d+))?", re.IGNORECASE)
_BARE = re.compile(r"\A\s*\**(-?\d+(?:\.\d+)?)\**\s*(?:/\s*(\d+))?\s*(?:\n|\Z)")
_EXPLANATION = re.compile(r"explanation[*_`\"']*\s*:[*_`]*\s*(.*)", re.IGNORECASE | re.DOTALL)


def rubric_ask(prompt_id: str, text: str, images: Sequence[ImageInput]) -> Ask:
    """One question to the auditor."""
    prompt = load_prompt(prompt_id)
    return Ask(prompt.fill(text=text), prompt.ref, images=tuple(images), max_tokens=MAX_TOKENS)


def score_alone(ask: Ask) -> Ask:
    """The same question for the number only, whose probabilities give the expected score."""
    return replace(ask, text=f"{ask.text}\n\nAnswer with the score alone.", choices=SCORES, max_tokens=1)


def read_score(answer: Completion | Unscored) -> AxisScore | Unscored:
    """Integer score and explanation of an answer; anything that is not one integer in 1..5 is Unscored."""
    if isinstance(answer, Unscored):
        return answer
    text = answer.text
    found = _from_json(text) or _from_lines(text)
    if found is None:
        return Unscored("unparseable", "expected 'Score: N' with N from 1 to 5", text)
    numbers, explanation = found
    if len(set(numbers)) > 1:
        return Unscored("contradictory", f"several scores: {', '.join(numbers)}", text)
    if numbers[0] not in SCORES:
        return Unscored("out of range", f"a score is an integer from 1 to 5, not {numbers[0]}", text)
    return AxisScore(int(numbers[0]), explanation, raw=text)


def _from_json(text: str) -> tuple[list[str], str] | None:
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        value = json.loads(text[start : end + 1])
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    fields = {str(k).lower(): v for k, v in value.items()}
    if "score" not in fields or isinstance(fields["score"], bool):
        return None
    return [str(fields["score"]).strip()], str(fields.get("explanation", "")).strip()


def _from_lines(text: str) -> tuple[list[str], str] | None:
    matches = list(_SCORE.finditer(text)) or [m for m in [_BARE.match(text)] if m]
    if not matches:
        return None
    numbers = [m.group(1) if m.group(2) in {None, "5"} else f"{m.group(1)}/{m.group(2)}" for m in matches]
    explained = _EXPLANATION.search(text)
    rest = explained.group(1) if explained else text[matches[0].end() :]
    return numbers, rest.strip(" \n*_`-")


def expected_score(probabilities: Mapping[str, float]) -> float | None:
    """Mean of 1..5 under the probabilities; None if the model gave none."""
    total = sum(probabilities.get(s, 0.0) for s in SCORES)
    return sum(int(s) * probabilities.get(s, 0.0) for s in SCORES) / total if total > 0 else None


def default_score(tag: str) -> AxisScore:
    """2 by rule where the response has no such passage; no model is asked. Paper: Evian 3.3."""
    return AxisScore(DEFAULT_SCORE, f"no claim: the response has no <{tag}> passage", defaulted=True)


def ask_scores(
    chat: ChatModel, asks: Mapping[int, Ask], *, expected: bool
) -> dict[int, AxisScore | Unscored]:
    """Scores by key of the question. expected: ask once more for the probabilities of 1..5."""
    if not asks:
        return {}
    scores = {k: read_score(a) for k, a in zip(asks, chat.complete(list(asks.values())), strict=True)}
    if not expected:
        return scores
    again = {k: score_alone(asks[k]) for k, s in scores.items() if isinstance(s, AxisScore)}
    for key, answer in zip(again, chat.complete(list(again.values())) if again else (), strict=True):
        score = scores[key]
        if isinstance(answer, Completion) and isinstance(score, AxisScore):
            scores[key] = replace(score, expected=expected_score(answer.choice_probabilities))
    return scores
