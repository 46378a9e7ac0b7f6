"""Decomposition: what is read, what is refused, and how many calls it costs."""

import pytest

from core.domain.chat import Completion
from core.domain.evian import Decomposition, TagSpan
from core.domain.evian_tags import insert_tags, parse_marked
from core.domain.judgement import Unscored
from core.facts.evian_2_distill import distill_by_deletion, read_distillation
from core.facts.evian_3_synthesize import new_words, read_synthesis
from core.facts.evian_decompose import decompose
from tests.unit.evian.fake_chat import FakeChat, by_prompt

TEXT = "Light is soft, creating a cosy mood. A lamp stands there."
MARKED = "Light is soft, <INFER>creating a cosy mood</INFER>. A lamp stands there."
SPANS = (TagSpan("INFER", 15, 35),)


@pytest.mark.parametrize(
    "answer",
    [
        f"Marked Response: {MARKED}",
        f"**Marked Response:** {MARKED}",
        f"```\nMarked Response: {MARKED}\n```",
        f"Marked Response:\n```text\n{MARKED}\n```",
        "Marked Response: " + MARKED.replace("INFER", "infer"),
        "Marked Response: " + MARKED.replace("<INFER>", "**<INFER>").replace("</INFER>", "</INFER>**"),
        MARKED,
    ],
)
def test_frames_around_a_faithful_answer_are_read(answer):
    assert parse_marked(TEXT, answer) == SPANS


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (MARKED.replace("soft", "gentle"), "wording changed"),
        (MARKED.replace("</INFER>", ""), "unclosed tag"),
        (MARKED.replace("<INFER>", ""), "unmatched tag"),
        (MARKED.replace("cosy", "<KNOW>cosy</KNOW>"), "nested tags"),
        (
            "Light <INFER>is <KNOW>soft,</INFER> creating</KNOW> a cosy mood. A lamp stands there.",
            "nested tags",
        ),
        (MARKED + " I hope this helps!", "wording changed"),
        ("", "wording changed"),
    ],
)
def test_what_is_not_faithful_is_unscored_with_its_raw_text(answer, reason):
    found = parse_marked(TEXT, answer)
    assert isinstance(found, Unscored)
    assert (found.reason, found.raw) == (reason, answer)


def test_a_response_with_tags_of_its_own_is_unscored():
    assert parse_marked(MARKED, MARKED).reason == "tags in the response"


@pytest.mark.parametrize(
    ("cleaned", "reason"),
    [
        ("Cleaned Response: Light is soft, which lights the room. A lamp stands there.", None),
        ("Cleaned Response: Light is soft. A lamp stands there.", None),
        ("Light is soft. A lamp stands.", "untagged text changed"),
        ("Light is soft. A red lamp stands there.", "untagged text changed"),
        ("Light is soft. A lamp stands there. A dog too.", "untagged text changed"),
        ("Well, light is soft. A lamp stands there.", "untagged text changed"),
        (MARKED, "tags left"),
    ],
)
def test_distillation_keeps_untagged_words(cleaned, reason):
    found = read_distillation(TEXT, SPANS, Completion(cleaned))
    assert (found.reason if isinstance(found, Unscored) else None) == reason


def test_deletion_leaves_sentences_that_read():
    assert distill_by_deletion(TEXT, SPANS) == "Light is soft. A lamp stands there."
    assert distill_by_deletion("It may rain.", (TagSpan("INFER", 0, 11),)) == ""


def test_a_summary_with_new_numbers_is_unscored_and_new_words_are_listed():
    assert read_synthesis("Two cats.", Completion("Visual Summary: 3 cats.")).reason == "new content"
    assert new_words("A cat on a mat.", "A cat sleeps on a mat.") == ("sleeps",)


def test_three_calls_and_a_failed_step_costs_no_more():
    chat = FakeChat(
        by_prompt(
            tag=lambda a: f"Marked Response: {MARKED}" if TEXT in a.text else "no",
            distill="Cleaned Response: Light is soft. A lamp stands there.",
            synthesize="Visual Summary: Light is soft and a lamp stands there.",
        )
    )
    good, bad = decompose([TEXT, "Another text."], ["", ""], chat)
    assert isinstance(good, Decomposition)
    assert good.marked_response == insert_tags(TEXT, SPANS) == MARKED
    assert good.inferences == ("creating a cosy mood",)
    assert good.visual_summary == "Light is soft and a lamp stands there."
    assert isinstance(bad, Unscored)
    assert len(chat.asked) == 2 + 1 + 1


def test_an_answer_cut_off_is_unscored():
    (found,) = decompose([TEXT], [""], FakeChat(lambda a: Completion(MARKED, "length")))
    assert found.reason == "cut off"


@pytest.mark.parametrize(
    "answer", ["Sure! Here you are: A lamp stands there.", "A lamp stands there.", "Summary: A lamp."]
)
def test_a_summary_without_its_prefix_is_unscored_with_its_raw_text(answer):
    found = read_synthesis("A lamp stands there.", Completion(answer))
    assert (found.reason, found.raw) == ("no prefix", answer)


def test_a_cleaned_response_without_its_prefix_is_unscored():
    """Talk behind a tagged end could not be told from a rewriting of it."""
    text = "A lamp stands there. It may be old."
    spans = (TagSpan("INFER", 21, 35),)
    answer = "A lamp stands there. I hope this helps!"
    found = read_distillation(text, spans, Completion(answer))
    assert (found.reason, found.raw) == ("no prefix", answer)
    assert read_distillation(text, spans, Completion("Cleaned Response: A lamp stands there.")) == TEXT_LEFT


TEXT_LEFT = "A lamp stands there."
