"""From clusters to ranked findings."""

import numpy as np

from core.domain.cluster import Cluster
from core.domain.finding import TextualFact, Vote
from core.findings.features import pairs_from_objects
from core.findings.systematic_misalignment import (
    ErrorIndicator,
    Stage2,
    TextualError,
    candidate,
    finding_id,
    rank_findings,
    textual_errors,
)

NONE = np.zeros(0, np.int64)


def cluster(number, rank):
    return Cluster(number, 10, 10, 0, 0.5, None, rank)


def named(text):
    return TextualFact(text, (Vote(text, 5.0),))


def test_a_fact_of_several_clusters_is_one_error_with_the_worst_cluster():
    facts = {7: [named("handbag")], 3: [named("chair"), named("handbag")], 9: [named("dog")]}
    ranked = [cluster(7, 1), cluster(3, 2), cluster(9, None)]
    errors = textual_errors(ranked, lambda c: facts[c.cluster_id], top_k=10)
    assert [(e.textual_fact.text, e.cluster.cluster_id, e.also_in) for e in errors] == [
        ("handbag", 7, (3,)),
        ("chair", 3, ()),
    ]


def test_only_the_worst_clusters_are_looked_at():
    ranked = [cluster(i, i + 1) for i in range(90)]
    errors = textual_errors(ranked, lambda c: [named(f"t{c.cluster_id}")], top_k=2)
    assert [e.textual_fact.text for e in errors] == [f"t{i}" for i in range(60)]


def make(text, rank, wrong, objects, rule="contrast", stage2=None):
    table = pairs_from_objects(objects).table(NONE)
    error = TextualError(named(text), cluster(rank, rank), ())
    indicator = ErrorIndicator(wrong, np.flatnonzero(wrong))
    return candidate(error, indicator, table, stage2 or Stage2(None, ()), rule, [text])


OBJECTS = [["bus"]] * 10 + [["cat"]] * 40 + [["dog"]] * 50


def test_findings_are_ordered_by_strength_of_association():
    strong = np.zeros(100, bool)
    strong[:8] = True
    diffuse = np.arange(100) % 3 == 0
    found = rank_findings(
        [make("chair", 1, diffuse, OBJECTS), make("handbag", 2, strong, OBJECTS)],
        10,
        [f"s{i}" for i in range(100)],
    )
    assert next((f.rank, f.textual_fact.text, f.visual_feature.text) for f in found) == (1, "handbag", "bus")
    assert found[0].association.wrong_present == 8
    assert found[0].example_sample_ids == tuple(f"s{i}" for i in range(8))
    assert found[0].finding_id == finding_id("handbag", "bus")


def test_top_k_limits_the_list():
    strong = np.arange(100) < 8
    found = rank_findings([make(f"t{i}", i, strong, OBJECTS) for i in range(5)], 3, [""] * 100)
    assert [f.rank for f in found] == [1, 2, 3]


def test_the_papers_rule_takes_the_frequent_feature_of_the_image_cluster():
    wrong = np.arange(100) < 8
    stage2 = Stage2(cluster(0, 1), (Vote("dog", 4.0), Vote("bus", 2.0)))
    found = make("handbag", 1, wrong, OBJECTS, rule="paper", stage2=stage2)
    assert found.visual_feature.text == "dog"
    assert found.visual_feature.rule == "paper"
    assert found.association.wrong_present == 0


def test_an_error_without_any_trigger_is_kept_without_a_feature():
    wrong = np.arange(100) < 1
    found = make("handbag", 1, wrong, OBJECTS)
    assert found.visual_feature.text == ""
    assert found.association.risk_ratio is None
