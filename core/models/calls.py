"""A chat model that never asks the same question twice, and knows beforehand how often it will ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from core.domain.chat import Ask, Completion, PlannedCalls
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.models.server.images import image_tokens
from core.runs.calls import CallStore
from core.runs.keys import tagged_hash

NEVER_KEPT = frozenset(
    {"no answer", "refused by the server", "image changed", "no image", "no image support"}
)
"""Reasons that say nothing about the model: asked again by the next run."""
CHARACTERS_A_TOKEN = 4
OVERHEAD_TOKENS = 12


class AnsweringModel(Protocol):
    """A chat model that hands over each answer when it comes."""

    @property
    def identity(self) -> ModelIdentity: ...
    @property
    def degradation(self) -> tuple[str, ...]: ...
    def variant(self, ask: Ask) -> str:
        """How an answer is weighed here (see Capabilities.choice_mode); may connect."""
        ...

    def best_variant(self, ask: Ask) -> str:
        """The same with a full server; never connects."""
        ...

    def answer_each(
        self, asks: Sequence[Ask], on_answer: Callable[[int, Completion | Unscored], None]
    ) -> None: ...


@dataclass(slots=True)
class CallCounts:
    """What a run asked. kept: answers found; asked: questions sent; unscored: reason -> number."""

    asked: int = 0
    kept: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unscored: Counter[str] = field(default_factory=Counter)


def call_key(ask: Ask, identity: ModelIdentity, variant: str) -> str:
    """Equal keys, equal question to the equal model. Images by their bytes; no path, no address."""
    return tagged_hash(
        {
            "model": identity,
            "prompt": ask.prompt.sha256,
            "system": ask.system,
            "text": ask.text,
            "images": [image.sha256 for image in ask.images],
            "choices": ask.choices,
            "schema": ask.json_schema,
            "sampling": [ask.max_tokens, ask.temperature, ask.samples, ask.seed],
            "variant": variant,
        },
        "faultline-call",
    )


class CachedChat:
    """`model` behind the answers kept for `role`. Implements core.seams.ChatModel."""

    def __init__(self, role: str, model: AnsweringModel, store: CallStore, image_max_side: int) -> None:
        self.role = role
        self.model = model
        self.counts = CallCounts()
        self._store = store
        self._image_max_side = image_max_side

    @property
    def identity(self) -> ModelIdentity:
        return self.model.identity

    def complete(self, asks: Sequence[Ask]) -> list[Completion | Unscored]:
        """One answer a question, in the order given; only what was never answered is asked.

        Each answer is kept the moment it comes, also if a later question stops the run.
        Raises: ServerDownError, ModelError; RunError if answers cannot be kept.
        """
        found = self._known(asks, self.model.best_variant)
        if len(found) < len(asks):
            self._note_variant(asks)
            found = {**self._known(asks, self.model.variant), **found}
        self.counts.kept += len(found)
        missing: dict[str, list[int]] = {}
        for index, ask in enumerate(asks):
            if index not in found:
                missing.setdefault(call_key(ask, self.identity, self.model.variant(ask)), []).append(index)
        keys = list(missing)

        def keep(position: int, answer: Completion | Unscored) -> None:
            self._count(answer)
            if not (isinstance(answer, Unscored) and answer.reason in NEVER_KEPT):
                ask = asks[missing[keys[position]][0]]
                self._store.put(keys[position], _to_json(ask, self.identity, answer))
            for index in missing[keys[position]]:
                found[index] = answer

        if keys:
            self.model.answer_each([asks[missing[key][0]] for key in keys], keep)
        return [found[i] for i in range(len(asks))]

    def plan(self, asks: Iterable[Ask], *, exact: bool = True) -> PlannedCalls:
        """What `complete(asks)` would send now. Nothing is sent, no server is needed.

        exact: False if the questions are an upper bound of what will be asked.
        """
        n = prompt = completion = 0
        wanted: dict[str, Ask] = {}
        for ask in asks:
            n += 1
            wanted.setdefault(call_key(ask, self.identity, self.model.best_variant(ask)), ask)
        known = self._store.get_many(wanted)
        to_ask = [ask for key, ask in wanted.items() if key not in known]
        degraded = self._degraded(to_ask)
        to_ask = [ask for i, ask in enumerate(to_ask) if i not in degraded]
        sizes: dict[str, int] = {}
        for ask in to_ask:
            prompt += self._prompt_tokens(ask, sizes)
            completion += 1 if ask.choices else ask.max_tokens * ask.samples
        return PlannedCalls(
            role=self.role,
            model=self.identity.name,
            questions=n,
            calls=len(to_ask),
            prompt_tokens=prompt,
            completion_tokens=completion,
            exact=exact,
        )

    def _known(self, asks: Sequence[Ask], variant: Callable[[Ask], str]) -> dict[int, Completion | Unscored]:
        keys = [call_key(ask, self.identity, variant(ask)) for ask in asks]
        known = self._store.get_many(keys)
        return {i: _from_json(known[key]) for i, key in enumerate(keys) if key in known}

    def _note_variant(self, asks: Sequence[Ask]) -> None:
        """Put on record how the server weighs choices now, for a plan made without it."""
        choice = next((ask for ask in asks if ask.choices), None)
        if choice is not None:
            self._store.note(self._note_name("variant"), self.model.variant(choice))
        self._store.note(self._note_name("degradation"), "\n".join(self.model.degradation))

    def _degraded(self, asks: Sequence[Ask]) -> set[int]:
        """Which questions were answered under the variant last on record."""
        last = self._store.noted(self._note_name("variant"))
        return set(self._known(asks, lambda ask: last if ask.choices else "")) if last else set()

    @property
    def degradation(self) -> tuple[str, ...]:
        """What is worse than with a full server, a sentence each, as found when it was last asked."""
        return tuple(filter(None, self._store.noted(self._note_name("degradation")).split("\n")))

    def _note_name(self, what: str) -> str:
        return f"{what} of {tagged_hash(self.identity, 'faultline-model')}"

    def _prompt_tokens(self, ask: Ask, sizes: dict[str, int]) -> int:
        for image in ask.images:
            if image.sha256 not in sizes:
                sizes[image.sha256] = image_tokens(image.path, self._image_max_side)
        text = -(-len(ask.system + ask.text) // CHARACTERS_A_TOKEN)
        return text + OVERHEAD_TOKENS + sum(sizes[image.sha256] for image in ask.images)

    def _count(self, answer: Completion | Unscored) -> None:
        self.counts.asked += 1
        if isinstance(answer, Unscored):
            self.counts.unscored[answer.reason] += 1
        else:
            self.counts.prompt_tokens += answer.prompt_tokens
            self.counts.completion_tokens += answer.completion_tokens


def counts_json(chats: Mapping[str, CachedChat]) -> dict[str, dict[str, Any]]:
    """Role -> what was asked so far, for run.json."""
    return {
        role: {
            **asdict(chat.counts),
            "model": chat.identity.name,
            "unscored": dict(sorted(chat.counts.unscored.items())),
            "degradation": list(chat.degradation),
        }
        for role, chat in chats.items()
    }


def call_store(calls_dir: Path, role: str) -> CallStore:
    """The answers kept for a role."""
    return CallStore(calls_dir / role.removesuffix("_chat"))


def _to_json(ask: Ask, identity: ModelIdentity, answer: Completion | Unscored) -> dict[str, Any]:
    fields = asdict(answer)
    if isinstance(answer, Completion):
        fields["choice_probabilities"] = dict(answer.choice_probabilities)
    return {"prompt": ask.prompt.id, "model": identity.name, type(answer).__name__.lower(): fields}


def _from_json(value: dict[str, Any]) -> Completion | Unscored:
    if "completion" in value:
        return Completion(**value["completion"])
    return Unscored(**value["unscored"])
