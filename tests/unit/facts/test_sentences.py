"""Sentences of real kinds of captions, and the properties every splitting has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.sample import Sample
from core.facts.sentences import facts_of, split_sentences


def sentences(text):
    return [text[a:b] for a, b in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 man surfing in the ocean", ["1 man surfing in the ocean"]),
        ("A dog. A cat.\n\nA bird", ["A dog.", "A cat.", "A bird"]),
        ("a dog on a sofa. a cat on a bed.", ["a dog on a sofa.", "a cat on a bed."]),
        ("Mr. Smith walks. Dr. No. 5 is here.", ["Mr. Smith walks.", "Dr. No. 5 is here."]),
        ("He left at 5 p.m. The dog sat.", ["He left at 5 p.m.", "The dog sat."]),
        ("Tools, e.g. a saw, i.e. this one. Done.", ["Tools, e.g. a saw, i.e. this one.", "Done."]),
        ("The U.S. Army parades. It rains.", ["The U.S. Army parades.", "It rains."]),
        ("A nodule of 3.5 cm is seen. No effusion.", ["A nodule of 3.5 cm is seen.", "No effusion."]),
        ("1. No acute disease. 2. Small nodule.", ["No acute disease.", "Small nodule."]),
        ("Normal chest x-XXXX. T12. Clear lungs.", ["Normal chest x-XXXX.", "T12.", "Clear lungs."]),
        ("Findings:\n- A dog.\n- A cat", ["Findings:", "A dog.", "A cat"]),
        ("# Title\nSome text. More.", ["Title", "Some text.", "More."]),
        ("subjective and \ncan vary. It \ndepends", ["subjective and \ncan vary.", "It \ndepends"]),
        ('He said "Stop!" and left. "Go." She ran', ['He said "Stop!" and left.', '"Go."', "She ran"]),
        ("Really?! Yes... maybe. No", ["Really?!", "Yes... maybe.", "No"]),
        ("图片里有一只狗。它在跑！", ["图片里有一只狗。", "它在跑！"]),
        ("It cost 3.99. 2014 was good.", ["It cost 3.99.", "2014 was good."]),
        ("A photo by A. B. Smith. The end", ["A photo by A. B. Smith.", "The end"]),
        ("| a | b |\n|---|---|\n| c | d |", ["a | b", "c | d"]),
        ("", []),
        (" \n ... \n--- 😀", []),
    ],
)
def test_sentences(text, expected):
    assert sentences(text) == expected


def test_facts_carry_place_and_span():
    facts = facts_of(Sample("s", "A dog. A cat."), 10)
    assert [(f.fact_id, f.position, f.text, f.start, f.end) for f in facts] == [
        (10, 0, "A dog.", 0, 6),
        (11, 1, "A cat.", 7, 13),
    ]


pieces = st.sampled_from(
    [
        "A dog",
        "a cat",
        " ",
        ". ",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "e.g. ",
        '"',
        "!? ",
        "…",
        "。",
        "# ",
        "|",
        "X.",
        "2014",
    ]
)


@given(st.lists(pieces, max_size=40).map("".join) | st.text(max_size=200))
def test_spans_are_ordered_disjoint_and_trimmed(text):
    end = 0
    for a, b in split_sentences(text):
        assert end <= a < b <= len(text)
        assert text[a:b] == text[a:b].strip()
        end = b


@given(st.lists(pieces, max_size=40).map("".join) | st.text(max_size=200))
def test_what_is_left_out_is_white_space_or_decoration(text):
    spans = split_sentences(text)
    gaps = [
        text[a:b]
        for a, b in zip([0, *[b for _, b in spans]], [*[a for a, _ in spans], len(text)], strict=True)
    ]
    for gap in gaps:
        words = [w for w in gap.split() if any(c.isalpha() for c in w)]
        assert words == [], gap


@pytest.mark.timeout(60)  # a guard against hanging: quadratic work would take hours
@pytest.mark.parametrize(
    "piece", ["a. ", "A. ", "\n \n- 1. ", ".", "x", "1. ", "# ", "e.g. ", "\n", "(", '."', "。"]
)
def test_long_texts_of_one_piece_do_not_hang(piece):
    text = piece * (2_000_000 // len(piece)) + ". A"
    spans = split_sentences(text)
    assert all(a < b for a, b in spans)
