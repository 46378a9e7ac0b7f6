"""Scorers of an audit that ask a chat model, and what they will ask. Paper: Symbal 4.1, A.1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.audit.context import Audit
from core.audit.image_stages import distinct_images
from core.domain.chat import Ask, ImageInput, PlannedCalls
from core.domain.sample import ImageRef
from core.domain.scoring import ScoringItem
from core.errors import ConfigError
from core.models.preset_checks import CHAT_SCORERS, check_one_space, needs
from core.scores.symbal_captioner import ChatCaptioner
from core.scores.symbal_text_only import TextOnlyScorer
from core.scores.symbal_vision_language import VisionLanguageScorer

FACTS_A_PART = 256


def locate_in(audit: Audit) -> Callable[[ImageRef], ImageInput]:
    """An image of the dataset as a file."""
    root = audit.image_root
    if root is None:
        raise ConfigError("the image folder is not known", remedy="give it with --images")
    return lambda image: ImageInput(root / image.path, image.sha256)


def has_references(audit: Audit) -> bool:
    """Whether any sample has a reference text; then chat scorers are shown the references."""
    cells = audit.stores["samples"].read_table(["references"])["references"]
    return any(len(cell) for cell in cells.to_pylist() if cell)


def captioner_of(audit: Audit) -> ChatCaptioner:
    """The captioner of images without references."""
    return ChatCaptioner(audit.models.chat("captioner_chat"))


def chat_scorer(audit: Audit) -> TextOnlyScorer | VisionLanguageScorer:
    """The text-only or vision-language scorer over the preset's scorer_chat."""
    chat, references = audit.models.chat("scorer_chat"), has_references(audit)
    if audit.scorer_kind == "vision-language":
        return VisionLanguageScorer(chat, locate_in(audit), reference_based=references)
    if references:
        return TextOnlyScorer(chat)
    return TextOnlyScorer(chat, captioner_of(audit), locate_in(audit))


def plan_scores(audit: Audit, items: Sequence[ScoringItem]) -> list[PlannedCalls]:
    """The calls of captioner and scorer; "at most" for the scorer until all captions are made."""
    chat, scorer = audit.models.chat("scorer_chat"), chat_scorer(audit)
    if isinstance(scorer, VisionLanguageScorer):
        questions = [scorer.question(item) for item in items]
        return [chat.plan([q for q in questions if isinstance(q, Ask)])]
    if has_references(audit):
        return [chat.plan(scorer.planned(items, captioned=True))]
    captions = plan_captions(audit)
    made = captions.calls == 0
    return [captions, chat.plan(scorer.planned(items, captioned=made), exact=made)]


def plan_captions(audit: Audit) -> PlannedCalls:
    """One caption a distinct image, exact."""
    locate, (shas, paths) = locate_in(audit), distinct_images(audit)
    images = [locate(ImageRef(path, sha, 0, 0)) for sha, path in zip(shas, paths, strict=True)]
    return audit.models.chat("captioner_chat").plan(captioner_of(audit).asks(images))


def check_scoring(audit: Audit) -> None:
    """Raises: ConfigError where the preset's scorer or summariser cannot work on this data."""
    preset, kind = audit.models.preset, audit.scorer_kind
    where = f"preset {preset.name!r}"
    if kind == "embedding":
        check_one_space(where, preset)
        _need_images(audit, "scorer 'embedding' compares sentences with images")
    if kind == "vision-language":
        _need_images(audit, "scorer 'vision-language' looks at images")
    if kind == "text-only":
        _need_descriptions(audit, "scorer 'text-only'")
    if preset.summarizer == "vision-language":
        _need_images(audit, "summarizer 'vision-language' looks at images")
    if preset.summarizer == "text-only":
        _need_descriptions(audit, "summarizer 'text-only'")
    if kind in CHAT_SCORERS and "vnli" in audit.config.steps and not preset.critic_chat:
        raise needs(where, f"the vnli step beside scorer {kind!r}", "critic_chat")


def _need_images(audit: Audit, why: str) -> None:
    if not audit.has_images:
        raise ConfigError(f"{why}, and the data has none", remedy="give --images, or choose another preset")


def _need_descriptions(audit: Audit, what: str) -> None:
    if has_references(audit):
        return
    _need_images(audit, f"{what} reads references or captions of images")
    preset = audit.models.preset
    if not preset.captioner_chat:
        where = f"preset {preset.name!r}"
        raise needs(where, f"{what} on data without references", "captioner_chat")
