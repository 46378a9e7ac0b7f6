"""The Run audit form as data: what is found, what is wrong, and the command it makes."""

from __future__ import annotations

import json
import os

import pytest

from core.cli import _config, _parser
from core.errors import RunError
from core.views.folders import folder_view, is_captions_name, recent_captions, suggestions
from core.views.launch import start, wait_for_run
from core.views.start_audit import ROLES, Choice, arguments, start_view
from tests.pages import audit_fixture as fixture


@pytest.fixture
def captions(tmp_path):
    return fixture.write_captions(tmp_path / "captions.jsonl")


@pytest.fixture
def images(tmp_path):
    folder = tmp_path / "images"
    for i in range(8):
        fixture.draw_image(folder, f"{i}.jpg", (10, 20, 30))
    return folder


def test_nothing_chosen_yet():
    view = start_view(Choice())
    assert view.captions is None
    assert view.blocked == "Choose a captions file."


def test_a_file_with_its_columns_and_rows(captions):
    view = start_view(Choice(captions=f" {captions} "))
    assert view.captions.ok
    assert view.captions.text == "JSONL file, 8 rows"
    assert view.names == ("image", "caption", "labels", "model")
    assert view.found["caption"] == "caption"
    assert view.found["image"] == "image"
    assert len(view.rows) == 5
    assert view.rows[0]["caption"] == "A dog number 0 on a sofa."
    assert "nothing to judge" in view.blocked


def test_objects_make_it_ready(captions):
    view = start_view(Choice(captions=str(captions), columns={"objects": "labels"}))
    assert view.blocked == ""
    assert view.setting == "judged against object lists"


def test_a_column_that_looks_like_objects_is_pointed_out_not_taken(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"caption": "A dog.", "coco_objects": ["dog"]}) + "\n")
    view = start_view(Choice(captions=str(path)))
    assert "coco_objects" in view.hint
    assert "objects" not in view.found
    assert start_view(Choice(captions=str(path), columns={"objects": "coco_objects"})).hint == ""


def test_images_make_it_ready_and_are_said_to_be_approximate(captions, images):
    view = start_view(Choice(captions=str(captions), images=str(images)))
    assert view.images.ok
    assert view.images.text == "5 of the first 5 images found"
    assert view.blocked == ""
    assert "approximate" in view.setting


def test_the_image_folder_is_suggested(captions, images):
    assert start_view(Choice(captions=str(captions))).suggested_images == str(images)
    assert start_view(Choice(captions=str(captions), images=str(images))).suggested_images == ""


def test_a_folder_without_the_images_is_said_where_it_is_typed(captions, tmp_path):
    (tmp_path / "other").mkdir()
    view = start_view(Choice(captions=str(captions), images=str(tmp_path / "other")))
    assert not view.images.ok
    assert view.images.text == "None of the first 5 images is in this folder, such as '0.jpg'."
    assert view.blocked == "The image folder cannot be used."


def test_an_image_folder_for_a_file_without_image_paths(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("caption,references\nA dog.,A cat.\n")
    view = start_view(Choice(captions=str(path), images=str(tmp_path)))
    assert view.captions.ok
    assert "no column with image paths" in view.images.text


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("missing.jsonl", None, "there is no such file"),
        ("empty.jsonl", b"", "empty"),
        ("binary.jsonl", bytes(range(256)) * 4, "."),
    ],
)
def test_an_unusable_file_is_one_sentence(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    view = start_view(Choice(captions=str(tmp_path / name)))
    assert not view.captions.ok
    assert said in view.captions.text
    assert "\n" not in view.captions.text
    assert view.blocked == "The captions file cannot be used."


def test_columns_that_cannot_be_found_leave_the_rows_on_screen(tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_text('{"x": 1, "y": 2}\n')
    view = start_view(Choice(captions=str(path)))
    assert not view.captions.ok
    assert view.names == ("x", "y")
    assert view.rows == ({"x": "1", "y": "2"},)
    assert view.blocked == "Choose the columns."


def test_columns_of_a_file_chosen_before_are_dropped(captions):
    view = start_view(Choice(captions=str(captions), columns={"objects": "labels", "caption": "not_here"}))
    assert view.captions.ok
    assert view.chosen == {"objects": "labels"}


def test_the_command_means_what_the_form_says(captions, images):
    choice = Choice(
        captions=str(captions),
        images=str(images),
        columns={
            "caption": "caption",
            "image": "image",
            "objects": "labels",
            "captioner": "model",
            "id": "image",
            "references": "labels",
            "instruction": "model",
        },
        name="mine",
        top_k=7,
        seed=3,
        keep_bad_rows=True,
    )
    assert set(choice.columns) == set(ROLES)
    config = _config(_parser().parse_args(arguments(choice)))
    assert (config.captions, config.images, config.name) == (str(captions), str(images), "mine")
    assert (config.caption_column, config.image_column, config.objects_column) == (
        "caption",
        "image",
        "labels",
    )
    assert (config.captioner_column, config.id_column, config.references_column) == (
        "model",
        "image",
        "labels",
    )
    assert (config.instruction_column, config.top_k, config.seed, config.on_bad_row) == (
        "model",
        7,
        3,
        "keep",
    )


def test_an_image_column_without_a_folder_is_left_out(captions):
    assert "--image-column" not in arguments(Choice(captions=str(captions), columns={"image": "image"}))


def test_a_folder_lists_folders_then_captions_files(tmp_path):
    for name in ("b.csv", "a.jsonl.gz", "notes.txt", ".hidden.csv"):
        (tmp_path / name).write_text("x")
    (tmp_path / "zoo").mkdir()
    view = folder_view(str(tmp_path))
    assert [e.name for e in view.entries] == ["zoo", "a.jsonl.gz", "b.csv"]
    assert view.parent == str(tmp_path.parent)
    assert [e.name for e in folder_view(str(tmp_path), folders_only=True).entries] == ["zoo"]
    assert folder_view(str(tmp_path / "b.csv")).path == str(tmp_path)


def test_names_that_could_hold_captions():
    assert is_captions_name("A.JSONL.GZ")
    assert not is_captions_name("photo.jpg.gz")


def test_suggestions_are_nearest_first_and_skip_hidden_folders(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / ".venv").mkdir()
    for name in ("z.csv", "deep/a.csv", ".venv/no.csv"):
        (tmp_path / name).write_text("x")
    (tmp_path / "empty.csv").write_text("")
    assert suggestions([tmp_path]) == (str(tmp_path / "z.csv"), str(tmp_path / "deep" / "a.csv"))


def test_captions_of_earlier_runs(tmp_path, captions):
    for name, text in (
        ("one", f"captions = {json.dumps(str(captions))}"),
        ("two", "captions = '/gone.csv'"),
        ("three", "not toml ["),
    ):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "config.toml").write_text(text)
    assert recent_captions(tmp_path / "runs") == (str(captions),)
    assert recent_captions(tmp_path / "nowhere") == ()


def test_a_mistake_the_command_finds_is_said_in_its_words(workspace, tmp_path):
    started = start(["audit", str(tmp_path / "gone.jsonl")], workspace)
    with pytest.raises(RunError, match=r"the audit did not start: .*gone\.jsonl"):
        wait_for_run(started, 60)
    assert started.process.wait(10) == 2


def test_a_started_audit_is_in_a_session_of_its_own(workspace, tmp_path):
    captions = fixture.write_captions(tmp_path / "captions.jsonl", 6)
    started = start(["audit", str(captions), "--objects", "labels"], workspace)
    try:
        assert os.getsid(started.process.pid) == started.process.pid != os.getsid(0)
        assert (workspace.run_dir(wait_for_run(started, 60)) / "run.json").exists()
    finally:
        started.process.wait(120)
