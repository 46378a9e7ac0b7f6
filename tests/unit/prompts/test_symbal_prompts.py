"""Prompts of Symbal: golden digests, all the paper's rules, and answers outside the format."""

import pytest

from core.domain.chat import Completion
from core.domain.judgement import Scored, Unscored
from core.errors import ConfigError
from core.prompts.answers import read_label, read_list, read_text
from core.prompts.load_prompt import PROMPT_DIR, load_prompt

GOLDEN = {
    "captioner@1": "b448ae7c49a3f593",
    "direct_prompting@1": "5d21e57e293b1de2",
    "judge@1": "0edbefe33ab0f9b9",
    "most_frequent@1": "4106c323bf4c2fa2",
    "text_only_scorer@1": "1faa7aebf81cbf8c",
    "text_only_summarizer@1": "8c4d0b87aa0aa297",
    "vision_language_scorer@1": "92dfb5fc1ae06162",
    "vision_language_scorer_reference@1": "557b25280de38533",
    "vision_language_summarizer@1": "a6193e93bd7d6663",
    "vision_language_summarizer_reference@1": "ceba7c3cb6a85835",
}
RULES = {
    "text_only_scorer@1": ["leave out", "incorrect or contradicts", "single digit", "nothing but the digit"],
    "vision_language_scorer@1": ["with respect to the image", "single digit", "nothing but the digit"],
    "vision_language_scorer_reference@1": ["true caption", "single digit", "nothing but the digit"],
    "text_only_summarizer@1": [
        "single phrase",
        "directly visible",
        "no text besides",
        "Do not explain",
        "empty",
    ],
    "vision_language_summarizer@1": ["directly visible", "no text besides", "Do not explain", "at most ten"],
    "vision_language_summarizer_reference@1": ["{reference}", "directly visible", "at most ten"],
    "judge@1": ["same visual feature", "single digit", "nothing but the digit"],
    "direct_prompting@1": ["Textual Error:", "Visual Feature:", "five", "directly visible", "Do not explain"],
}


def test_no_prompt_changed_without_a_new_version():
    found = {p.stem: load_prompt(f"symbal/{p.stem}").ref.sha256[:16] for p in PROMPT_DIR.glob("symbal/*.txt")}
    assert found == GOLDEN


@pytest.mark.parametrize("name", RULES)
def test_a_prompt_carries_the_rules_of_the_paper(name):
    text = load_prompt(f"symbal/{name}").text
    assert [rule for rule in RULES[name] if rule not in text] == []


def test_slots_are_filled_once_and_braces_in_captions_stay():
    prompt = load_prompt("symbal/text_only_scorer@1")
    text = prompt.fill(reference="a {fact} sign", fact="a {reference} sign")
    assert "[A]: a {fact} sign" in text
    assert "[B]: a {reference} sign" in text
    with pytest.raises(ValueError, match="takes"):
        prompt.fill(fact="x")


def test_an_unknown_prompt_is_named():
    with pytest.raises(ConfigError, match="symbal/none@9"):
        load_prompt("symbal/none@9")


def test_a_label_is_soft_with_probabilities_and_hard_without():
    assert read_label(Completion("1", choice_probabilities={"0": 0.25, "1": 0.75})).value == 0.75
    assert read_label(Completion("0", choice_probabilities={"0": 0.6, "1": 0.4})).value == 0.4
    assert read_label(Completion(" 1\n")) == Scored(1.0, "answered 1", " 1\n")


@pytest.mark.parametrize("text", ["", "yes", "10", "1.", "The caption is accurate: 1"])
def test_a_label_outside_the_format_is_unscored_with_its_text(text):
    read = read_label(Completion(text))
    assert isinstance(read, Unscored)
    assert read.raw == text


def test_lists():
    assert read_list(Completion('Answer: Red bag, "dog", red  bag, a cat.')) == ("red bag", "dog", "a cat")
    assert read_list(Completion("Answer: ")) == ()


@pytest.mark.parametrize(
    "answer",
    [
        Completion("dog, cat"),
        Completion("Answer: dog\nI saw a dog."),
        Completion("Sure! Answer: dog"),
        Completion("Answer: dog, ca", finish_reason="length"),
        Completion("Answer: " + ", ".join(f"thing {i}" for i in range(11))),
    ],
)
def test_lists_outside_the_format_are_unscored(answer):
    read = read_list(answer, 10)
    assert isinstance(read, Unscored)
    assert read.raw == answer.text


def test_an_empty_free_answer_is_no_answer():
    assert isinstance(read_text(Completion("  ")), Unscored)
