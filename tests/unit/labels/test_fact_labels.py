"""Verdicts on sentences: targets, and agreement of annotators."""

import pytest
from sklearn.metrics import cohen_kappa_score

from core.labels.fact_labels import (
    FACT_VERDICTS,
    agreements,
    cohen_kappa,
    fact_target,
    place_of,
    verdicts_by_annotator,
)
from core.labels.verdicts import LabelStore

PLACES = [("s:1\nx", 0, 9), ("s2", 10, 20), ("s3", 0, 4)]


def give(store, place, verdict, name):
    return store.give(fact_target(place), verdict, annotator=name, dataset="d", run_id="r")


@pytest.mark.parametrize("place", PLACES)
def test_a_target_gives_back_its_place(place):
    assert place_of(fact_target(place)) == place


@pytest.mark.parametrize("target", ["finding:abc", "revision:0-9:s", "fact:a-b:s", "fact:1:s"])
def test_other_targets_are_no_sentence(target):
    assert place_of(target) is None


def test_kappa_is_the_usual_one():
    first = [FACT_VERDICTS[i % 4] for i in range(40)]
    second = [FACT_VERDICTS[i % 4 if i % 3 else 0] for i in range(40)]
    assert cohen_kappa(list(zip(first, second, strict=True))) == pytest.approx(
        cohen_kappa_score(first, second)
    )
    assert cohen_kappa([]) is None
    assert cohen_kappa([("Entailment", "Entailment")] * 5) is None, "chance alone would agree"
    assert cohen_kappa([("Entailment", "Neutral")] * 5) == 0


def test_agreement_counts_shared_sentences_and_what_holds(tmp_path):
    store = LabelStore(tmp_path)
    for place in PLACES:
        give(store, place, "Entailment", "ann")
    give(store, PLACES[0], "Contradiction", "bob")
    give(store, PLACES[0], "Entailment", "bob")
    give(store, PLACES[1], "Neutral", "bob")
    give(store, PLACES[2], "Neutral", "bob")
    store.undo(fact_target(PLACES[2]), "bob")
    give(store, ("other", 0, 1), "Neutral", "cleo")
    (found,) = agreements(verdicts_by_annotator(store.labels()), "ann")
    assert (found.other, found.n, found.equal) == ("bob", 2, 0.5)
    assert agreements(verdicts_by_annotator(store.labels()), "nobody") == ()
