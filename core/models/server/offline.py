"""vLLM's LLM class in this process: a GPU box without a server. Same prompts, same kept answers."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from core.domain.chat import Ask, Completion
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.errors import AuditError, ModelError
from core.models.preset import ChatSettings
from core.models.server.answers import read_answer
from core.models.server.capabilities import FULL, Capabilities
from core.models.server.chat import Check, OnAnswer, by_image, chat_identity
from core.models.server.images import ChangedImageError, ImageOpener, data_url
from core.models.server.messages import body_of, messages_of

ASKS_A_BATCH = 512
MAX_IMAGES = 4


class OfflineChat:
    """Answers questions with vLLM loaded here. Implements core.seams.ChatModel.

    Raises: ModelError if vLLM is not installed or the model does not load.
    """

    def __init__(
        self,
        settings: ChatSettings,
        *,
        open_image: ImageOpener | None = None,
        check: Check = lambda: None,
    ) -> None:
        self.settings = settings
        self._open_image = open_image
        self._check = check

    @property
    def identity(self) -> ModelIdentity:
        return chat_identity(self.settings)

    @property
    def capabilities(self) -> Capabilities:
        return FULL

    @property
    def degradation(self) -> tuple[str, ...]:
        return ()

    def variant(self, ask: Ask) -> str:
        return FULL.choice_mode(self.settings.samples) if ask.choices else ""

    best_variant = variant

    @cached_property
    def _vllm(self) -> Any:
        """The package, imported on first use."""
        try:
            import vllm
        except ImportError as error:
            raise ModelError(
                "vLLM is not installed, and the preset wants it in this process",
                where=f"chat model {self.settings.name!r}",
                remedy="pip install -r requirements-gpu.txt on a GPU box, or set engine = 'server'",
            ) from error
        return vllm

    @cached_property
    def _model(self) -> Any:
        vllm = self._vllm
        options = offline_options(self.settings.serve_args)
        limit = options.pop("limit_mm_per_prompt", {"image": MAX_IMAGES})
        try:
            return vllm.LLM(
                model=self.settings.model,
                revision=self.settings.revision or None,
                enable_prefix_caching=True,
                limit_mm_per_prompt=limit,
                max_logprobs=20,
                **options,
            )
        except (RuntimeError, ValueError, OSError, TypeError) as error:
            raise ModelError(
                f"vLLM cannot load the model: {error}",
                where=self.settings.model,
                remedy="check the name, the memory and serve_args, or choose a smaller model",
            ) from error

    def complete(self, asks: Sequence[Ask]) -> list[Completion | Unscored]:
        """One answer a question, in the order given."""
        answers: dict[int, Completion | Unscored] = {}
        self.answer_each(asks, answers.__setitem__)
        return [answers[i] for i in range(len(asks))]

    def answer_each(self, asks: Sequence[Ask], on_answer: OnAnswer) -> None:
        """Ask in batches, questions about one image together; on_answer after each batch."""
        order = by_image(asks)
        for start in range(0, len(order), ASKS_A_BATCH):
            self._check()
            self._batch([(i, asks[i]) for i in order[start : start + ASKS_A_BATCH]], on_answer)

    def _batch(self, asks: Sequence[tuple[int, Ask]], on_answer: OnAnswer) -> None:
        ready: list[tuple[int, Ask, list[str]]] = []
        for index, ask in asks:
            urls = self._urls(ask)
            if isinstance(urls, Unscored):
                on_answer(index, urls)
            else:
                ready.append((index, ask, urls))
        if not ready:
            return
        outputs = self._model.chat(
            [messages_of(ask, urls) for _, ask, urls in ready],
            [self._sampling(ask) for _, ask, _ in ready],
            use_tqdm=False,
        )
        for (index, ask, _), output in zip(ready, outputs, strict=True):
            mode = FULL.choice_mode(self.settings.samples)
            on_answer(index, read_answer(ask, as_answer(output), mode))

    def _urls(self, ask: Ask) -> list[str] | Unscored:
        if ask.images and self._open_image is None:
            raise ModelError("this model was opened without a way to read images")
        opener: Callable[..., Any] = self._open_image or (lambda path: None)
        try:
            return [data_url(image, opener, self.settings.image_max_side) for image in ask.images]
        except ChangedImageError as error:
            return Unscored("image changed", str(error))
        except AuditError as error:
            return Unscored("no image", error.sentence())

    def _sampling(self, ask: Ask) -> Any:
        """The request's fields as SamplingParams."""
        settings = self.settings
        body = body_of(ask, [], settings.model, FULL, top_logprobs=settings.top_logprobs, samples=1)
        held: dict[str, Any] = {}
        if ask.choices:
            held["choice"] = list(ask.choices)
        elif ask.json_schema is not None:
            held["json"] = ask.json_schema
        structured = self._vllm.sampling_params.StructuredOutputsParams(**held) if held else None
        return self._vllm.SamplingParams(
            temperature=body["temperature"],
            max_tokens=body["max_tokens"],
            n=body.get("n", 1),
            seed=body.get("seed"),
            logprobs=body.get("top_logprobs"),
            structured_outputs=structured,
        )


def offline_options(serve_args: str) -> dict[str, Any]:
    """`--max-model-len 8192 --enforce-eager` as keyword arguments of LLM.

    Raises: ModelError for words that are no options.
    """
    options: dict[str, Any] = {}
    words = shlex.split(serve_args.replace("=", " "))
    for place, word in enumerate(words):
        if word.startswith("--"):
            following = words[place + 1] if place + 1 < len(words) else "--"
            options[word[2:].replace("-", "_")] = True if following.startswith("--") else _value(following)
        elif place == 0 or not words[place - 1].startswith("--"):
            raise ModelError("serve_args has a word that is no option", value=word)
    return options


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def as_answer(output: Any) -> dict[str, Any]:
    """vLLM's RequestOutput in the shape of a server's answer."""
    choices = []
    for one in output.outputs:
        choice: dict[str, Any] = {
            "message": {"content": one.text},
            "finish_reason": one.finish_reason or "stop",
        }
        if one.logprobs:
            listed = [
                {"token": entry.decoded_token or "", "logprob": entry.logprob}
                for entry in one.logprobs[0].values()
            ]
            choice["logprobs"] = {"content": [{"top_logprobs": listed}]}
        choices.append(choice)
    usage = {
        "prompt_tokens": len(output.prompt_token_ids or ()),
        "completion_tokens": sum(len(one.token_ids) for one in output.outputs),
    }
    return {"choices": choices, "usage": usage}
