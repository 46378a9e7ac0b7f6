"""Vision-language scorer: a model sees the image and the fact. Paper: Symbal 4.1, A.1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.domain.chat import Ask, ImageInput
from core.domain.judgement import Judgement, Unscored
from core.domain.provenance import ModelIdentity
from core.domain.sample import ImageRef
from core.domain.scoring import ScoringItem
from core.prompts.answers import LABELS, read_label
from core.prompts.load_prompt import load_prompt
from core.seams import ChatModel, FloatVector

PROMPT = "symbal/vision_language_scorer@1"
REFERENCE_PROMPT = "symbal/vision_language_scorer_reference@1"
WRONG_BELOW = 0.5


class VisionLanguageScorer:
    """Alignment = probability that the fact is accurate, 0..1, higher = better aligned.

    reference_based: show the references (joined) beside the image. locate: an image of the dataset as
    a file.
    """

    approximate = ""

    def __init__(
        self, chat: ChatModel, locate: Callable[[ImageRef], ImageInput], *, reference_based: bool = False
    ) -> None:
        self._chat = chat
        self._locate = locate
        self._prompt = load_prompt(REFERENCE_PROMPT if reference_based else PROMPT)
        self._reference_based = reference_based

    @property
    def identity(self) -> ModelIdentity:
        chat = self._chat.identity
        revision = f"1+{self._prompt.ref.sha256[:16]}+{chat.name}@{chat.revision}"
        return ModelIdentity("vision-language", revision, chat.backend, baseline=chat.baseline)

    def score(self, items: Sequence[ScoringItem]) -> list[Judgement]:
        """One judgement an item, in the order given."""
        questions = [self.question(item) for item in items]
        answers = iter(self._chat.complete([q for q in questions if isinstance(q, Ask)]))
        return [read_label(next(answers)) if isinstance(q, Ask) else q for q in questions]

    def question(self, item: ScoringItem) -> Ask | Unscored:
        """What is asked about an item, or why nothing is."""
        if item.sample.image is None:
            return Unscored("no image", "the row has no image to look at")
        values = {"fact": item.fact.text}
        if self._reference_based:
            if not item.sample.references:
                return Unscored("no reference", "the row has no reference text")
            values["reference"] = " ".join(item.sample.references)
        image = self._locate(item.sample.image)
        return Ask(
            self._prompt.fill(**values), self._prompt.ref, images=(image,), choices=LABELS, max_tokens=1
        )

    def wrong_below(self, values: FloatVector) -> float:
        """0.5: inaccurate is the likelier label."""
        return WRONG_BELOW
