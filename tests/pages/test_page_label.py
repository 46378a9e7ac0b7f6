"""The Label page: blind, in random order, saved at once, taken back, with a live interval."""

from __future__ import annotations

import json

import pytest

from core.findings.prevalence import FEWEST
from core.labels.fact_labels import FACT_VERDICTS, fact_target, verdicts_by_annotator
from core.runs.workspace import Workspace
from core.views.label_queue import label_queue, live_prevalence, waiting
from core.views.open_run import labels_of, open_run
from pages.parts.session import annotator
from tests.pages import audit_fixture
from tests.pages.map_fixture import add_map
from tests.pages.test_page_states import words


@pytest.fixture
def run(root, finished):
    return open_run(Workspace(root), finished)


def stored(root):
    files = sorted(root.glob("labels/*/*.jsonl"))
    return [json.loads(line) for f in files for line in f.read_text().splitlines()]


def verdict(app, k):
    """The button of a verdict; its key names the sentence too."""
    return next(b for b in app.button if b.key and b.key.startswith(f"give_{k}_"))


def give_as(run, queue, numbers, verdict, name):
    store = labels_of(run.workspace, run.fingerprint)
    for k in numbers:
        store.give(
            fact_target(queue.place[k]),
            verdict(k),
            annotator=name,
            dataset=run.fingerprint,
            run_id=run.run_id,
        )


def test_without_a_run(open_page):
    assert "No audit has finished yet" in words(open_page("label.py"))


def test_a_running_run_is_not_offered(root, open_page):
    audit_fixture.write_run(root, "x-1", "running")
    assert "No audit has finished yet" in words(open_page("label.py"))


def test_the_sentence_is_shown_and_no_score_of_it(open_page, run):
    app = open_page("label.py", run=run.run_id)
    queue = label_queue(run)
    text = words(app)
    assert len(queue.place) == 60, "the unscored half is left out and said so"
    assert "60 without a score left out" in text
    assert '<mark class="fl-sentence">There is a red' in text
    for hint in ("object list", "alignment", "misaligned", "unsupported"):
        assert hint not in text.split("fl-label-text")[-1], "blind: no word of the scorer"
    assert [b.label for b in app.button if b.key and b.key.startswith("give_")] == list(FACT_VERDICTS)


def test_the_order_is_random_the_same_for_all_and_of_no_score(run):
    first, second = label_queue(run), label_queue(run)
    assert first.place == second.place
    assert list(first.place) != sorted(first.place)
    half = first.wrongness[:30].mean() - first.wrongness[30:].mean()
    assert abs(half) < 0.3


def test_a_verdict_is_on_disk_at_once_and_the_next_sentence_comes(root, open_page, run):
    queue = label_queue(run)
    app = open_page("label.py", run=run.run_id)
    first = fact_target(queue.place[0])
    app.text_input(key=f"rationale_{first}").input("seen").run()
    verdict(app, 2).click().run()
    (label,) = stored(root)
    assert (label["target"], label["verdict"], label["note"]) == (first, "Contradiction", "seen")
    assert "1 of 60 judged" in words(app)
    assert app.text_input(key=f"rationale_{fact_target(queue.place[1])}").value == ""


def test_undo_brings_the_sentence_back_and_is_appended(root, open_page, run):
    queue = label_queue(run)
    app = open_page("label.py", run=run.run_id)
    assert app.button(key="undo_label").disabled
    verdict(app, 0).click().run()
    verdict(app, 1).click().run()
    app.button(key="undo_label").click().run()
    assert "1 of 60 judged" in words(app)
    assert app.text_input(key=f"rationale_{fact_target(queue.place[1])}") is not None
    assert len(stored(root)) == 3
    assert stored(root)[-1]["withdrawn"]


def test_a_skipped_sentence_comes_last(open_page, run, root):
    queue = label_queue(run)
    app = open_page("label.py", run=run.run_id)
    app.button(key="skip").click().run()
    assert stored(root) == []
    assert app.text_input(key=f"rationale_{fact_target(queue.place[1])}") is not None
    assert waiting(queue, (), {queue.place[0]})[-1] == 0


def test_the_interval_is_the_engines_and_narrows_until_one_may_stop(open_page, run):
    queue = label_queue(run)
    truth = ["Contradiction" if w > 0.5 else "Entailment" for w in queue.wrongness]
    widths = []
    with_name = annotator_of(open_page, run)
    for n in (5, FEWEST, 60):
        give_as(run, queue, range(n), truth.__getitem__, with_name)
        mine = verdicts_by_annotator(labels_of(run.workspace, run.fingerprint).labels())[with_name]
        found = live_prevalence(queue, mine)
        widths.append(found.width)
        text = words(open_page("label.py", run=run.run_id))
        assert f"<b>{100 * found.share:.0f} %</b> of 60 sentences" in text
        assert ("You may stop" in text) == found.may_stop()
        assert ("at least 12 verdicts" in text) == (n < FEWEST)
    assert widths == sorted(widths, reverse=True)
    assert found.may_stop()


def annotator_of(open_page, run):
    open_page("label.py", run=run.run_id)
    return annotator()


def test_nothing_to_assess_is_neither_right_nor_wrong(run):
    queue = label_queue(run)
    give_as(run, queue, range(20), lambda k: FACT_VERDICTS[3 if k < 5 else 0], "ann")
    mine = verdicts_by_annotator(labels_of(run.workspace, run.fingerprint).labels())["ann"]
    found = live_prevalence(queue, mine)
    assert (found.n, found.n_facts) == (15, 55)
    give_as(run, queue, range(20), lambda k: FACT_VERDICTS[3], "ann")
    mine = verdicts_by_annotator(labels_of(run.workspace, run.fingerprint).labels())["ann"]
    assert live_prevalence(queue, mine) is None


def test_agreement_with_another_annotator(open_page, run):
    queue = label_queue(run)
    assert "Nobody else" in words(open_page("label.py", run=run.run_id))
    give_as(run, queue, range(4), lambda k: FACT_VERDICTS[k % 2], annotator())
    give_as(run, queue, range(4), lambda k: FACT_VERDICTS[0], "Bob <b>")
    text = words(open_page("label.py", run=run.run_id))
    assert "Bob &lt;b&gt;" in text
    assert "<td>4</td><td>50 %</td><td>0.00</td>" in text


def test_sentences_of_one_finding(root, open_page, finished):
    add_map(root, finished, images=False)
    handbag = audit_fixture.finding_id("handbag", "bus")
    app = open_page("label.py", run=finished, finding=handbag)
    assert "of 20 judged" in words(app)
    assert app.query_params["finding"] == handbag
    app.selectbox(key=f"label_from_{finished}").select("").run()
    assert "of 60 judged" in words(app)
    assert "finding" not in app.query_params


def test_all_judged_is_said(open_page, run):
    queue = label_queue(run)
    give_as(run, queue, range(60), lambda k: FACT_VERDICTS[0], annotator())
    app = open_page("label.py", run=run.run_id)
    assert "Every sentence of this sample has a verdict of yours" in words(app)
    app.button(key="undo_label").click().run()
    assert "59 of 60 judged" in words(app)


def test_the_buttons_of_the_next_sentence_are_others(open_page, run):
    """So that a key pressed before the page is drawn anew cannot judge a sentence nobody has seen."""
    app = open_page("label.py", run=run.run_id)
    before = {verdict(app, k).key for k in range(4)}
    verdict(app, 0).click().run()
    assert not before & {verdict(app, k).key for k in range(4)}
