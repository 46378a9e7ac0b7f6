"""Text-only scorer: a language model compares a fact with a caption. Paper: Symbal 4.1, A.1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.domain.chat import Ask, ImageInput
from core.domain.judgement import Judgement, Unscored
from core.domain.provenance import ModelIdentity
from core.domain.sample import ImageRef
from core.domain.scoring import ScoringItem
from core.prompts.answers import LABELS, read_label
from core.prompts.load_prompt import load_prompt
from core.scores.symbal_captioner import no_caption, stand_in
from core.seams import Captioner, ChatModel, FloatVector

PROMPT = "symbal/text_only_scorer@1"
WRONG_BELOW = 0.5


class TextOnlyScorer:
    """Alignment = probability that the fact is accurate, 0..1, higher = better aligned.

    captioner: None = reference-based, the references stand for [A] (several are joined). locate: an
    image of the dataset as a file.
    """

    approximate = ""

    def __init__(
        self,
        chat: ChatModel,
        captioner: Captioner | None = None,
        locate: Callable[[ImageRef], ImageInput] | None = None,
    ) -> None:
        if (captioner is None) != (locate is None):
            raise ValueError("a captioner needs a way to find images, and the other way round")
        self._chat = chat
        self._captioner = captioner
        self._locate = locate

    @property
    def identity(self) -> ModelIdentity:
        chat, prompt = self._chat.identity, load_prompt(PROMPT).ref
        parts = ["1", prompt.sha256[:16], f"{chat.name}@{chat.revision}"]
        if self._captioner is not None:
            parts.append(f"captions by {self._captioner.identity.name}@{self._captioner.identity.revision}")
        return ModelIdentity("text-only", "+".join(parts), chat.backend, baseline=chat.baseline)

    def score(self, items: Sequence[ScoringItem]) -> list[Judgement]:
        """One judgement an item, in the order given."""
        truths = self._truths(items)
        judgements: list[Judgement] = [t if isinstance(t, Unscored) else UNASKED for t in truths]
        asked = [i for i, truth in enumerate(truths) if isinstance(truth, str)]
        asks = [self._ask(str(truths[i]), items[i].fact.text) for i in asked]
        for i, answer in zip(asked, self._chat.complete(asks), strict=True):
            judgements[i] = read_label(answer)
        return judgements

    def wrong_below(self, values: FloatVector) -> float:
        """0.5: inaccurate is the likelier label."""
        return WRONG_BELOW

    def planned(self, items: Sequence[ScoringItem], *, captioned: bool) -> list[Ask]:
        """The questions about items. captioned: False = something stands for captions not made yet."""
        truths = self._truths(items) if captioned or self._captioner is None else _stand_ins(items)
        pairs = zip(truths, items, strict=True)
        return [self._ask(truth, i.fact.text) for truth, i in pairs if isinstance(truth, str)]

    def _truths(self, items: Sequence[ScoringItem]) -> list[str | Unscored]:
        """What stands for [A], an item each."""
        if self._captioner is None or self._locate is None:
            missing = Unscored("no reference", "the row has no reference text")
            return [" ".join(i.sample.references) if i.sample.references else missing for i in items]
        images = {i.sample.image.sha256: self._locate(i.sample.image) for i in items if i.sample.image}
        made = dict(zip(images, self._captioner.caption(list(images.values())), strict=True))
        none = Unscored("no image", "the row has no image to caption")
        found = [made[i.sample.image.sha256] if i.sample.image else none for i in items]
        return [no_caption(t) if isinstance(t, Unscored) and t is not none else t for t in found]

    def _ask(self, truth: str, fact: str) -> Ask:
        prompt = load_prompt(PROMPT)
        text = prompt.fill(reference=truth, fact=fact)
        return Ask(text, prompt.ref, choices=LABELS, max_tokens=1)


UNASKED = Unscored("not asked")


def _stand_ins(items: Sequence[ScoringItem]) -> list[str | Unscored]:
    return [stand_in(i.sample.image.sha256) if i.sample.image else UNASKED for i in items]
