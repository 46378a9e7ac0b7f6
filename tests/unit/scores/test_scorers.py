"""Alignment scorers: direction, unscored cases, explanations."""

import numpy as np
import pytest

from core.domain.fact import Concept, Fact
from core.domain.judgement import Scored, Unscored
from core.domain.provenance import ModelIdentity
from core.domain.sample import Sample
from core.domain.scoring import ScoringItem
from core.errors import ConfigError
from core.models.embedded.minilm import MiniLM
from core.scores.objects_match import ObjectsScorer
from core.scores.reference_match import ReferenceScorer
from core.scores.symbal_embedding import EmbeddingScorer
from core.scores.vocabulary import ObjectVocabulary


def concept(text):
    return Concept(text, text.split()[-1], 0, len(text))


def item(concepts, *, objects=None, references=(), reference_concepts=(), text=None, image=None):
    fact = Fact(0, "s", 0, "a sentence", 0, 10)
    sample = Sample("s", "a sentence", objects=objects, references=references)
    named = tuple(map(concept, concepts))
    return ScoringItem(fact, sample, named, tuple(map(concept, reference_concepts)), text, image)


@pytest.fixture(scope="module")
def text():
    return MiniLM()


@pytest.fixture
def objects_scorer(text):
    return ObjectsScorer(ObjectVocabulary(["bus", "handbag", "couch", "wine glass"], {}, text), text.identity)


def test_objects_present_are_aligned(objects_scorer):
    (found,) = objects_scorer.score([item(["bus", "sofa", "sky"], objects=("bus", "couch"))])
    assert isinstance(found, Scored)
    assert (found.value, found.unsupported) == (1.0, ())


def test_one_missing_object_makes_the_fact_wrong_and_is_named(objects_scorer):
    (found,) = objects_scorer.score([item(["bus", "handbag"], objects=("bus",))])
    assert isinstance(found, Scored)
    assert (found.value, found.unsupported) == (0.0, ("handbag",))
    assert "handbag" in found.explanation


def test_said_as_another_word_is_told(objects_scorer):
    (found,) = objects_scorer.score([item(["sofa"], objects=("bus",))])
    assert found.unsupported == ("couch",)
    assert "sofa" in found.explanation


def test_facts_without_vocabulary_words_or_lists_are_unscored(objects_scorer):
    found = objects_scorer.score([item(["sky"], objects=("bus",)), item(["bus"], objects=None)])
    assert [f.reason for f in found] == ["no judged concept", "no objects"]


def test_empty_object_list_is_knowledge(objects_scorer):
    (found,) = objects_scorer.score([item(["bus"], objects=())])
    assert isinstance(found, Scored)
    assert found.value == 0.0


def test_calibration_takes_back_bad_guesses_only(objects_scorer):
    sample = Sample("s", "x", objects=("bus",))
    taken = objects_scorer.calibrate([(sample, (concept("glass"), concept("handbag")))] * 12)
    assert taken == {"glass"}
    (found,) = objects_scorer.score([item(["glass"], objects=("bus",))])
    assert isinstance(found, Unscored)
    (found,) = objects_scorer.score([item(["handbag"], objects=("bus",))])
    assert found.value == 0.0


def test_reference_support_is_the_weakest_link(text):
    scorer = ReferenceScorer(text)
    references = {"references": ("A man on a couch.",), "reference_concepts": ("man", "couch")}
    good, bad = scorer.score([item(["man", "sofa"], **references), item(["man", "giraffe"], **references)])
    assert good.value > 0.6 > bad.value
    assert bad.unsupported == ("giraffe",)
    assert bad.value < scorer.wrong_below(np.zeros(0))


def test_general_people_words_support_each_other(text):
    scorer = ReferenceScorer(text)
    (found,) = scorer.score([item(["person"], references=("x",), reference_concepts=("surfer",))])
    assert found.value == 1.0


def test_reference_scorer_leaves_what_it_cannot_judge(text):
    found = ReferenceScorer(text).score(
        [
            item(["dog"]),
            item([], references=("x",), reference_concepts=("dog",)),
            item(["dog"], references=("x",)),
        ]
    )
    assert [f.reason for f in found] == ["no reference", "no judged concept", "no reference concept"]


class Space:
    """Stands for an embedder: the scorer looks only at its space and identity."""

    def __init__(self, space):
        self.space = space
        self.identity = ModelIdentity("m-" + space, "1", "embedded")


def test_two_spaces_are_refused():
    with pytest.raises(ConfigError, match="one joint model"):
        EmbeddingScorer(Space("a"), Space("b"))


def test_embedding_scorer_is_cosine_and_higher_is_better():
    scorer = EmbeddingScorer(Space("a"), Space("a"))
    x, y = np.array([1, 0], np.float32), np.array([0.6, 0.8], np.float32)
    same, apart, none = scorer.score([item([], text=x, image=x), item([], text=x, image=y), item([], text=x)])
    assert same.value == pytest.approx(1.0)
    assert apart.value == pytest.approx(0.6)
    assert none.reason == "no image"


def test_background_standardises_against_the_datasets_images():
    rng = np.random.default_rng(0)
    images = rng.normal(size=(500, 8)).astype(np.float32)
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    scorer = EmbeddingScorer(Space("a"), Space("a"))
    scorer.fit_background(images)
    t = images[0]
    values = np.array([j.value for j in scorer.score([item([], text=t, image=i) for i in images])])
    cosines = images @ t
    assert values == pytest.approx((cosines - cosines.mean()) / cosines.std(ddof=1), abs=1e-3)
    assert scorer.wrong_below(values) == 0.0
