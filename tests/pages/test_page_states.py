"""Every page in every state of a workspace: empty, running, finished, failed, interrupted, cancelled."""

from __future__ import annotations

import pytest

from core.runs.cancel import CANCEL_FILE
from core.runs.manifest import claim_run
from core.views.open_run import open_run
from pages.parts.workspace import open_workspace
from tests.pages import audit_fixture as fixture

HANDBAG = fixture.finding_id("handbag", "bus")


def words(app):
    """All text a page shows, as one string."""
    shown = [*app.markdown, *app.caption, *app.html, *app.title, *app.subheader, *app.error, *app.warning]
    shown += [*app.info, *app.success]
    return "\n".join(str(getattr(e, "value", "") or getattr(e, "body", "")) for e in shown).replace("\\", "")


def labels(app):
    return [button.label for button in app.button]


def test_an_empty_workspace_teaches_the_first_audit(open_page):
    app = open_page()
    assert "Run the demo audit" in labels(app)
    assert "Choose a file" in labels(app)
    assert "again and again" in words(app)


def test_choose_a_file_leads_to_the_form(open_page):
    app = open_page()
    next(b for b in app.button if b.label == "Choose a file").click().run()
    assert not app.exception
    assert app.text_input(key="captions").label == "Captions file on this server"


@pytest.mark.parametrize("page", ["findings.py", "finding.py"])
def test_pages_without_a_run_say_what_to_do(open_page, page):
    app = open_page(page)
    assert app.button
    assert "Choose" in words(app) or "No audit has finished" in words(app)


def test_overview_of_every_state(root, open_page, finished):
    running = fixture.write_run(root, "now-1", "running", minutes_ago=1)
    fixture.write_events(running, fixture.running_events())
    fixture.write_run(root, "gone-1", "running", minutes_ago=10)
    fixture.write_run(root, "bad-1", "failed", message="captions.csv: there is no column 'text'.")
    fixture.write_run(root, "off-1", "cancelled")
    with claim_run(running):
        app = open_page()
    text = words(app)
    for word in ("Running", "Finished", "Interrupted", "Failed", "Cancelled"):
        assert f"{word}" in text
    assert "there is no column 'text'" in text
    assert [e.proto.text for e in app.get("progress")] == ["Split captions into sentences"]
    assert {m.label: m.value for m in app.metric} == {
        "Captions audited": "60",
        "Findings": "3",
        "With a verdict": "0",
        "Confirmed": "0",
    }
    assert app.button(key="resume_gone-1").label == "Resume"
    assert app.button(key="cancel_now-1").label == "Cancel"


def test_cancel_asks_the_run_to_stop(root, open_page):
    running = fixture.write_run(root, "now-1", "running")
    fixture.write_events(running, fixture.running_events())
    with claim_run(running):
        open_page().button(key="cancel_now-1").click().run()
        assert (running / CANCEL_FILE).exists()


def test_progress_of_a_running_run(root, open_page):
    running = fixture.write_run(root, "now-1", "running")
    fixture.write_events(running, fixture.running_events())
    with claim_run(running):
        app = open_page("run_audit.py", run="now-1")
        (bar,) = app.get("progress")
        assert bar.proto.text.replace("\\", "") == "Split captions into sentences: 30 of 60 captions"
        app.button(key="cancel").click().run()
        assert not app.exception
        assert (running / CANCEL_FILE).exists()
        assert app.button(key="cancel").disabled


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("failed", "captions.csv: there is no column 'text'."),
        ("cancelled", "What was finished is kept"),
        ("running", "Nothing computed is lost"),
    ],
)
def test_progress_of_a_stopped_run_says_why_and_offers_to_resume(root, open_page, state, said):
    fixture.write_run(root, "x-1", state, message="captions.csv: there is no column 'text'.")
    app = open_page("run_audit.py", run="x-1")
    assert said in words(app)
    assert app.button(key="resume").label == "Resume"


def test_progress_of_a_finished_run_leads_to_its_findings(open_page, finished):
    app = open_page("run_audit.py", run=finished)
    assert "3 findings" in words(app)
    assert app.expander[0].label == "1 row with problems"
    assert list(app.dataframe[0].value["Problem"]) == ["no caption"]
    app.button(key="see_findings").click().run()
    assert "street" in words(app)
    assert app.query_params["run"] == finished


def test_findings_of_a_running_run(root, open_page):
    fixture.write_run(root, "x-1", "running")
    app = open_page("findings.py", run="x-1")
    assert "no findings yet" in words(app)


def test_findings_chooses_the_newest_run_and_says_how_far_to_trust_it(open_page, finished):
    app = open_page("findings.py")
    text = words(app)
    assert app.query_params["run"] == finished
    assert "60 captions" in text
    assert "Baseline scorer (objects-match)" in text
    assert "0 of 3 have a verdict." in text
    app.button(key="judge_next").click().run()
    assert app.query_params["finding"] == HANDBAG


def test_findings_with_several_runs_have_a_menu(root, open_page, finished):
    fixture.write_finished(root, "again-1", images=False)
    app = open_page("findings.py", run=finished)
    assert app.selectbox(key="findings_run").value == finished
    app.selectbox(key="findings_run").select("again-1").run()
    assert not app.exception
    assert app.query_params["run"] == "again-1"


def test_no_finding_is_said(root, open_page, finished):
    path = root / "runs" / finished / "findings.json"
    path.write_text('{"findings": [], "scorer": {}}')
    assert "No systematic error stands out" in words(open_page("findings.py", run=finished))


@pytest.mark.parametrize(
    ("page", "params", "said"),
    [
        ("findings.py", {"run": "../etc"}, "no such run"),
        ("run_audit.py", {"run": "nowhere"}, "no such run"),
        ("finding.py", {"run": "street-1a2b3c", "finding": "<b>x</b>"}, "no such finding"),
    ],
)
def test_a_wrong_address_is_one_sentence(open_page, finished, page, params, said):
    app = open_page(page, **params)
    assert said in app.error[0].value.replace("\\", "")
    assert len(app.error) == 1


def test_a_workspace_that_is_a_file_is_one_sentence(open_page, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAULTLINE_WORKSPACE", str(tmp_path / "file"))
    assert "the workspace is not a folder" in open_page().error[0].value.replace("\\", "")


def test_a_damaged_stage_is_one_sentence(root, open_page, finished):
    run = open_run(open_workspace(), finished)
    (run.need_stage("samples") / "stage.json").unlink()
    app = open_page("finding.py", run=finished, finding=HANDBAG)
    assert "missing or damaged" in app.error[0].value.replace("\\", "")
