"""The Finding page: what it shows, and verdicts that are on disk before it says saved."""

from __future__ import annotations

import pytest

from core.views.findings import finding_target
from core.views.open_run import labels_of
from pages.parts.workspace import open_workspace
from tests.pages import audit_fixture as fixture
from tests.pages.test_page_states import words

HANDBAG = fixture.finding_id("handbag", "bus")
CHAIR = fixture.finding_id("chair", "tv")


def stored():
    return labels_of(open_workspace(), fixture.FINGERPRINT).labels()


@pytest.fixture
def finding(open_page, finished):
    return open_page("finding.py", run=finished, finding=HANDBAG)


def test_what_it_shows(finding):
    text = words(finding)
    assert "Captions say ‘handbag’ wrongly 4.0 times as often when ‘bus’ is in the object list." in text
    assert '<mark class="fl-concept">red handbag</mark>' in text
    assert "Finding 1 of 3" in text
    assert "No verdict of yours yet" in text


def test_captions_from_data_are_escaped(finding):
    text = words(finding)
    assert "&lt;script&gt;window.__injected = 1&lt;/script&gt;" in text
    assert "<script" not in text


def test_names_from_data_are_escaped_everywhere(root, open_page, finished):
    path = root / "runs" / finished / "findings.json"
    path.write_text(path.read_text().replace('"handbag"', '"<img src=x onerror=alert(1)>"'))
    app = open_page("finding.py", run=finished, finding=HANDBAG)
    text = "".join(element.proto.body for element in app.html)
    assert "<img" not in text
    assert all("<img" not in c.value.replace("\\<", "") and not c.allow_html for c in app.caption)
    assert "&lt;img src=x onerror=alert(1)&gt;" in text


@pytest.mark.parametrize("verdict", ["confirmed", "rejected", "unsure"])
def test_a_verdict_with_its_note(finding, finished, verdict):
    finding.text_area(key=f"note_{HANDBAG}").set_value("seen in 9 of 10")
    finding.button(key=f"give_{verdict}").click().run()
    assert not finding.exception
    (label,) = stored()
    assert (label.verdict, label.note, label.target) == (verdict, "seen in 9 of 10", finding_target(HANDBAG))
    assert (label.run_id, label.dataset) == (finished, fixture.FINGERPRINT)
    assert "saved" in words(finding)


def test_a_verdict_is_there_after_a_reload(finding, finished, open_page):
    finding.text_area(key=f"note_{HANDBAG}").set_value("why")
    finding.button(key="give_confirmed").click().run()
    again = open_page("finding.py", run=finished, finding=HANDBAG)
    assert "Confirmed" in words(again)
    assert again.text_area(key=f"note_{HANDBAG}").value == "why"


def test_undo_and_a_changed_note(finding):
    finding.button(key="give_confirmed").click().run()
    finding.text_area(key=f"note_{HANDBAG}").set_value("second thoughts").run()
    finding.button(key="save_note").click().run()
    assert stored()[-1].note == "second thoughts"
    finding.button(key="undo").click().run()
    finding.button(key="undo").click().run()
    assert "No verdict of yours yet" in words(finding)
    assert len(stored()) == 4


def test_the_annotator_can_be_changed_and_sees_others(finding):
    finding.text_input(key="annotator").set_value("Ann").run()
    finding.button(key="give_confirmed").click().run()
    finding.text_input(key="annotator").set_value("../Bob").run()
    finding.button(key="give_rejected").click().run()
    assert {label.annotator: label.verdict for label in stored()} == {
        "Ann": "confirmed",
        "../Bob": "rejected",
    }
    assert "Ann: confirmed" in words(finding)
    folder = open_workspace().labels_dir(fixture.FINGERPRINT)
    assert sorted(path.name for path in folder.iterdir()) == ["%2E.%2FBob.jsonl", "Ann.jsonl"]


def test_a_verdict_that_cannot_be_saved_is_not_claimed(root, finding):
    (root / "labels").write_text("a file where the folder should be")
    finding.button(key="give_confirmed").click().run()
    assert not finding.exception
    assert "could not be saved" in finding.error[0].value
    assert "saved " not in "".join(c.value for c in finding.caption)


def test_next_and_previous(finding):
    finding.button(key="go_next").click().run()
    assert finding.query_params["finding"] == CHAIR
    assert "chair" in words(finding)
    finding.button(key="go_previous").click().run()
    assert finding.query_params["finding"] == HANDBAG
    assert finding.button(key="go_previous").disabled


def test_the_groups_of_samples(finding):
    groups = finding.segmented_control(key=f"group_{HANDBAG}")
    assert groups.options == [
        "Wrong, with ‘bus’ (8)",
        "Right, with ‘bus’ (2)",
        "Wrong, without ‘bus’ (2)",
        "Right, without ‘bus’ (8)",
    ]
    groups.set_value("right_present").run()
    assert not finding.exception
    assert 'class="fl-gallery fl-holds"' in words(finding)
    assert words(finding).count("<figure") == 2


def test_more_samples_on_request(root, open_page):
    run_id = fixture.write_finished(root, "big-1", n=240, images=False)
    app = open_page("finding.py", run=run_id, finding=HANDBAG)
    assert words(app).count("<figure") == 12
    app.button(key="more").click().run()
    assert words(app).count("<figure") == 32
