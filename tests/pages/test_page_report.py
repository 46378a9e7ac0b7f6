"""The Report page: choices, the preview's address, the download."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.report.data import SECTIONS, Options
from pages.parts.report_route import KEPT, get_preview, preview_address
from tests.pages import audit_fixture as fixture
from tests.pages.test_page_states import words


@pytest.fixture
def run(root, finished):
    folder: Path = root / "runs" / finished
    (folder / "config.toml").write_text('captions = "captions.jsonl"\nobjects_column = "objects"\n')
    return finished


def preview_of(app):
    (frame,) = app.get("iframe")
    return get_preview(SimpleNamespace(path_params={"token": frame.proto.src.rsplit("/", 1)[1]}))


def test_without_a_finished_run(root, open_page):
    assert "nothing to report" in words(open_page("report.py"))


def test_it_previews_what_it_downloads(run, open_page):
    app = open_page("report.py", run=run)
    answer = preview_of(app)
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    assert "Captions say ‘handbag’ wrongly" in answer.body.decode()
    assert "(3 findings)" in app.get("download_button")[0].proto.label


def test_choices_reach_the_report(run, open_page):
    app = open_page("report.py", run=run)
    app.get("button_group")[0].set_value("some").run()
    app.multiselect(key="ranks").set_value([2]).run()
    app.text_input(key="title").set_value("<b>Vendor</b> delivery").run()
    app.text_area(key="notes").set_value("Please read.").run()
    app.multiselect(key="sections").set_value(["summary", "findings"]).run()
    html = preview_of(app).body.decode()
    assert "&lt;b&gt;Vendor&lt;/b&gt; delivery" in html
    assert "Please read." in html
    assert '2. <bdi class="t">chair' in html
    assert "1. <bdi" not in html
    assert SECTIONS["provenance"] not in html
    assert "(1 finding)" in app.get("download_button")[0].proto.label


def test_no_finding_chosen(run, open_page):
    app = open_page("report.py", run=run)
    app.get("button_group")[0].set_value("some").run()
    app.multiselect(key="ranks").set_value([]).run()
    assert "Choose at least one finding" in words(app)
    assert not app.get("iframe")


def test_confirmed_says_when_there_is_none(run, open_page):
    app = open_page("report.py", run=run)
    app.get("button_group")[0].set_value("confirmed").run()
    assert "No finding is confirmed" in words(app)


def test_an_address_nobody_asked_for_is_not_found():
    assert get_preview(SimpleNamespace(path_params={"token": "0" * 32})).status_code == 404


def test_old_previews_are_let_go(run):
    first = preview_address(run, Options(title="first"), "")
    for i in range(KEPT):
        preview_address(run, Options(title=f"t{i}"), "")
    token = first.rsplit("/", 1)[1]
    assert get_preview(SimpleNamespace(path_params={"token": token})).status_code == 404


def test_other_verdicts_are_another_address():
    assert preview_address("r", Options(), "1") != preview_address("r", Options(), "2")
    assert fixture.FINGERPRINT


def test_every_export_has_a_button_with_its_count(root, run, open_page):
    source = root.parent / "captions.jsonl"
    source.write_text(
        "".join(json.dumps({"caption": s["caption"]}) + "\n" for s in fixture.make_samples(None, 60))
    )
    (root / "runs" / run / "config.toml").write_text(f"captions = {json.dumps(str(source))}\n")
    app = open_page("report.py", run=run)
    labels = [button.proto.label for button in app.get("download_button")]
    n_wrong = sum(fixture.is_wrong(i) for i in range(60))
    for label in ("Corrected captions (0)", f"Drop list ({n_wrong})", "Verdicts (0)", "Findings, JSON (3)"):
        assert label in labels
    assert not app.error


def test_an_input_that_is_gone_hides_no_other_export(run, open_page):
    app = open_page("report.py", run=run)
    assert any("no such file" in error.value for error in app.error)
    assert any("Verdicts (0)" in b.proto.label for b in app.get("download_button"))
