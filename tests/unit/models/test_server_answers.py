"""Reading answers of servers, on written answers and on hostile ones."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.chat import Ask, Completion, PromptRef
from core.domain.judgement import Unscored
from core.models.server.answers import label_of, label_probabilities, read_answer

PROMPT = PromptRef("tests/x@1", "0" * 64)


def answer(text, tokens=(), finish="stop"):
    top = [{"token": token, "logprob": math.log(p)} for token, p in tokens]
    choice = {"message": {"content": text}, "finish_reason": finish}
    if tokens:
        choice["logprobs"] = {"content": [{"top_logprobs": top}]}
    return {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 1}}


def ask(*labels):
    return Ask("x", PROMPT, choices=labels)


def test_the_softmax_is_over_the_labels_only():
    read = read_answer(
        ask("0", "1"), answer("1", [("1", 0.3), ("0", 0.1), ("The", 0.6)], "length"), "logprobs"
    )
    assert read.choice_probabilities == pytest.approx({"0": 0.25, "1": 0.75})
    assert (read.text, read.prompt_tokens) == ("1", 9)


def test_a_label_that_is_not_listed_gives_no_soft_score():
    read = read_answer(ask("0", "1"), answer("1", [("1", 0.9), ("yes", 0.1)]), "logprobs")
    assert read == Completion("1", "stop", {}, 9, 1)


def test_tokens_of_a_longer_label_are_added_up():
    tokens = [("Ent", 0.2), ("En", 0.2), ("Neutral", 0.4), ("N", 0.2)]
    choice = answer("Ent", tokens)["choices"][0]
    found = label_probabilities(choice, ("Entailment", "Neutral"))
    assert found == pytest.approx({"Entailment": 0.4, "Neutral": 0.6})


def test_a_start_that_fits_two_labels_is_no_label():
    assert label_of("1", ("1", "10"), cut=True) is None
    assert label_of("1", ("1", "10"), cut=False) == "1"
    assert label_of(" 10\n", ("1", "10"), cut=False) == "10"
    assert label_of("", ("1", "10"), cut=True) is None


def test_drawn_answers_are_shares_of_those_that_are_labels():
    choices = [{"message": {"content": c}} for c in ("1", "1", "0", "maybe")]
    read = read_answer(ask("0", "1"), {"choices": choices}, "samples-4")
    assert read.choice_probabilities == pytest.approx({"0": 1 / 3, "1": 2 / 3})
    none = read_answer(ask("0", "1"), {"choices": choices[3:]}, "samples-4")
    assert none.reason == "not a choice"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "content",
                    "finish_reason",
                    "logprobs",
                    "top_logprobs",
                    "usage",
                    "token",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(["logprobs", "samples-3", "hard"]))
def test_no_answer_whatever_breaks_the_reader_or_makes_a_score_of_nothing(value, mode):
    read = read_answer(ask("0", "1"), value, mode)
    if isinstance(read, Completion):
        assert read.text in ("0", "1")
        assert read.text in json.dumps(value)
    else:
        assert isinstance(read, Unscored)
        assert read.reason


@given(st.dictionaries(st.sampled_from("01"), st.floats(1e-9, 1.0), min_size=2))
def test_probabilities_sum_to_one(weights):
    choice = answer("1", list(weights.items()))["choices"][0]
    assert sum(label_probabilities(choice, ("0", "1")).values()) == pytest.approx(1.0)
