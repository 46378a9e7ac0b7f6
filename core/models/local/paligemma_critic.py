"""A PaliGemma-style critic by transformers, in this process. Paper: VNLI-Critique 4.1.

Departs: the paper fine-tunes PaliGemma 2 10B; any weights of that architecture are taken, by name or folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from core.domain.chat import Ask, Completion
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.errors import AuditError, ModelError
from core.models.local.hub_models import HubModel
from core.models.local_settings import LocalSettings
from core.models.preset import ChatSettings
from core.models.server.capabilities import FULL, Capabilities
from core.models.server.images import ImageOpener

OnAnswer = Callable[[int, Completion | Unscored], None]
KIND = "paligemma"


class PaliGemmaCritic:
    """Answers questions about one image each. Implements core.models.calls.AnsweringModel.

    A question with labels is answered by the softmax of their first tokens after the question; others by
    greedy decoding. JSON schemas are not held to. Raises: ModelError if the model does not load.
    """

    def __init__(
        self,
        settings: ChatSettings,
        *,
        open_image: ImageOpener | None = None,
        check: Callable[[], None] = lambda: None,
        device: str = "",
    ) -> None:
        local = LocalSettings(
            settings.name, settings.model, kind=KIND, revision=settings.revision, device=device
        )
        self.settings = settings
        self._hub = HubModel(local)
        self._open_image = open_image
        self._check = check

    @property
    def identity(self) -> ModelIdentity:
        return self._hub.identity

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
    def _model(self) -> Any:
        return self._hub.load_model("PaliGemmaForConditionalGeneration")

    @cached_property
    def _processor(self) -> Any:
        return self._hub.load("PaliGemmaProcessor")

    def complete(self, asks: Sequence[Ask]) -> list[Completion | Unscored]:
        """One answer a question, in the order given."""
        answers: dict[int, Completion | Unscored] = {}
        self.answer_each(asks, answers.__setitem__)
        return [answers[i] for i in range(len(asks))]

    def answer_each(self, asks: Sequence[Ask], on_answer: OnAnswer) -> None:
        """Ask one after the other; on_answer after each."""
        for index, ask in enumerate(asks):
            self._check()
            on_answer(index, self._answer(ask))

    def _answer(self, ask: Ask) -> Completion | Unscored:
        if len(ask.images) != 1:
            return Unscored("no image", f"this critic takes one image a question, not {len(ask.images)}")
        if self._open_image is None:
            raise ModelError("this model was opened without a way to read images")
        try:
            image = self._open_image(ask.images[0].path).convert("RGB")
        except AuditError as error:
            return Unscored("no image", error.sentence())
        inputs = self._processor(text=f"<image>{ask.text}", images=image, return_tensors="pt")
        moved = self._hub.on_device(inputs, self._model)
        return self._choose(ask, moved) if ask.choices else self._write(ask, moved)

    def _choose(self, ask: Ask, inputs: dict[str, Any]) -> Completion:
        import torch

        tokenizer = self._processor.tokenizer
        first = [tokenizer.encode(label, add_special_tokens=False)[0] for label in ask.choices]
        if len(set(first)) < len(first):
            raise ModelError("labels begin with the same token for this model", where=self.settings.model)
        with torch.inference_mode():
            logits = self._model(**inputs).logits[0, -1].float()
        shares = torch.softmax(logits[first], dim=0).tolist()
        weights = dict(zip(ask.choices, shares, strict=True))
        return Completion(
            max(weights, key=weights.__getitem__),
            choice_probabilities=weights,
            prompt_tokens=int(inputs["input_ids"].shape[1]),
            completion_tokens=1,
        )

    def _write(self, ask: Ask, inputs: dict[str, Any]) -> Completion:
        import torch

        n = int(inputs["input_ids"].shape[1])
        with torch.inference_mode():
            made = self._model.generate(**inputs, max_new_tokens=ask.max_tokens, do_sample=False)[0, n:]
        end = self._processor.tokenizer.eos_token_id
        finished = bool((made == end).any())
        text = self._processor.tokenizer.decode(made, skip_special_tokens=True).strip()
        return Completion(text, "stop" if finished else "length", {}, n, len(made))
