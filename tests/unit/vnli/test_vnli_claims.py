"""Claims: every sentence once, with exactly the text before it. Paper: VNLI-Critique 4.1."""

import pytest

from core.facts.vnli_claims import claims_of, claims_of_sentences, nothing_to_assess

CAPTIONS = [
    "Dr. Smith stands at 5 p.m. by a St. Bernard. It sleeps.",
    'A sign reads "Stop. Go back." on a wall. Two men read it.',
    "The photo shows:\n\n- a red car.\n- two dogs, e.g. a poodle.\n1. a cat\n\nAll of them sleep.",
    "Text 3.5 m high. “Open.” says the door! Why? Nobody knows…",
]


@pytest.mark.parametrize("caption", CAPTIONS)
def test_prefix_and_text_are_the_caption_to_the_character(caption):
    claims = claims_of("s", caption, 10)
    assert [c.fact_id for c in claims] == list(range(10, 10 + len(claims)))
    for claim in claims:
        assert claim.prefix == caption[: claim.start]
        assert claim.text == caption[claim.start : claim.end]
        assert caption.startswith(claim.prefix + claim.text)


def test_abbreviations_quotes_and_lists_do_not_move_the_prefix():
    first = claims_of("s", CAPTIONS[0])
    assert [c.text for c in first] == ["Dr. Smith stands at 5 p.m. by a St. Bernard.", "It sleeps."]
    assert first[1].prefix == "Dr. Smith stands at 5 p.m. by a St. Bernard. "
    listed = claims_of("s", CAPTIONS[2])
    assert [c.text for c in listed] == [
        "The photo shows:", "a red car.", "two dogs, e.g. a poodle.", "a cat", "All of them sleep.",
    ]  # fmt: skip
    assert listed[3].prefix.endswith("- two dogs, e.g. a poodle.\n1. ")
    assert claims_of("s", CAPTIONS[1])[-1].prefix.endswith(" on a wall. ")


def test_given_sentences_are_joined_into_one_caption():
    claims = claims_of_sentences("s", ["A dog.", "It runs!"], 3)
    assert [(c.text, c.prefix, c.start, c.end) for c in claims] == [
        ("A dog.", "", 0, 6),
        ("It runs!", "A dog. ", 7, 15),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I hope this helps!",
        "Would you like more detail?",
        "**Description:**",
        "Here is a detailed description of the image:",
    ],
)
def test_what_says_nothing_about_the_image(text):
    assert nothing_to_assess(text)


@pytest.mark.parametrize(
    "text",
    [
        "A dog.",
        "The image is blurry.",
        "There are 3.",
        "Here is a dog on a sofa.",
        "Overall, the image is calm.",
        "Main street.",
    ],
)
def test_what_may_be_wrong_is_assessed(text):
    assert not nothing_to_assess(text)
