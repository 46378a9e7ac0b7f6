"""A question as the body of a request. Order: system text, images, text (a prefix cache can then work)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from core.domain.chat import Ask
from core.models.server.capabilities import Capabilities

CHOICE_TOKENS = 8
"""Tokens left for a label where a server does not keep to the choice by itself."""
SAMPLING_TEMPERATURE = 1.0


def messages_of(ask: Ask, images: Sequence[str]) -> list[dict[str, Any]]:
    """System and user message; `images` are data URLs in the order of `ask.images`."""
    parts: list[dict[str, Any]] = [{"type": "image_url", "image_url": {"url": url}} for url in images]
    content: object = [*parts, {"type": "text", "text": ask.text}] if parts else ask.text
    system = [{"role": "system", "content": ask.system}] if ask.system else []
    return [*system, {"role": "user", "content": content}]


def body_of(
    ask: Ask, images: Sequence[str], model: str, able: Capabilities, *, top_logprobs: int, samples: int
) -> dict[str, Any]:
    """The request. What the server was found not to honour is left out."""
    body: dict[str, Any] = {
        "model": model,
        "messages": messages_of(ask, images),
        "temperature": ask.temperature,
        "max_tokens": ask.max_tokens,
    }
    if ask.choices:
        _choice(body, ask, able, top_logprobs, samples)
    elif ask.samples > 1:
        body["n"] = ask.samples
    if ask.json_schema is not None and able.json_schema:
        schema = {"name": "answer", "schema": json.loads(ask.json_schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if body["temperature"] > 0:
        body["seed"] = ask.seed
    return body


def _choice(body: dict[str, Any], ask: Ask, able: Capabilities, top_logprobs: int, samples: int) -> None:
    """One token held to the labels; soft by log-probabilities, else by samples, else one hard label."""
    if able.choice_field == "structured_outputs":
        body["structured_outputs"] = {"choice": list(ask.choices)}
    elif able.choice_field:
        body[able.choice_field] = list(ask.choices)
    one_token = able.choice_field and able.logprobs and not overlapping(ask.choices)
    body["max_tokens"] = 1 if one_token else CHOICE_TOKENS
    mode = able.choice_mode(samples)
    if mode == "logprobs":
        body["logprobs"] = True
        body["top_logprobs"] = min(20, max(top_logprobs, len(ask.choices)) if able.choice_field else 20)
    elif mode.startswith("samples"):
        body["n"] = ask.samples if ask.samples > 1 else samples
        body["temperature"] = SAMPLING_TEMPERATURE


def overlapping(labels: Sequence[str]) -> bool:
    """True if a label is the start of another: one token cannot tell them apart then."""
    return any(a != b and b.startswith(a) for a in labels for b in labels)
