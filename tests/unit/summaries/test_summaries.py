"""t by votes of misaligned facts; v by the paper's rule."""

from core.summaries.symbal_1_textual_fact import concept_votes, textual_facts
from core.summaries.symbal_2_visual_feature import most_frequent_features


def test_votes_count_facts_not_mentions_and_break_ties_by_name():
    votes = concept_votes([["dog", "dog", "cat"], ["cat"], ["bus", "dog"]])
    assert [(v.text, v.weight) for v in votes] == [("cat", 2), ("dog", 2), ("bus", 1)]


def test_a_cluster_may_hold_two_recurring_errors():
    facts = textual_facts([["handbag"]] * 6 + [["backpack"]] * 4 + [["dog"]])
    assert [t.text for t in facts] == ["handbag", "backpack"]
    assert [v.text for v in facts[1].candidates] == ["backpack", "handbag", "dog"]


def test_what_does_not_recur_is_no_textual_fact():
    assert textual_facts([["a"], ["b"], ["c"]]) == []
    assert textual_facts([]) == []
    assert [t.text for t in textual_facts([["a"]] * 30 + [["b"]] * 3)] == ["a"]


def test_papers_rule_names_the_most_frequent_feature():
    votes = most_frequent_features(
        [["bus", "person"], ["person"], ["handbag", "person"]], without=["handbag"]
    )
    assert [(v.text, v.weight) for v in votes] == [("person", 3), ("bus", 1)]
