"""The Findings and Finding pages as data, from files as the engine writes them."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from core.errors import RunError
from core.views.finding import finding_view, rates_of, sentence_of, verdicts_view
from core.views.findings import finding_target, findings_view, is_believed, replication_of, scorer_notes
from core.views.gallery import GROUPS, cards_of, fact_spans, groups_of, said_as
from core.views.open_run import is_run_id, labels_of, open_run
from tests.pages import audit_fixture

HANDBAG = audit_fixture.finding_id("handbag", "bus")


@pytest.fixture
def run(workspace, finished):
    return open_run(workspace, finished)


def judge(run, finding_id, verdict, annotator="ann", note=""):
    store = labels_of(run.workspace, run.fingerprint)
    return store.give(
        finding_target(finding_id),
        verdict,
        annotator=annotator,
        dataset=run.fingerprint,
        run_id=run.run_id,
        note=note,
    )


def test_findings_in_rank_order_with_their_numbers(run):
    view = findings_view(run)
    assert [(r.rank, r.textual_fact, r.visual_feature) for r in view.rows] == [
        (1, "handbag", "bus"),
        (2, "chair", "tv"),
        (3, "mouse", "keyboard"),
    ]
    first = view.rows[0]
    assert first.risk_ratio == "4.0×"
    assert first.risk_ratio_interval == "95 % interval 1.1× to 14×"
    assert first.alignment == "0.50"
    assert first.cluster_size == 20
    assert view.no_effect < first.risk_ratio_bar.value < 100
    assert view.first_open == HANDBAG
    assert "60 captions" in view.facts
    assert "60 sentences could not be judged" in view.facts
    assert "1 row with problems" in view.facts


def test_verdicts_appear_in_the_list(run):
    judge(run, HANDBAG, "confirmed")
    view = findings_view(run)
    assert view.rows[0].verdict == "confirmed"
    assert view.n_judged == 1
    assert view.first_open == view.rows[1].finding_id
    judge(run, HANDBAG, "rejected", "bob")
    row = findings_view(run).rows[0]
    assert row.verdict == "disputed"
    assert row.verdict_detail == "ann: confirmed, bob: rejected"


def test_a_verdict_counts_for_every_run_on_the_same_data(run, root, workspace):
    judge(run, HANDBAG, "confirmed")
    other = open_run(workspace, audit_fixture.write_finished(root, "again-9z9z", images=False))
    assert findings_view(other).rows[0].verdict == "confirmed"


def test_baseline_and_approximate_scorers_are_said_so_in_words():
    notes = scorer_notes(
        {"scorer": {"name": "conse", "baseline": True, "approximate": "image classes stand in"}}
    )
    assert notes[0].startswith("Baseline scorer (conse)")
    assert notes[1] == "Scores are approximate: image classes stand in."
    assert scorer_notes({"scorer": {"name": "vlm", "baseline": False, "approximate": ""}}) == ()
    assert scorer_notes({}) == ()


@pytest.mark.parametrize("state", ["running", "failed", "cancelled"])
def test_a_run_without_findings_says_so(root, workspace, state):
    audit_fixture.write_run(root, "other-1", state)
    with pytest.raises(RunError, match="has no findings"):
        findings_view(open_run(workspace, "other-1"))


@pytest.mark.parametrize("run_id", ["", "..", "../../etc", "a/b", ".hidden", "nothere", "x" * 300])
def test_run_ids_never_leave_the_workspace(workspace, run_id):
    with pytest.raises(RunError, match="no such run"):
        open_run(workspace, run_id)


def test_is_run_id():
    assert is_run_id("llava-coco500-0123456789")
    assert not is_run_id("a..b")


def test_damaged_findings_are_one_sentence(run, workspace):
    (run.folder / "findings.json").write_text("{")
    with pytest.raises(RunError, match="a file of this run is damaged"):
        open_run(workspace, run.run_id)


def test_a_finding_in_words_and_numbers(run):
    view = finding_view(run, HANDBAG)
    assert (
        view.sentence == "Captions say ‘handbag’ wrongly 4.0 times as often when ‘bus’ is in the object list."
    )
    assert view.rates == "Wrong in 80 % of 10 captions with ‘bus’, in 20 % of 10 captions without."
    assert [(r.label, r.wrong, r.right, r.total, r.share) for r in view.table] == [
        ("‘bus’ present", "8", "2", "10", "80 %"),
        ("‘bus’ absent", "2", "8", "10", "20 %"),
    ]
    assert (view.previous, view.following) == (None, audit_fixture.finding_id("chair", "tv"))
    assert [(c.text, c.weight, c.chosen) for c in view.textual_candidates] == [
        ("handbag", "10", True),
        ("place", "2", False),
    ]
    assert view.visual_candidates[0].width == 100


def test_an_unknown_finding_is_one_sentence(run):
    with pytest.raises(RunError, match="no such finding"):
        finding_view(run, "nope")


def finding_of(wrong_present, wrong_absent, right_present, right_absent, risk_ratio, source="references"):
    return {
        "textual_fact": {"text": "t"},
        "visual_feature": {"text": "v", "presence_from": source},
        "association": {
            "wrong_present": wrong_present,
            "wrong_absent": wrong_absent,
            "right_present": right_present,
            "right_absent": right_absent,
            "risk_ratio": risk_ratio,
        },
    }


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        (finding_of(8, 0, 2, 9, 15.0), "Captions say ‘t’ wrongly only when the reference captions name ‘v’."),
        (
            finding_of(1, 5, 9, 5, 0.2, "rest of the caption"),
            "Captions say ‘t’ wrongly, but not more often when the rest of the caption names ‘v’ (0.20×).",
        ),
        (
            finding_of(3, 2, 0, 0, None, "something new"),
            "Captions say ‘t’ wrongly; how often when ‘v’ is present cannot be compared.",
        ),
    ],
)
def test_sentences_claim_no_more_than_the_table(finding, sentence):
    assert sentence_of(finding) == sentence


def test_rates_of_an_empty_margin():
    assert (
        rates_of(finding_of(3, 0, 1, 0, None))
        == "Wrong in 75 % of 4 captions with ‘v’, in – of 0 captions without."
    )


def test_groups_are_the_cells_of_the_table(run):
    groups = groups_of(run, HANDBAG)
    assert tuple(g.key for g in groups) == GROUPS
    assert [len(g.samples) for g in groups] == [8, 2, 2, 8]
    members = [i for g in groups for i, _ in g.samples]
    assert len(members) == len(set(members)) == 20
    assert all(audit_fixture.is_wrong(i) for i, _ in groups[0].samples)


def test_examples_come_first(run):
    findings = json.loads((run.folder / "findings.json").read_text())
    findings["findings"][0]["example_sample_ids"] = ["s018", "s006"]
    (run.folder / "findings.json").write_text(json.dumps(findings))
    again = open_run(run.workspace, run.run_id)
    assert [i for i, _ in groups_of(again, HANDBAG)[0].samples][:2] == [6, 18]


def test_unscored_sentences_are_not_shown_as_right(run, root):
    parts = sorted(run.need_stage("scores").glob("*.parquet"))
    for part in parts:
        table = pq.read_table(part)
        nulls = table.set_column(1, "value", [[None] * table.num_rows])
        pq.write_table(nulls.cast(table.schema), part)
    groups = groups_of(open_run(run.workspace, run.run_id), HANDBAG)
    assert [len(g.samples) for g in groups] == [8, 0, 2, 0]


def text_of(pieces, mark):
    return [p.text for p in pieces if p.mark == mark]


def test_a_card_marks_sentence_and_concept_and_keeps_script_as_text(run):
    group = groups_of(run, HANDBAG)[0]
    card = cards_of(run, HANDBAG, group, 0, 1)[0]
    assert card.sample_id == "s000"
    assert "".join(p.text for p in card.caption).startswith(audit_fixture.SCRIPT)
    assert text_of(card.excerpt, "concept") == ["red handbag"]
    assert "".join(text_of(card.excerpt, "sentence")) == "There is a  near the middle of it."
    assert [(c.text, c.is_feature) for c in card.objects] == [("person", False), ("bus", True)]
    assert text_of(card.references[0], "feature") == ["bus"]
    assert card.explanation == "not in the object list: handbag"
    assert card.alignment == "0.00"
    assert len(card.image) == 64


def test_cards_without_images(root, workspace):
    run = open_run(workspace, audit_fixture.write_finished(root, "text-1", images=False))
    cards = cards_of(run, HANDBAG, groups_of(run, HANDBAG)[0], 2, 5)
    assert len(cards) == 3
    assert all(card.image is None for card in cards)


def test_the_rest_of_the_caption_marks_v_in_the_caption(run):
    findings = json.loads((run.folder / "findings.json").read_text())
    findings["findings"][0]["visual_feature"] |= {"text": "picture", "presence_from": "rest of the caption"}
    (run.folder / "findings.json").write_text(json.dumps(findings))
    again = open_run(run.workspace, run.run_id)
    card = cards_of(again, HANDBAG, groups_of(again, HANDBAG)[0], 0, 1)[0]
    assert text_of(card.caption, "feature") == ["picture"]


def fact(text, concepts, explanation="", start=10):
    return {
        "text": text,
        "start": start,
        "end": start + len(text),
        "concepts": concepts,
        "explanation": explanation,
    }


def test_t_is_marked_where_the_scorer_says_it_is_said_by_another_word():
    men = {"text": "old man", "head": "man", "start": 4, "end": 11}
    spans = fact_spans(
        fact("Two old man.", [men], "not in the object list: person (said as 'old man')"), "person"
    )
    assert [(s.start, s.stop, s.mark) for s in spans] == [(10, 22, "sentence"), (14, 21, "concept")]
    assert said_as("person (said as 'old man'), dog", "person") == {"old man"}
    assert said_as("handbag (said as 'purse')", "bag") == set()


def test_t_is_found_in_the_words_when_no_concept_names_it():
    spans = fact_spans(fact("Some Buses wait.", []), "bus")
    assert [(s.start, s.stop, s.mark) for s in spans if s.mark == "concept"] == [(15, 20, "concept")]


def test_verdicts_of_a_finding_with_history(run):
    judge(run, HANDBAG, "unsure", note="blurry")
    judge(run, HANDBAG, "confirmed")
    judge(run, HANDBAG, "rejected", "bob")
    labels_of(run.workspace, run.fingerprint).undo(finding_target(HANDBAG), "ann")
    view = verdicts_view(run, HANDBAG, "ann")
    assert view.mine.verdict == "unsure"
    assert [o.annotator for o in view.others] == ["bob"]
    assert [(line.annotator, line.verdict, line.standing, line.withdrawn) for line in view.history] == [
        ("bob", "rejected", True, False),
        ("ann", "confirmed", False, True),
        ("ann", "unsure", True, False),
    ]
    assert verdicts_view(run, HANDBAG, "eve").mine is None


@pytest.mark.parametrize(
    ("q", "replicated", "shown", "believed"),
    [
        (0.001, True, "yes", True),
        (0.001, False, "no", False),
        (0.001, None, "too few", False),
        (0.05, True, "yes", False),
        (None, None, "–", False),
    ],
)
def test_only_a_replicated_finding_with_small_q_is_believed(q, replicated, shown, believed):
    association = {"q": q, "replicated": replicated}
    assert replication_of(association) == shown
    assert is_believed(association) is believed
