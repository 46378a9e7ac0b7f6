"""Critiques, revisions and the caption put together again. Paper: VNLI-Critique 5."""

import pytest

from core.domain.chat import Completion
from core.domain.judgement import Unscored
from core.domain.vnli import Claim, Factuality, Revision, reassemble
from core.models.embedded.clause_removal import without_concepts
from core.prompts.load_prompt import load_prompt
from core.summaries.vnli_critique import baseline_critique, critique_ask, critiques
from core.summaries.vnli_revision import read_revision, revise, self_consistency
from tests.contracts.fake_chat import FakeChat

CLAIM = Claim(0, "s", "A man holds a bag.", "It rains. ", 10, 28)


def test_the_critique_template_is_the_papers_to_the_byte():
    assert load_prompt("vnli/critique@1").text == (
        "Given the image and the prompt prefix <PREFIX>{claim_prefix}</PREFIX>, the text "
        "<TARGET>{target_claim}</TARGET> is considered inaccurate. Explain the misalignments and factual "
        "inaccuracies that make it inaccurate."
    )
    assert "<PREFIX>It rains.</PREFIX>, the text <TARGET>A man holds" in critique_ask(CLAIM, ()).text


def test_critiques_keep_failures():
    chat = FakeChat(lambda ask: Completion("There is no", "length") if "man" in ask.text else " No cat. ")
    cat = Claim(1, "s", "A cat.", "", 0, 6)
    failed, text = critiques([CLAIM, cat], [(), ()], chat)
    assert isinstance(failed, Unscored)
    assert failed.raw == "There is no"
    assert text == "No cat."


def test_the_baselines_critique_names_what_has_no_support():
    assert baseline_critique(["handbag"], "the references") == "'handbag' finds no support in the references."
    assert baseline_critique(["cup", "bag"], "x") == "'cup' and 'bag' find no support in x."
    assert isinstance(baseline_critique([], "x"), Unscored)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("A man holds a cup.", "A man holds a cup."),
        ('Revised sentence: "A man holds a cup."', "A man holds a cup."),
        ("DELETE", ""),
        (" delete. ", ""),
    ],
)
def test_a_revision_is_read(answer, text):
    assert read_revision(CLAIM, Completion(answer)) == text


@pytest.mark.parametrize("answer", ["", "  ", "A man.\nA cup.", "x " * 200])
def test_what_is_no_revision_is_unscored(answer):
    one = read_revision(CLAIM, Completion(answer))
    assert isinstance(one, Unscored)
    assert one.raw == answer


def test_the_reviser_sees_sentence_context_and_critique_only():
    chat = FakeChat(lambda ask: "A man stands.")
    assert revise([CLAIM], ["There is no bag."], chat) == [("A man stands.", "A man stands.")]
    asked = chat.asked[0]
    assert "There is no bag." in asked.text
    assert "It rains." in asked.text
    assert asked.images == ()


@pytest.mark.parametrize(
    ("caption", "cut", "expected"),
    [
        ("A. B b. C.", "B b.", "A. C."),
        ("A. B b.", "B b.", "A."),
        ("B b. C.", "B b.", "C."),
        ("- A.\n- B b.\n- C.", "B b.", "- A.\n- C."),
        ("A.\n\nB b.\n\nC.", "B b.", "A.\n\n\nC."),
        ("A.\n- B b.", "B b.", "A."),
        ("B b.", "B b.", ""),
        ("A.  B b.\r\nC.", "B b.", "A.\r\nC."),
    ],
)
def test_a_deleted_sentence_leaves_no_hole(caption, cut, expected):
    start = caption.index(cut)
    assert reassemble(caption, {(start, start + len(cut)): ""}) == expected


def test_two_deletions_in_a_row_and_a_rewrite():
    caption = "One a. Two b. Three c. Four d."
    edits = {(0, 6): "", (7, 13): "", (14, 22): "3 c."}
    assert reassemble(caption, edits) == "3 c. Four d."
    with pytest.raises(ValueError, match="overlap"):
        reassemble(caption, {(0, 6): "", (5, 8): ""})


def span(sentence, word):
    start = sentence.index(word)
    return start, start + len(word)


@pytest.mark.parametrize(
    ("sentence", "words", "expected"),
    [
        ("A man is standing next to a bus with a handbag.", ["handbag"], "A man is standing next to a bus."),
        ("There are a chair, a handbag, and a dog.", ["handbag"], "There are a chair and a dog."),
        ("There is a dog and a cat on a sofa.", ["cat"], "There is a dog."),
        ("In the kitchen, a man is cooking.", ["kitchen"], "A man is cooking."),
        ("Handbags are on the floor.", ["Handbags"], ""),
        ("There is a handbag.", ["handbag"], ""),
        ("The woman is wearing a backpack, which is visible on her back.", ["backpack"], ""),
        ("A dog sits here, and a car is parked behind it.", ["car"], "A dog sits here."),
        ("A man holds a bat, and the boy wears a hat.", ["bat"], "The boy wears a hat."),
        ("A car and a person are on the street.", ["person"], "A car is on the street."),
        ("There are cups, forks, and knives on the table.", ["forks", "knives"], "There are cups."),
        ("The kitchen is filled with bottles.", ["bottles"], ""),
        ("A cake, which is on a table, looks good.", ["table"], "A cake looks good."),
    ],
)
def test_the_baseline_takes_the_phrase_out(sentence, words, expected):
    assert without_concepts([sentence], [[span(sentence, w) for w in words]]) == [expected]


def test_nothing_to_cut_is_no_revision():
    assert without_concepts(["A dog sits.", "A cat."], [[], [(6, 6)]]) == [None, None]


def test_self_consistency_counts_everything_once():
    yes, no = Factuality(0.9, "Entailment", "label"), Factuality(0.1, "Non-entailment", "label")
    rows = [
        Revision("a", yes),
        Revision("b", no),
        Revision("", None),
        Unscored("x"),
        Revision("c", Unscored("y")),
    ]
    found = self_consistency(rows)
    assert (found.flagged, found.judged, found.accepted, found.deleted, found.unscored) == (5, 2, 1, 1, 2)
    assert found.rate == 0.5
    assert self_consistency([]).rate is None
