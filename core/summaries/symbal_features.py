"""Summarisers: features of each fact or image, then the most frequent. Paper: Symbal 4.1, 4.2, A.1, A.2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.chat import Ask, ImageInput
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.prompts.answers import read_list
from core.prompts.load_prompt import load_prompt
from core.seams import ChatModel

TEXT = "symbal/text_only_summarizer@1"
IMAGE = "symbal/vision_language_summarizer@1"
IMAGE_REFERENCE = "symbal/vision_language_summarizer_reference@1"
MOST_FREQUENT = "symbal/most_frequent@1"
MAX_FEATURES = 10
MAX_TOKENS = 256

Features = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """features: most frequent first, or why there are none. by_member: features of each member."""

    features: Features | Unscored
    by_member: tuple[Features | Unscored, ...]

    @property
    def n_unscored(self) -> int:
        return sum(isinstance(found, Unscored) for found in self.by_member)


class ChatSummarizer:
    """Both steps of a summary over one chat model; the second answer is the same model's."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    @property
    def identity(self) -> ModelIdentity:
        chat = self._chat.identity
        shas = [load_prompt(p).ref.sha256[:16] for p in (TEXT, IMAGE, IMAGE_REFERENCE, MOST_FREQUENT)]
        revision = "+".join(["1", *shas, chat.revision])
        return ModelIdentity(chat.name, revision, chat.backend, baseline=chat.baseline)

    def summarize_texts(self, texts: Sequence[str], top_k: int = 5) -> Summary:
        """What facts (or captions of images) have in common. Text-only summariser."""
        return self._summarize([text_question(text) for text in texts], None, top_k)

    def summarize_images(
        self, images: Sequence[ImageInput], references: Sequence[str] | None = None, top_k: int = 5
    ) -> Summary:
        """What images have in common. references: one an image, when reference-based."""
        given = [""] * len(images) if references is None else list(references)
        asks = [image_question(i, r) for i, r in zip(images, given, strict=True)]
        return self._summarize(asks, MAX_FEATURES, top_k)

    def _summarize(self, asks: Sequence[Ask], limit: int | None, top_k: int) -> Summary:
        members = tuple(read_list(answer, limit) for answer in self._chat.complete(asks))
        lists = [m for m in members if not isinstance(m, Unscored) and m]
        if not lists:
            return Summary(Unscored("no features", "no member of the group has a feature"), members)
        (answer,) = self._chat.complete([frequency_question(lists, top_k)])
        chosen = read_list(answer, top_k)
        if isinstance(chosen, Unscored):
            return Summary(chosen, members)
        return Summary(chosen or Unscored("no features", "the model named none"), members)


def text_question(text: str) -> Ask:
    """Step one for a fact."""
    prompt = load_prompt(TEXT)
    return Ask(prompt.fill(fact=text), prompt.ref, max_tokens=MAX_TOKENS)


def image_question(image: ImageInput, reference: str = "") -> Ask:
    """Step one for an image, with its reference where there is one."""
    prompt = load_prompt(IMAGE_REFERENCE if reference else IMAGE)
    text = prompt.fill(reference=reference) if reference else prompt.fill()
    return Ask(text, prompt.ref, images=(image,), max_tokens=MAX_TOKENS)


def frequency_question(lists: Sequence[Features], top_k: int) -> Ask:
    """Step two: the most frequent of all lists."""
    prompt = load_prompt(MOST_FREQUENT)
    text = prompt.fill(lists="\n".join(", ".join(items) for items in lists), count=str(top_k))
    return Ask(text, prompt.ref, max_tokens=MAX_TOKENS)
