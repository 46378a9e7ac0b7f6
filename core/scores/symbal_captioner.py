"""Captions for images without references, by a vision-language model. Paper: Symbal 4.1, A.1, A.2."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.chat import Ask, ImageInput
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.prompts.answers import read_text
from core.prompts.load_prompt import load_prompt
from core.seams import ChatModel

PROMPT = "symbal/captioner@1"
MAX_TOKENS = 512
PLANNED_LENGTH = 400


class ChatCaptioner:
    """One caption an image; a failed or cut one is Unscored. Implements core.seams.Captioner."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    @property
    def identity(self) -> ModelIdentity:
        chat, prompt = self._chat.identity, load_prompt(PROMPT).ref
        revision = f"1+{prompt.sha256[:16]}+{chat.revision}"
        return ModelIdentity(chat.name, revision, chat.backend, baseline=chat.baseline)

    def asks(self, images: Sequence[ImageInput]) -> list[Ask]:
        """The questions `caption` asks."""
        prompt = load_prompt(PROMPT)
        return [Ask(prompt.fill(), prompt.ref, images=(i,), max_tokens=MAX_TOKENS) for i in images]

    def caption(self, images: Sequence[ImageInput]) -> list[str | Unscored]:
        """One caption an image, in the order given; equal images are asked about once."""
        unique = list({image.sha256: image for image in images}.values())
        answers = self._chat.complete(self.asks(unique))
        made = {i.sha256: read_text(a) for i, a in zip(unique, answers, strict=True)}
        return [made[image.sha256] for image in images]


def no_caption(failed: Unscored) -> Unscored:
    """Why nothing can be asked about an image whose caption failed."""
    return Unscored("no caption", f"{failed.reason}: {failed.detail}", failed.raw)


def stand_in(sha256: str) -> str:
    """In the place of an image's caption when questions are counted before it is made."""
    return sha256.ljust(PLANNED_LENGTH, "x")
