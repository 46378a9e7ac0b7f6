"""Reading a server's answer. What cannot be read is Unscored with its raw text, never a number."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator

from core.domain.chat import Ask, Completion
from core.domain.judgement import Unscored

RAW_LIMIT = 4000


def read_answer(ask: Ask, answer: object, mode: str) -> Completion | Unscored:
    """The completion in a server's JSON. mode: how labels are weighed, see Capabilities.choice_mode."""
    raw = json.dumps(answer, ensure_ascii=False)[:RAW_LIMIT]
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    if not isinstance(choices, Sequence) or isinstance(choices, str):
        return Unscored("wrong schema", "the answer has no list of choices", raw)
    if not choices:
        return Unscored("empty answer", "the list of choices is empty", raw)
    usage = answer.get("usage") if isinstance(answer, Mapping) else None
    counts = _usage(usage)
    if ask.choices and mode.startswith("samples"):
        return _sampled_choice(ask, choices, counts, raw)
    read = _text(choices[0])
    if isinstance(read, Unscored):
        return Unscored(read.reason, read.detail, raw)
    text, finish = read
    if ask.choices:
        return _choice(ask, choices[0], text, finish, mode, counts)
    if finish == "length":
        return Unscored("cut off", f"the answer is longer than {ask.max_tokens} tokens", text[:RAW_LIMIT])
    if finish != "stop":
        return Unscored("refused", f"finish reason {finish!r}", text[:RAW_LIMIT])
    if not text.strip():
        return Unscored("empty answer", "the answer is blank", raw)
    if ask.json_schema is not None and (problem := schema_problem(text, ask.json_schema)):
        return Unscored("unparseable", problem, text[:RAW_LIMIT])
    return Completion(text, finish, {}, *counts)


def _text(choice: object) -> tuple[str, str] | Unscored:
    """(text, finish reason) of one choice."""
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping) or not isinstance(choice, Mapping):
        return Unscored("wrong schema", "a choice has no message")
    if message.get("refusal"):
        return Unscored("refused", str(message["refusal"])[:300])
    content = message.get("content")
    if content is None:
        return Unscored("empty answer", "the message has no content")
    if not isinstance(content, str):
        return Unscored("wrong schema", "the content is not text")
    return content, str(choice.get("finish_reason") or "stop")


def _usage(usage: object) -> tuple[int, int]:
    if not isinstance(usage, Mapping):
        return 0, 0
    found = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    prompt, completion = (n if isinstance(n, int) else 0 for n in found)
    return prompt, completion


def _choice(
    ask: Ask, choice: Mapping[str, Any], text: str, finish: str, mode: str, counts: tuple[int, int]
) -> Completion | Unscored:
    """A label: exactly one of the choices, or the start of only one (one token of a longer label)."""
    label = label_of(text, ask.choices, cut=finish == "length")
    if label is None:
        return Unscored("not a choice", f"expected one of {', '.join(ask.choices)}", text[:RAW_LIMIT])
    soft = label_probabilities(choice, ask.choices) if mode == "logprobs" else {}
    return Completion(label, "stop", soft, *counts)


def label_of(text: str, labels: Sequence[str], *, cut: bool) -> str | None:
    """The label `text` is; with `cut`, the only one it is the start of. None if there is none."""
    said = text.strip()
    if not cut:
        return said if said in labels else None
    started = [label for label in labels if said and label.startswith(said)]
    return started[0] if len(started) == 1 else None


def label_probabilities(choice: Mapping[str, Any], labels: Sequence[str]) -> dict[str, float]:
    """Softmax over the labels of the first token's log-probabilities; {} unless every label is listed.

    A token counts for the label it is or is the only possible start of. Paper: Symbal A.1 asks for 0
    or 1. Departs: their ratio is kept as a soft score.
    """
    mass: dict[str, float] = {}
    for token, logprob in first_token_logprobs(choice):
        label = label_of(token, labels, cut=True)
        if label is not None and token.strip():
            mass[label] = mass.get(label, 0.0) + math.exp(min(logprob, 0.0))
    total = sum(mass.values())
    if set(mass) != set(labels) or total <= 0.0:
        return {}
    return {label: mass[label] / total for label in labels}


def first_token_logprobs(choice: Mapping[str, Any]) -> list[tuple[str, float]]:
    """(token, log-probability) of the alternatives of the first token; [] if there are none."""
    try:
        listed = choice["logprobs"]["content"][0]["top_logprobs"]
        pairs = [(str(entry["token"]), float(entry["logprob"])) for entry in listed]
    except (KeyError, IndexError, TypeError, ValueError):
        return []
    return [(token, logprob) for token, logprob in pairs if not math.isnan(logprob)]


def _sampled_choice(
    ask: Ask, choices: Sequence[object], counts: tuple[int, int], raw: str
) -> Completion | Unscored:
    """Shares of the labels among the drawn answers; answers outside the labels are left out."""
    labels: Counter[str] = Counter()
    for choice in choices:
        read = _text(choice)
        if not isinstance(read, Unscored) and (label := label_of(read[0], ask.choices, cut=False)):
            labels[label] += 1
    if not labels:
        return Unscored("not a choice", f"none of {len(choices)} drawn answers is a label", raw)
    n = labels.total()
    return Completion(
        labels.most_common(1)[0][0], "stop", {label: labels[label] / n for label in ask.choices}, *counts
    )


def schema_problem(text: str, schema: str) -> str:
    """Why `text` does not follow the JSON schema, "" if it does."""
    try:
        value = json.loads(text)
    except ValueError as error:
        return f"the answer is not JSON ({error})"
    problem = next(iter(_validator(schema).iter_errors(value)), None)
    return "" if problem is None else f"the answer does not follow the schema ({problem.message[:200]})"


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))
