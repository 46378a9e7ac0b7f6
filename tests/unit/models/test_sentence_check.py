"""What is left of a sentence must still be one."""

import pytest

from core.models.embedded.sentence_check import faults


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The player is in the field, indicating a game.", "The player is, indicating a game."),
        ("A man is holding a handbag near a bus.", "A man is holding near a bus."),
        ("There is a handbag on the table.", "There is on the table."),
        ("The scene includes a couch, a chair, and a tv.", "The scene includes a couch and."),
        (
            "One cup is on the table, and another is near the bowl.",
            "One cup is on the table, and another is.",
        ),
        ("People stand around, some of them holding umbrellas.", "People stand around, some of them."),
        ("A man sits on a chair.", "A man sits on."),
        ("Two dogs, a cat and a bird are near.", "Two dogs, are near."),
        ("A man sits on a chair.", "A man."),
    ],
)
def test_a_broken_sentence_is_named(before, after):
    assert faults([(before, after)])[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A man is sitting on a chair with a dog.", "A man is sitting on a chair."),
        (
            "There are several cars and a truck in the background.",
            "There are several cars in the background.",
        ),
        ("A table is set with plates, cups, and forks.", "A table is set with plates and forks."),
        ("In the background, a car and a person can be seen.", "In the background, a car can be seen."),
        ("The man enjoys his meal, with a cup nearby.", "The man enjoys his meal."),
        ("A red bus on the street near a car.", "A red bus on the street."),
    ],
)
def test_a_whole_sentence_passes(before, after):
    assert faults([(before, after)]) == [""]


def test_each_pair_has_its_own_answer_in_order():
    good, bad = ("A dog runs fast here.", "A dog runs fast."), ("A dog sees a cat.", "A dog sees.")
    assert [bool(f) for f in faults([good, bad, good])] == [False, True, False]
    assert faults([]) == []
