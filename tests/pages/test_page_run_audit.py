"""The Run audit form: checks in place, and an audit that starts from it."""

from __future__ import annotations

import time

import pytest

from core.runs.manifest import run_info
from pages.parts.workspace import open_workspace
from tests.pages import audit_fixture as fixture
from tests.pages.test_page_states import words


@pytest.fixture
def form(open_page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return open_page("run_audit.py")


@pytest.fixture
def captions(tmp_path):
    return fixture.write_captions(tmp_path / "captions.jsonl", 12)


def test_an_empty_form_cannot_start(form):
    assert form.button(key="start").disabled
    assert "Choose a captions file." in words(form)


def test_a_wrong_path_is_said_under_its_field(form):
    form.text_input(key="captions").set_value("/nowhere/x.jsonl").run()
    assert "there is no such file" in words(form)
    assert form.button(key="start").disabled


def test_columns_and_preview_appear_and_objects_make_it_ready(form, captions):
    form.text_input(key="captions").set_value(str(captions)).run()
    assert list(form.dataframe[0].value.columns) == ["image", "caption", "labels", "model"]
    assert len(form.dataframe[0].value) == 5
    assert form.button(key="start").disabled
    form.selectbox(key="column_objects").select("labels").run()
    assert not form.exception
    assert not form.button(key="start").disabled
    assert "judged against object lists" in words(form)


def test_the_image_folder_is_offered(form, captions, tmp_path):
    for i in range(12):
        fixture.draw_image(tmp_path / "images", f"{i}.jpg", (1, 2, 3))
    form.text_input(key="captions").set_value(str(captions)).run()
    form.button(key="use_images").click().run()
    assert form.text_input(key="images").value == str(tmp_path / "images")
    assert "5 of the first 5 images found" in words(form)


def test_the_file_dialog_walks_folders(form, captions, tmp_path):
    (tmp_path / "sub").mkdir()
    form.button(key="browse_captions").click().run()
    assert not form.exception
    names = [
        b.label.replace("\\", "").split(" ")[0] for b in form.button if (b.key or "").startswith("browse_")
    ]
    assert "sub" in names
    assert "captions.jsonl" in names


def test_an_audit_starts_from_the_form(form, captions):
    form.text_input(key="captions").set_value(str(captions)).run()
    form.selectbox(key="column_objects").select("labels").run()
    form.text_input(key="run_name").set_value("from the form").run()
    form.button(key="start").click().run(timeout=120)
    assert not form.exception
    run_id = form.query_params["run"]
    deadline = time.monotonic() + 120
    while run_info(open_workspace(), run_id).state == "running" and time.monotonic() < deadline:
        time.sleep(0.2)
    info = run_info(open_workspace(), run_id)
    assert info.name == "from the form"
    assert info.n_samples == 12
    assert info.state in ("finished", "failed")
