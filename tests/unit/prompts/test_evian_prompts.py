"""Prompts of Evian: golden digests, what each asks to be filled in, and the questions made of them."""

import hashlib

import pytest

from core.bench.evian_defects import analysis_ask, rewrite_ask, subtype_ask
from core.bench.evian_taxonomy import of_category
from core.domain.evian import Decomposition, EvianItem, TagSpan
from core.facts.evian_1_tag import ask_tags
from core.facts.evian_2_distill import ask_distillation
from core.facts.evian_3_synthesize import ask_synthesis
from core.prompts.load_prompt import PROMPT_DIR, load_prompt
from core.scores.evian_triplet import questions_of

GOLDEN = {
    "analyse_content@1": "5a5415902968d319",
    "choose_subtype@1": "85151a4c024069a0",
    "distill@1": "4e28b40b28d029f4",
    "factual_accuracy@1": "4343c535b74db2e2",
    "image_text_consistency@1": "840ca39c6d1160db",
    "inject@1": "61f08227c7a700f9",
    "inject_system@1": "4bc8b6eccc957592",
    "logical_coherence@1": "92b5db5c2e68d643",
    "synthesize@1": "e1f609abc00bf095",
    "tag@1": "a1fb62fed93b0f02",
}
TEXT = "A {lamp} stands there. It may be <old>."
SPANS = (TagSpan("INFER", 23, 39),)


def asked():
    """Every question Evian asks about one response, by the name of its prompt."""
    marked = f"{TEXT[:23]}<INFER>{TEXT[23:]}</INFER>"
    both = (TagSpan("KNOW", 0, 8), *SPANS)
    item = EvianItem("s", Decomposition(TEXT, both, marked, TEXT[:22], "A lamp."))
    options = of_category("reasoning")
    asks = [
        ask_tags(TEXT),
        ask_distillation(TEXT, SPANS, "What is seen?"),
        ask_synthesis(TEXT[:22], ""),
        *questions_of(item, ("image",)),
        analysis_ask(TEXT),
        subtype_ask(TEXT, options),
        rewrite_ask(TEXT, options[0]),
    ]
    return {ask.prompt.id.split("/")[1]: ask for ask in asks}


def test_no_prompt_changed_without_a_new_version():
    found = {p.stem: load_prompt(f"evian/{p.stem}").ref.sha256[:16] for p in PROMPT_DIR.glob("evian/*.txt")}
    assert found == GOLDEN


@pytest.mark.parametrize("name", sorted(set(GOLDEN) - {"inject_system@1"}))
def test_every_prompt_is_asked_with_its_slots_filled_and_its_digest(name):
    ask = asked()[name]
    assert ask.prompt.sha256.startswith(GOLDEN[name])
    for slot in ("{response}", "{marked_response}", "{instruction}", "{cleaned_response}", "{text}"):
        assert slot not in ask.text
    assert ask.temperature == 0, "the paper's models are greedy"


def test_questions_hold_the_response_as_it_is():
    asks = asked()
    assert asks["tag@1"].text.endswith(f"Response: {TEXT}")
    assert f"<INFER>{TEXT[23:]}</INFER>" in asks["distill@1"].text
    assert "What is seen?" in asks["distill@1"].text
    assert "Describe the image." in asks["synthesize@1"].text
    assert asks["image_text_consistency@1"].text.endswith("A lamp.")
    assert asks["logical_coherence@1"].images
    assert not asks["factual_accuracy@1"].images


def test_the_golden_question_of_the_tagging():
    """The whole text that a server gets, so that no frame around it changes unseen."""
    digest = hashlib.sha256(asked()["tag@1"].text.encode()).hexdigest()[:16]
    prompt = (PROMPT_DIR / "evian" / "tag@1.txt").read_text("utf-8")
    whole = prompt.rstrip("\n").replace("{response}", TEXT)
    assert digest == hashlib.sha256(whole.encode()).hexdigest()[:16]
