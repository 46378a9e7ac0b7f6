"""Critiques and revisions on a finding and a sample: decisions are on disk at once and can be taken back."""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.labels.revisions import accepted_revisions, decisions
from core.views.open_run import labels_of, open_run
from core.views.vnli_sample import caption_views, finding_critiques, word_diff
from pages.parts.workspace import open_workspace
from tests.pages import audit_fixture as base
from tests.pages.test_page_states import words
from tests.pages.vnli_fixture import add_vnli

HANDBAG = base.finding_id("handbag", "bus")


@pytest.fixture
def vnli(root, finished):
    return add_vnli(root, finished)


def labels():
    return labels_of(open_workspace(), base.FINGERPRINT)


def wrong_facts():
    return [2 * i + 1 for i in range(60) if i % 3 == 0 and base.is_wrong(i)]


def rename_samples(root, run_id, names):
    stages = json.loads((root / "runs" / run_id / "run.json").read_text())["stages"]
    for stage in ("samples", "facts"):
        for path in (root / "stages" / stage / stages[stage]).glob("part-*.parquet"):
            table = pq.read_table(path)
            column = [names[s] for s in table["sample_id"].to_pylist()]
            at = table.schema.get_field_index("sample_id")
            pq.write_table(table.set_column(at, "sample_id", pa.array(column)), path)


@pytest.fixture
def repairs(open_page, vnli):
    app = open_page("finding.py", run=vnli, finding=HANDBAG)
    app.session_state["finding_tabs"] = "Critiques and revisions"
    app.run()
    assert not app.exception, app.exception
    return app


def test_reasons_critiques_and_diffs_are_shown(repairs):
    text = words(repairs)
    n = len(wrong_facts())
    assert f"{n} sentences flagged" in text
    assert f"<li>handbag <em>{n}</em></li>" in text
    assert "finds no support in &lt;i&gt;the list&lt;/i&gt;." in text
    assert "<del>" in text
    assert "<ins>" in text
    assert "baseline (heuristic)" in text
    assert "<i>the list" not in text


def test_a_run_without_the_step_shows_the_samples_only(open_page, finished):
    app = open_page("finding.py", run=finished, finding=HANDBAG)
    assert not app.tabs


def links(app):
    return re.findall(r'class="fl-sample-link" href="([^"]*)"', words(app))


def test_every_card_links_to_the_page_of_its_sample(open_page, root, finished):
    ids = ["s000", 's 1&"<b>', *(f"s{i:03}" for i in range(2, 60))]
    rename_samples(root, finished, dict(zip((f"s{i:03}" for i in range(60)), ids, strict=True)))
    app = open_page("finding.py", run=add_vnli(root, finished), finding=base.finding_id("chair", "tv"))
    found = [parse_qs(urlsplit(unescape(a)).query) for a in links(app)]
    assert len(found) == words(app).count("<figure") > 4
    assert {q["run"][0] for q in found} == {finished}
    assert [q["sample"][0] for q in found] == [
        unescape(s) for s in re.findall(r"<dt>Sample</dt><dd>(.*?)</dd>", words(app))
    ]
    assert ids[1] in {q["sample"][0] for q in found}
    assert "<b>" not in "".join(links(app))
    for query in found[:2] + [q for q in found if q["sample"][0] == ids[1]]:
        sample = open_page("sample.py", run=query["run"][0], sample=query["sample"][0])
        assert not sample.error
        assert 'class="fl-v-wrong"' in words(sample)


def test_without_the_step_no_card_links_to_a_page_that_has_nothing_to_show(open_page, finished):
    app = open_page("finding.py", run=finished, finding=HANDBAG)
    assert words(app).count("<figure") > 4
    assert links(app) == []


def test_accept_is_on_disk_and_undo_takes_it_back(repairs):
    fact = wrong_facts()[0]
    repairs.button(key=f"accept_{fact}").click().run()
    (place,) = decisions(labels())
    assert accepted_revisions(labels())[place[0]][place[1:]].text.startswith("There is a red thing")
    assert "Accepted" in words(repairs)
    assert "Caption with accepted revisions" in [e.label for e in repairs.expander]
    repairs.button(key=f"undo_{fact}").click().run()
    assert decisions(labels()) == {}
    assert len(labels().labels()) == 2


def test_reject_and_a_second_thought(repairs):
    fact = wrong_facts()[0]
    repairs.button(key=f"reject_{fact}").click().run()
    assert [d.verdict for d in decisions(labels()).values()] == ["rejected"]
    repairs.button(key=f"accept_{fact}").click().run()
    assert [d.verdict for d in decisions(labels()).values()] == ["accepted"]


def test_a_sentence_edited_by_hand(repairs):
    fact = wrong_facts()[0]
    repairs.button(key=f"edit_{fact}").click().run()
    repairs.text_area(key=f"text_{fact}").set_value("  A <b>pole</b>\nstands. ")
    repairs.button(key=f"save_{fact}").click().run()
    (decision,) = decisions(labels()).values()
    assert (decision.verdict, decision.text) == ("edited", "A <b>pole</b> stands.")
    assert "Edited by hand" in words(repairs)
    assert "<b>pole" not in words(repairs)


def test_accept_all_takes_what_the_critic_accepts_and_nobody_decided(repairs, vnli):
    run = open_run(open_workspace(), vnli)
    open_ones = finding_critiques(run, HANDBAG).open
    kinds = {(s.fact_id // 2) % 4 for s in open_ones}
    assert kinds == {0, 2}  # accepted rewrites and deletions, not objected or missing ones
    first = wrong_facts()[0]
    repairs.button(key=f"reject_{first}").click().run()
    repairs.button(key="accept_all").click().run()
    accepted = [d for d in decisions(labels()).values() if d.accepted]
    assert len(accepted) == len(open_ones) - 1
    repairs.button(key="undo_all").click().run()
    assert [d.verdict for d in decisions(labels()).values()] == ["rejected"]


def test_no_revision_cannot_be_accepted_and_says_why(open_page, vnli):
    i = next(i for i in range(60) if base.is_wrong(i) and i % 4 == 3)
    app = open_page("sample.py", run=vnli, sample=f"s{i:03}")
    assert app.button(key=f"accept_{2 * i + 1}").disabled
    assert "No revision: no safe edit: no main verb" in words(app)


def test_a_sample_is_coloured_and_signed_by_verdict(open_page, vnli):
    app = open_page("sample.py", run=vnli, sample="s000")
    text = words(app)
    assert 'class="fl-v-wrong"' in text
    assert "✗ not supported" in text
    assert "? not judged" in text
    assert "&lt;script&gt;" in text
    assert "<script" not in text


def test_a_sample_that_is_not_there(open_page, vnli):
    app = open_page("sample.py", run=vnli, sample="nobody")
    assert "no such sample" in app.error[0].value.replace("\\", "")
    app = open_page("sample.py")
    assert "Choose a sample" in words(app)


def test_a_decision_that_cannot_be_saved_is_said(repairs, root):
    (root / "labels").write_text("in the way")
    repairs.button(key=f"accept_{wrong_facts()[0]}").click().run()
    assert not repairs.exception
    assert repairs.error


def test_decisions_of_others_that_differ_leave_the_caption(repairs, vnli):
    run = open_run(open_workspace(), vnli)
    fact = wrong_facts()[0]
    repairs.button(key=f"accept_{fact}").click().run()
    (place,) = decisions(labels())
    from core.labels.revisions import revision_verdict

    labels().give_many(
        [revision_verdict(place, "rejected", None)], annotator="bob", dataset=base.FINGERPRINT, run_id=vnli
    )
    repairs.run()
    assert "Disputed by" in words(repairs)
    (view,) = caption_views(run, [fact // 2])
    assert view.revised == view.caption


@pytest.mark.parametrize(
    ("before", "after"), [("A man, tall, sits.", "A man sits."), ("a b", ""), ("", "x y"), ("same.", "same.")]
)
def test_a_diff_holds_both_texts_to_the_character(before, after):
    pieces = word_diff(before, after)
    assert "".join(t for k, t in pieces if k != "in") == before
    assert "".join(t for k, t in pieces if k != "out") == after
