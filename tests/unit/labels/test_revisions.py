"""Decisions on revised sentences: kept at once, taken back by undo, used only where annotators agree."""

from __future__ import annotations

import pytest

from core.labels.revisions import (
    accepted_revisions,
    decisions,
    place_of,
    revised_caption,
    revision_target,
    revision_verdict,
    unrepaired,
)
from core.labels.verdicts import LabelStore

CAPTION = "A dog sits.  A cat sleeps. The end."
DOG, CAT = ("a:1-2:b", 0, 11), ("a:1-2:b", 13, 26)


def give(store, place, verdict, text=None, annotator="ann", run_id="run-1"):
    one = revision_verdict(place, verdict, text)
    return store.give_many([one], annotator=annotator, dataset="d" * 8, run_id=run_id)[0]


@pytest.mark.parametrize("sample_id", ["x", "a:1-2:b", "line\nbreak", "", "revision:3-4:z"])
def test_a_target_names_its_sentence_whatever_the_sample_is_called(sample_id):
    assert place_of(revision_target(sample_id, 3, 40)) == (sample_id, 3, 40)


def test_targets_of_findings_are_no_revisions():
    assert place_of("finding:abc") is None


def test_accepted_edited_and_deleted_sentences_are_used_rejected_ones_are_not(tmp_path):
    store = LabelStore(tmp_path)
    give(store, DOG, "edited", "A fox sits.")
    give(store, CAT, "accepted", "")
    give(store, ("other", 0, 4), "rejected")
    accepted = accepted_revisions(LabelStore(tmp_path))
    assert {s: {span: d.text for span, d in by.items()} for s, by in accepted.items()} == {
        "a:1-2:b": {(0, 11): "A fox sits.", (13, 26): ""}
    }
    assert revised_caption(CAPTION, accepted["a:1-2:b"]) == "A fox sits.  The end."
    assert decisions(store)[("other", 0, 4)].verdict == "rejected"
    assert unrepaired([DOG, ("other", 0, 4), CAT], accepted) == [("other", 0, 4)]


def test_undo_brings_the_decision_before_back(tmp_path):
    store = LabelStore(tmp_path)
    give(store, DOG, "accepted", "A fox sits.")
    give(store, DOG, "rejected")
    assert accepted_revisions(store) == {}
    store.undo(revision_target(*DOG), "ann")
    assert accepted_revisions(store)["a:1-2:b"][(0, 11)].text == "A fox sits."
    assert len(store.history(revision_target(*DOG))) == 3


def test_many_are_saved_and_taken_back_at_once(tmp_path):
    store = LabelStore(tmp_path)
    places = [("s", i, i + 1) for i in range(200)]
    give(store, places[0], "rejected")
    many = [revision_verdict(p, "accepted", "x") for p in places]
    store.give_many(many, annotator="ann", dataset="d", run_id="r")
    assert len(accepted_revisions(store)["s"]) == 200
    taken = store.undo_many([revision_target(*p) for p in places], "ann")
    assert len(taken) == 200
    assert {p: d.verdict for p, d in decisions(store).items()} == {places[0]: "rejected"}


def test_annotators_who_differ_leave_the_sentence_as_it_is(tmp_path):
    store = LabelStore(tmp_path)
    give(store, DOG, "accepted", "A fox sits.")
    give(store, DOG, "edited", "A wolf sits.", annotator="bob")
    assert accepted_revisions(store) == {}
    assert decisions(store)[DOG].disputed
    give(store, DOG, "edited", "A fox sits.", annotator="bob")
    assert decisions(store)[DOG].verdict == "accepted"
    assert len(decisions(store)[DOG].labels) == 2


def test_decisions_of_one_run_are_read_apart(tmp_path):
    store = LabelStore(tmp_path)
    give(store, DOG, "accepted", "A fox sits.", run_id="one")
    give(store, CAT, "accepted", "", run_id="two")
    assert list(accepted_revisions(store, "one")["a:1-2:b"]) == [(0, 11)]
    assert list(accepted_revisions(store)["a:1-2:b"]) == [(0, 11), (13, 26)]


def test_a_text_belongs_to_every_decision_but_a_rejection():
    with pytest.raises(ValueError, match="accepted"):
        revision_verdict(DOG, "accepted", None)
    with pytest.raises(ValueError, match="rejected"):
        revision_verdict(DOG, "rejected", "text")


def test_an_accepted_label_without_its_text_is_not_used(tmp_path):
    store = LabelStore(tmp_path)
    store.give(revision_target(*DOG), "accepted", annotator="ann", dataset="d", run_id="r")
    assert accepted_revisions(store) == {}
