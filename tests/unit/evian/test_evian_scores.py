"""Triplets: the rubric's edge rules, defaults without a call, and answers that are no score."""

from pathlib import Path

import pytest

from core.domain.chat import Completion, ImageInput
from core.domain.evian import AxisScore, Decomposition, EvianItem, TagSpan
from core.domain.judgement import Unscored
from core.prompts.load_prompt import load_prompt
from core.scores.evian_baseline import UNIT_SCALE, round_half_up, scale_of
from core.scores.evian_rubric import read_score
from core.scores.evian_triplet import score_triplets
from tests.unit.evian.fake_chat import FakeChat, by_prompt

IMAGE = (ImageInput(Path("a.png"), "0" * 64),)


def item(*spans):
    return EvianItem("s", Decomposition("A dog. It is happy.", spans, "marked", "A dog.", "A dog."))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Score: 4\nExplanation: sound.", 4),
        ("**Score:** 5/5\n**Explanation:** all true", 5),
        ("Let me think. Score = 3. Explanation: so so", 3),
        ('```json\n{"score": 2, "explanation": "wrong"}\n```', 2),
        ("4\nbecause", 4),
        ("Score: 4\nScore: 4", 4),
    ],
)
def test_scores_are_read(text, value):
    found = read_score(Completion(text))
    assert isinstance(found, AxisScore)
    assert (found.value, found.raw) == (value, text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Score: 0", "out of range"),
        ("Score: 7", "out of range"),
        ("Score: -3", "out of range"),
        ("Score: 4.5", "out of range"),
        ("Score: 8/10", "out of range"),
        ('{"score": true}', "unparseable"),
        ("Score: 2\nScore: 5", "contradictory"),
        ("I cannot say.", "unparseable"),
        ("", "unparseable"),
    ],
)
def test_anything_else_is_unscored(text, reason):
    found = read_score(Completion(text))
    assert isinstance(found, Unscored)
    assert (found.reason, found.raw) == (reason, text)


def test_no_tag_is_two_by_rule_without_a_call():
    chat = FakeChat(by_prompt(image_text_consistency="Score: 5\nExplanation: fine"))
    (t,) = score_triplets([item()], [IMAGE], chat)
    assert t.defaulted == {"logical_coherence", "factual_accuracy"}
    assert (t.logical_coherence.value, t.factual_accuracy.value, t.image_text_consistency.value) == (2, 2, 5)
    assert len(chat.asked) == 1


def test_three_calls_where_there_are_claims_and_knowledge_needs_no_image():
    spans = (TagSpan("INFER", 7, 12), TagSpan("KNOW", 13, 18))
    chat = FakeChat(lambda a: "Score: 2\nExplanation: no")
    (t,) = score_triplets([item(*spans)], [IMAGE], chat)
    assert not t.defaulted
    assert [bool(a.images) for a in chat.asked] == [True, True, False]
    (t,) = score_triplets([item(*spans)], [()], FakeChat(lambda a: "Score: 2"))
    assert t.image_text_consistency.reason == t.logical_coherence.reason == "no image"
    assert t.factual_accuracy.value == 2


def test_expected_score_from_probabilities():
    def answer(ask):
        if ask.choices:
            return Completion("4", choice_probabilities={"4": 0.75, "5": 0.25})
        return "Score: 4\nExplanation: yes"

    (t,) = score_triplets([item()], [IMAGE], FakeChat(answer), expected=True)
    assert t.image_text_consistency.expected == pytest.approx(4.25)


def test_the_baseline_scale_rises_and_stays_within_one_to_five():
    values = [UNIT_SCALE.score(x / 50) for x in range(-20, 80)]
    assert values == sorted(values)
    assert {round_half_up(v) for v in values} == {1, 2, 3, 4, 5}


RULES = {
    "tag": ["complete thought", "Always tag", "not tagged", "Change no word", "Marked Response:"],
    "distill": ["exactly as it is", "Rewrite where possible", "Delete", "nothing new", "Cleaned Response:"],
    "synthesize": ["nothing else", "Keep every detail", "Add nothing", "flow", "Visual Summary:"],
    "logical_coherence": ["only the statements inside the <INFER>", "1 =", "5 ="],
    "factual_accuracy": ["<KNOW>", "cannot be higher than 2", "1 =", "5 ="],
    "image_text_consistency": ["not completeness", "has to be 5", "must be given", "1 =", "5 ="],
}


@pytest.mark.parametrize("name", RULES)
def test_prompts_carry_the_papers_rules(name):
    text = load_prompt(f"evian/{name}@1").text
    assert [rule for rule in RULES[name] if rule not in text] == []


@pytest.mark.parametrize("scorer", ["objects-match", "reference-match", "embedding", "vision-language"])
def test_every_scale_grades_by_its_cuts(scorer):
    scale = scale_of(scorer)
    assert list(scale.cuts) == sorted(set(scale.cuts))
    for place, cut in enumerate(scale.cuts, 1):
        assert round_half_up(scale.score(cut - 1e-6)) == place
        assert round_half_up(scale.score(cut + 1e-6)) == place + 1


def test_full_support_is_five_and_none_is_one():
    for scorer in ("objects-match", "reference-match"):
        assert round_half_up(scale_of(scorer).score(1.0)) == 5
        assert round_half_up(scale_of(scorer).score(0.0)) == 1
