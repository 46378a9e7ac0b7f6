"""Concepts against a closed vocabulary: what is judged, as what, and what is left alone."""

import pytest

from core.domain.fact import Concept
from core.models.embedded.minilm import MiniLM
from core.scores.vocabulary import Match, ObjectVocabulary, unsupported_matches

TERMS = [
    "person", "car", "couch", "tv", "dining table", "tennis racket", "skis", "teddy bear", "bear", "bicycle",
    "motorcycle", "airplane", "bed", "toothbrush", "clock", "bus", "handbag", "hot dog", "dog",
    "refrigerator", "truck", "cat",
]  # fmt: skip


@pytest.fixture(scope="module")
def vocabulary():
    return ObjectVocabulary(TERMS, {"skis": "ski"}, MiniLM())


def term(vocabulary, text):
    (match,) = vocabulary.match([Concept(text, text.split()[-1], 0, len(text))])
    return match.term if match else None


@pytest.mark.parametrize(
    ("concept", "expected"),
    [
        ("bus", "bus"), ("city bus", "bus"), ("hot dog", "hot dog"), ("dog", "dog"), ("police dog", "dog"),
        ("teddy bear", "teddy bear"), ("bear", "bear"), ("man", "person"), ("surfer", "person"),
        ("child", "person"), ("sofa", "couch"), ("television", "tv"), ("bike", "bicycle"), ("ski", "skis"),
        ("fridge", "refrigerator"), ("table", "dining table"), ("racket", "tennis racket"),
        ("plane", "airplane"), ("tooth brush", "toothbrush"), ("motor cycle", "motorcycle"),
    ],
)  # fmt: skip
def test_names_of_the_vocabulary_are_found(vocabulary, concept, expected):
    assert term(vocabulary, concept) == expected


@pytest.mark.parametrize(
    "concept",
    [
        "clock tower",
        "tennis",
        "bedroom",
        "tennis court",
        "vehicle",
        "animal",
        "bus stop",
        "joy",
        "grass",
        "bathroom",
        "ceiling fan",
        "car bed",
        "bus car",
    ],
)
def test_other_things_are_not_judged(vocabulary, concept):
    assert term(vocabulary, concept) is None


def test_adjectives_may_make_another_thing(vocabulary):
    phrases = [("dog", "hot dog"), ("dog", "big dog"), ("bear", "teddy bear")]
    found = vocabulary.match([Concept(t, t, 0, 1, phrase) for t, phrase in phrases])
    assert [m.term for m in found] == ["hot dog", "dog", "teddy bear"]


def test_an_empty_vocabulary_judges_nothing():
    assert term(ObjectVocabulary([], {}, MiniLM()), "dog") is None


def test_guesses_need_the_data_behind_them():
    seen = {
        ("glass", Match("wine glass", "head", 0.8)): [True] * 3 + [False] * 9,
        ("table", Match("dining table", "head", 0.7)): [True] * 7 + [False] * 5,
        ("sofa", Match("couch", "synonym", 0.86)): [True] * 10 + [False] * 2,
        ("bathroom", Match("toilet", "synonym", 0.79)): [True] * 7 + [False] * 5,
        ("fridge", Match("refrigerator", "synonym", 0.96)): [False] * 2,
        ("rack", Match("tennis racket", "synonym", 0.69)): [True] * 2,
        ("sign", Match("stop sign", "head", 0.74)): [True] * 4,
    }
    assert {concept for concept, _ in unsupported_matches(seen)} == {"glass", "bathroom", "rack", "sign"}
