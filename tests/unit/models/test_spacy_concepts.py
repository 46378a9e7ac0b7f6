"""Concepts: what a sentence names, in lemmas, without what it denies."""

import pytest

from core.models.embedded.spacy_concepts import SpacyConcepts


@pytest.fixture(scope="module")
def extractor():
    return SpacyConcepts()


def names(extractor, sentence):
    return [c.text for c in extractor.extract([sentence])[0]]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A man is holding a red handbag.", ["man", "handbag"]),
        ("There are several cups on the dining table.", ["cup", "dining table"]),
        ("Two traffic lights hang above the street.", ["traffic light", "street"]),
        ("The image features a variety of shoes.", ["shoe"]),
        ("The heart size is normal. No pneumothorax or pleural effusion.", ["heart size"]),
        ("A kitchen without a refrigerator.", ["kitchen"]),
    ],
)
def test_concepts_are_lemmatised_compounds(extractor, sentence, expected):
    assert names(extractor, sentence) == expected


def test_adjectives_are_kept_apart(extractor):
    (concepts,) = extractor.extract(["An old dog and a small red handbag."])
    assert [(c.text, c.phrase) for c in concepts] == [("dog", "old dog"), ("handbag", "small red handbag")]


def test_offsets_point_at_the_phrase(extractor):
    sentence = "A man is holding a red handbag."
    spans = [sentence[c.start : c.end] for c in extractor.extract([sentence])[0]]
    assert spans == ["man", "red handbag"]


def test_equal_sentences_get_equal_concepts_in_order(extractor):
    found = extractor.extract(["A dog.", "A cat.", "A dog.", ""])
    assert [[c.text for c in f] for f in found] == [["dog"], ["cat"], ["dog"], []]


def test_capitals_are_read_like_lower_case(extractor):
    assert names(extractor, "A DOG ON A SOFA") == names(extractor, "a dog on a sofa")


def test_adjective_and_noun_that_make_one_name_stay_together(extractor):
    (concepts,) = extractor.extract(["Two hot dogs, a hot dry dog and a polar bear."])
    assert [(c.text, c.head) for c in concepts] == [
        ("hot dog", "hot dog"),
        ("dog", "dog"),
        ("polar bear", "bear"),
    ]
