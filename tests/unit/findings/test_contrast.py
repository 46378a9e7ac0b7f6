"""v by contrast: the trigger wins over what is merely frequent."""

import numpy as np
import pytest

from core.findings.contrast import contrast_features, hypergeometric_z
from core.findings.features import pairs_from_captions, pairs_from_objects, pairs_from_references, same_thing

NONE = np.zeros(0, np.int64)


def planted(n=600, seed=3):
    """Errors on 60 % of bus images and 3 % of others; 'person' is everywhere."""
    rng = np.random.default_rng(seed)
    bus = rng.random(n) < 0.1
    wrong = rng.random(n) < np.where(bus, 0.6, 0.03)
    objects = [
        ["person"] * int(rng.random() < 0.9) + ["bus"] * int(b) + ["dog"] * int(rng.random() < 0.2)
        for b in bus
    ]
    return wrong, objects


def test_the_trigger_beats_the_frequent():
    wrong, objects = planted()
    found = contrast_features(wrong, pairs_from_objects(objects).table(NONE), without=["handbag"])
    assert found.candidates[0].text == "bus"
    assert found.log_p < -20


def test_the_fact_itself_is_no_candidate():
    wrong, objects = planted()
    found = contrast_features(wrong, pairs_from_objects(objects).table(NONE), without=["bus"])
    assert "bus" not in [v.text for v in found.candidates]


def test_nothing_associated_gives_no_candidate():
    found = contrast_features(
        np.array([True, False] * 4), pairs_from_objects([["a"]] * 8).table(NONE), without=[]
    )
    assert found.candidates == ()


def test_samples_without_knowledge_are_in_no_table():
    objects = [["bus"], ["bus"], [], [], None, None]
    wrong = np.array([True, True, False, False, True, True])
    table = pairs_from_objects(objects).table(NONE)
    assert table.known.tolist() == [True, True, True, True, False, False]
    found = contrast_features(wrong, table, without=[])
    assert found.log_p == pytest.approx(np.log(1 / 6))


def test_mentions_inside_the_facts_in_question_do_not_count():
    facts = [(0, 0, ["bus", "handbag"]), (0, 1, ["tree"]), (1, 2, ["bus"]), (1, 3, ["tree"]), (2, 4, ["bus"])]
    pairs = pairs_from_captions(facts, 3)
    assert pairs.table(NONE).column("bus").tolist() == [True, True, True]
    assert pairs.table(np.array([0])).column("bus").tolist() == [False, True, True]
    assert pairs.table(NONE).column("unheard of").tolist() == [False] * 3


def test_rare_features_are_left_out_and_repeats_count_once():
    pairs = pairs_from_references([{"bus"}, {"bus", "rare"}, set()], [True, True, False])
    assert pairs.names == ("bus",)
    table = pairs_from_objects([["bus", "bus"], ["bus"]]).table(NONE)
    assert table.present.toarray().tolist() == [[1], [1]]


def test_same_thing_in_free_text_and_in_a_vocabulary():
    features = ["handbag", "leather handbag", "bag", "bus"]
    assert same_thing("handbag", features, closed_vocabulary=False) == ["handbag", "leather handbag"]
    assert same_thing("leather handbag", features, closed_vocabulary=False) == ["handbag", "leather handbag"]
    assert same_thing("bear", ["teddy bear"], closed_vocabulary=True) == ["bear"]


def test_z_is_zero_at_chance_and_signed():
    z = hypergeometric_z(np.array([10, 20, 5]), 100, np.array([20.0, 20.0, 20.0]), 50)
    assert z[0] == pytest.approx(0)
    assert z[1] > 4
    assert z[2] < -2
