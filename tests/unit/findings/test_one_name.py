"""Names of one thing count as one feature."""

from __future__ import annotations

import numpy as np

from core.findings.features import pairs_from_references, same_thing
from core.findings.one_name import features_of, frequent_names, one_name

NONE = np.zeros(0, np.int64)


def rows(*angles):
    return np.array([[np.cos(a), np.sin(a)] for a in angles], np.float32)


def test_a_name_joins_the_most_frequent_of_nearly_equal_ones():
    names = ["couch", "table", "sofa", "loveseat"]
    assert one_name(names, rows(0.0, 1.5, 0.1, 0.2)) == {"sofa": "couch", "loveseat": "couch"}


def test_joining_is_not_passed_on_through_a_joined_name():
    # "c" is near "b" but not near "a", which "b" is called by: it keeps its own name
    assert one_name(["a", "b", "c"], rows(0.0, 0.5, 1.0)) == {"b": "a"}


def test_a_person_and_a_thing_never_join():
    assert one_name(["snowboard", "snowboarder", "skier"], rows(0.0, 0.01, 0.9)) == {}


def test_a_space_in_which_everything_is_close_joins_only_the_closest():
    rng = np.random.default_rng(0)
    close = rng.normal(size=(40, 8)) * 0.05 + 1.0
    vectors = (close / np.linalg.norm(close, axis=1, keepdims=True)).astype(np.float32)
    assert len(one_name([f"n{i}" for i in range(40)], vectors)) <= 20


def test_no_names_and_one_name():
    assert one_name([], rows()) == {}
    assert one_name(["cat"], rows(0.0)) == {}


def test_most_frequent_names_come_first_ties_by_alphabet():
    assert frequent_names({"b": 2, "a": 2, "c": 9, "d": 1}, 3) == ["c", "a", "b"]


def test_people_are_also_a_person():
    assert features_of({"tennis player", "player", "racket"}, {"racket": "racquet"}) == {
        "tennis player",
        "player",
        "person",
        "racquet",
    }
    assert "person" not in features_of({"dog"}, {})


def test_a_feature_under_two_names_is_counted_as_one_and_never_explains_itself():
    called = {"sofa": "couch"}
    pairs = pairs_from_references([{"couch"}, {"sofa"}, {"sofa", "lamp"}, {"lamp"}], [True] * 4, (), called)
    table = pairs.table(NONE)
    assert "sofa" not in table.names
    assert table.column("couch").tolist() == [True, True, True, False]
    features = ["couch", "leather couch", "lamp", "person"]
    assert same_thing("sofa", features, closed_vocabulary=False, called=called) == ["couch", "leather couch"]
    assert same_thing("man", features, closed_vocabulary=False) == ["person"]
