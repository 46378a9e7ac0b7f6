"""Yes/No by a critic: the template's bytes, probabilities, the fallback, and what is unscored."""

import pytest

from core.domain.chat import Completion
from core.domain.judgement import Scored, Unscored
from core.domain.vnli import Claim, Factuality, binary, verdict_of
from core.prompts.load_prompt import load_prompt
from core.scores.vnli_baseline import baseline_factuality, baseline_p
from core.scores.vnli_factuality import classify, factuality_ask, read_factuality
from tests.contracts.fake_chat import FakeChat

CLAIM = Claim(0, "s", "It has a {red} <hat>.", "A dog sits. ", 12, 33)


def test_the_template_is_the_papers_to_the_byte():
    assert load_prompt("vnli/factuality@1").text == (
        "Given the image and the prompt prefix <PREFIX>{claim_prefix}</PREFIX>, does the following text "
        "align with the image: <TARGET>{target_claim}</TARGET>?"
    )
    ask = factuality_ask(CLAIM, ())
    assert ask.text == (
        "Given the image and the prompt prefix <PREFIX>A dog sits.</PREFIX>, does the following text align "
        "with the image: <TARGET>It has a {red} <hat>.</TARGET>?"
    )
    assert ask.choices == ("Yes", "No")


def test_p_entailment_is_the_probability_of_yes():
    one = read_factuality(Completion("No", "stop", {"Yes": 0.3, "No": 0.7}))
    assert (one.p_entailment, one.verdict, one.how) == (0.3, "Non-entailment", "logprobs")
    assert read_factuality(Completion("Yes", "stop", {"Yes": 0.5, "No": 0.5})).verdict == "Entailment"
    strict = read_factuality(Completion("Yes", "stop", {"Yes": 0.6, "No": 0.4}), threshold=0.7)
    assert strict.verdict == "Non-entailment"


@pytest.mark.parametrize("text", ["maybe", "", "Yes and no", "0"])
def test_other_answers_are_unscored_with_their_text(text):
    one = read_factuality(Completion(text))
    assert isinstance(one, Unscored)
    assert one.raw == text


def test_without_probabilities_five_answers_are_drawn():
    said = iter(["Yes", "Yes", "No", "No", "perhaps", "Yes"])
    chat = FakeChat(lambda ask: next(said))
    one = classify([CLAIM], [()], chat)[0]
    assert len(chat.asked) == 6
    assert len({ask.seed for ask in chat.asked[1:]}) == 5
    assert all(ask.temperature > 0 for ask in chat.asked[1:])
    assert (one.p_entailment, one.how) == (0.5, "samples")  # 2 of the 4 that can be read
    assert "perhaps" in one.raw


def test_the_fallback_asks_only_for_bare_answers():
    chat = FakeChat(
        lambda ask: Completion("Yes", "stop", {"Yes": 0.9, "No": 0.1}) if "dog" in ask.text else "No"
    )
    cat = Claim(1, "s", "A cat.", "", 0, 6)
    found = classify([CLAIM, cat], [(), ()], chat, samples=3)
    assert [f.p_entailment for f in found] == [0.9, 0.0]
    assert len(chat.asked) == 2 + 3
    assert classify([cat], [()], FakeChat(lambda ask: "No"), samples=1)[0].how == "label"


def test_a_failed_call_stays_unscored():
    gone = Unscored("no answer", "timed out")
    assert classify([CLAIM], [()], FakeChat(lambda ask: gone)) == [gone]


def test_labels_and_the_binary_view():
    assert [binary(x) for x in ("Entailment", "Neutral", "Contradiction", "Nothing to assess")] == [
        True, False, False, None,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="entailed"):
        binary("entailed")
    assert verdict_of(0.49) == "Non-entailment"


@pytest.mark.parametrize(("unit", "cut"), [(True, 0.55), (True, 0.5), (False, 0.0), (False, -0.4)])
def test_the_baseline_keeps_the_scorers_order_and_cut(unit, cut):
    values = [x / 20 for x in range(21)] if unit else [x / 4 for x in range(-12, 13)]
    ps = [baseline_p(v, cut, unit=unit) for v in values]
    assert ps == sorted(ps)
    assert all(0.0 <= p <= 1.0 for p in ps)
    assert baseline_p(cut, cut, unit=unit) == pytest.approx(0.5)
    wrong = Scored(values[0], "why", unsupported=("bag",))
    one = baseline_factuality(wrong, cut, unit=unit)
    assert isinstance(one, Factuality)
    assert (one.verdict, one.unsupported, one.how) == ("Non-entailment", ("bag",), "baseline")
    assert isinstance(baseline_factuality(Unscored("x"), cut, unit=unit), Unscored)
