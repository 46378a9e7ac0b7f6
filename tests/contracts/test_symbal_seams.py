"""Task seams over a chat model: one judgement an item, in order; nothing invented for a failed answer."""

from pathlib import Path

import numpy as np
import pytest

from core.domain.chat import Completion, ImageInput
from core.domain.fact import Fact
from core.domain.judgement import Scored, Unscored
from core.domain.sample import ImageRef, Sample
from core.domain.scoring import ScoringItem
from core.scores.symbal_captioner import ChatCaptioner
from core.scores.symbal_judge import judge_pairs
from core.scores.symbal_text_only import TextOnlyScorer
from core.scores.symbal_vision_language import VisionLanguageScorer
from core.summaries.symbal_direct_prompting import DirectPrediction, predict_directly
from core.summaries.symbal_features import ChatSummarizer
from tests.contracts.fake_chat import FakeChat


def locate(image):
    return ImageInput(Path("root") / image.path, image.sha256)


def item(i, text, image="a", references=("a dog on grass",)):
    ref = ImageRef(f"{image}.jpg", image * 64, 9, 9) if image else None
    return ScoringItem(Fact(i, f"s{i}", 0, text, 0, len(text)), Sample(f"s{i}", text, ref, references), ())


ITEMS = [
    item(0, "A dog."),
    item(1, "A cat.", "b"),
    item(2, "A dog runs."),
    item(3, "broken"),
    item(4, "lost"),
]


def judge(ask):
    if "broken" in ask.text:
        return "maybe"
    if "lost" in ask.text:
        return Unscored("no answer", "timeout")
    return "0" if "cat" in ask.text else Completion("1", choice_probabilities={"0": 0.2, "1": 0.8})


def make(kind, chat):
    if kind == "text-only, captions":
        return TextOnlyScorer(chat, ChatCaptioner(FakeChat(lambda ask: "a dog on grass")), locate)
    if kind == "text-only, references":
        return TextOnlyScorer(chat)
    return VisionLanguageScorer(chat, locate, reference_based=kind.endswith("references"))


KINDS = ["text-only, captions", "text-only, references", "vision-language", "vision-language, references"]


@pytest.mark.parametrize("kind", KINDS)
def test_scorers_judge_each_item_in_order(kind):
    scorer = make(kind, FakeChat(judge))
    found = scorer.score(ITEMS)
    assert [j.value for j in found[:3]] == [0.8, 0.0, 0.8]
    assert [j.reason for j in found[3:]] == ["unparseable", "no answer"]
    assert found[3].raw == "maybe"
    assert scorer.score([]) == []
    assert scorer.wrong_below(np.array([0.1, 0.9])) == 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_a_scorer_without_its_evidence_asks_nothing(kind):
    chat = FakeChat(judge)
    (found,) = make(kind, chat).score([item(0, "A dog.", image=None, references=())])
    assert isinstance(found, Unscored)
    assert found.reason in {"no image", "no reference"}
    assert chat.asked == []


@pytest.mark.parametrize("kind", KINDS)
def test_identity_changes_with_the_model(kind):
    one, other = make(kind, FakeChat(judge)), make(kind, FakeChat(judge, "other"))
    assert one.identity != other.identity
    assert one.identity == make(kind, FakeChat(judge)).identity


def test_what_is_asked():
    chat = FakeChat(judge)
    make("vision-language, references", chat).score(ITEMS[:1])
    (ask,) = chat.asked
    assert ask.images == (ImageInput(Path("root/a.jpg"), "a" * 64),)
    assert ask.choices == ("0", "1")
    assert "a dog on grass" in ask.text
    assert ask.prompt.id == "symbal/vision_language_scorer_reference@1"


def test_an_image_is_captioned_once_and_a_failed_caption_scores_nothing():
    captions = FakeChat(lambda ask: Completion("a d", finish_reason="length"))
    chat = FakeChat(judge)
    found = TextOnlyScorer(chat, ChatCaptioner(captions), locate).score(ITEMS)
    assert len(captions.asked) == 2
    assert chat.asked == []
    assert {j.reason for j in found} == {"no caption"}


def features(ask):
    if "listed" in ask.text or "Each line" in ask.text:
        return "Answer: dog, grass"
    return "no list" if "broken" in ask.text else "Answer: Dog, grass"


def test_a_summary_has_two_steps_and_counts_what_failed():
    chat = FakeChat(features)
    summary = ChatSummarizer(chat).summarize_texts(["A dog.", "broken", "Grass."], top_k=5)
    assert summary.features == ("dog", "grass")
    assert summary.n_unscored == 1
    assert len(chat.asked) == 4
    assert chat.asked[-1].text.count("dog, grass") == 2


def test_images_with_more_than_ten_features_are_outside_the_format():
    chat = FakeChat(lambda ask: "Answer: " + ", ".join(f"thing {i}" for i in range(11)))
    summary = ChatSummarizer(chat).summarize_images([ImageInput(Path("a"), "a")])
    assert summary.n_unscored == 1
    assert isinstance(summary.features, Unscored)
    assert len(chat.asked) == 1


def test_judge_and_direct_prompting():
    assert judge_pairs(FakeChat(lambda ask: "1"), [("bag", "handbag")]) == [Scored(1.0, "answered 1", "1")]
    chat = FakeChat(lambda ask: "Textual Error: bag, cup\nVisual Feature: sign")
    assert predict_directly(chat, [("a", "b")]) == DirectPrediction(("bag", "cup"), ("sign",))
    assert isinstance(predict_directly(FakeChat(lambda ask: "bag"), [("a", "b")]), Unscored)
    long = "Textual Error: a, b, c, d, e, f\nVisual Feature: g"
    assert isinstance(predict_directly(FakeChat(lambda ask: long), [("a", "b")]), Unscored)
