"""Questions to a chat model and its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ImageInput:
    """An image a question is about. sha256: of the file's bytes; identifies it in every cache."""

    path: Path
    sha256: str


@dataclass(frozen=True, slots=True)
class PromptRef:
    """The prompt a question was made from. id: `room/name@version`; sha256: of the template's text."""

    id: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Ask:
    """One question. Order on the wire: system text, images, text (a server can then reuse an image).

    choices: the only answers allowed, () = free text; with choices one token is asked for, and the
        completion's `choice_probabilities` are a softmax over them where the model gives logprobs.
    json_schema: schema (as JSON text) the answer has to follow, None = free.
    samples: answers to draw; above 1 only as a fallback for missing logprobs.
    temperature: 0 = greedy.
    """

    text: str
    prompt: PromptRef
    system: str = ""
    images: tuple[ImageInput, ...] = ()
    choices: tuple[str, ...] = ()
    json_schema: str | None = None
    max_tokens: int = 512
    temperature: float = 0.0
    samples: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer. finish_reason: "stop" or "length" as the model reports it.

    choice_probabilities: label -> probability, summing to 1 over `Ask.choices`; empty when the model
        gave no logprobs (the answer is then a hard label).
    """

    text: str
    finish_reason: str = "stop"
    choice_probabilities: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """What a stage will ask of a model, known before it asks.

    questions: all it has; calls: requests that will be sent (equal and answered questions are not).
    prompt_tokens: estimated; completion_tokens: at most. exact: False = `calls` is an upper bound.
    """

    role: str
    model: str
    questions: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    exact: bool = True
