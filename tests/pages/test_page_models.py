"""The Models page: presets in words, what a check finds, what cannot be read."""

from __future__ import annotations

import sys

import pytest

from core.errors import RunError
from core.views import models as view
from core.views.models import check_preset, found_of, preset_view, presets_shown, serve_lines
from tests.pages.test_page_states import labels, words
from tests.protocol.faulty_server import FaultyServer

PRESET = """description = "mine"
text_embedder = "minilm"
image_embedder = "efficientnet-lite0"
joint_image_embedder = "conse"
concept_extractor = "spacy"
scorer = "vision-language"
scorer_chat = "vl"
[chat.vl]
model = "faulty"
base_urls = ["{url}"]
timeout_s = 2.0
max_attempts = 1
"""


def shown(app):
    return words(app) + "\n".join(block.value for block in app.code)


def test_presets_are_told_in_words(open_page):
    app = open_page("models.py")
    assert app.selectbox(key="preset").options == presets_shown()
    assert "minilm" in words(app)
    assert "baseline" in words(app)
    assert "needs no server" in words(app)
    app.selectbox(key="preset").select("paper-natural").run()
    assert not app.exception
    said = shown(app)
    assert "Qwen/Qwen2.5-VL-72B-Instruct" in said
    assert "vllm serve Qwen/Qwen3-Embedding-8B" in said
    assert "Vision-language" in said
    assert "Check the servers" in labels(app)


@pytest.mark.parametrize(("poor", "said"), [((), "Ready"), (("no-logprobs",), "Less than it could be")])
def test_a_check_shows_what_the_server_can_do(open_page, tmp_path, poor, said):
    with FaultyServer(poor=poor) as server:
        path = tmp_path / "mine.toml"
        path.write_text(PRESET.format(url=server.url))
        app = open_page("models.py")
        app.text_input(key="own").input(str(path)).run()
        next(b for b in app.button if b.label == "Check the servers").click().run(timeout=90)
    assert not app.exception
    assert said in words(app)
    assert "log-probabilities: " + ("no" if poor else "yes") in words(app)


def test_a_server_that_is_down_is_said(open_page, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(PRESET.format(url="http://127.0.0.1:9/v1"))
    (found,) = [one for one in check_preset(str(path)) if one.serve]
    assert found.problem
    assert found.serve.startswith("vllm serve faulty")


def test_a_preset_that_cannot_be_read_says_why(open_page, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(PRESET.format(url="http://127.0.0.1:9/v1").replace("scorer =", "scorrer ="))
    assert "unknown field" in preset_view(str(path)).problem.lower()
    app = open_page("models.py")
    app.text_input(key="own").input(str(path)).run()
    assert not app.exception
    assert "scorrer" in words(app)


def test_only_what_a_preset_uses_is_shown():
    roles = {row.role for row in preset_view("paper-natural").rows}
    assert "joint_image_embedder" not in roles
    assert {"scorer_chat", "captioner_chat", "critic_chat"} <= roles
    assert "scorer_chat" not in {row.role for row in preset_view("embedded").rows}
    assert [model for model, _ in serve_lines("embedded")] == []


def test_a_check_that_says_nothing_is_one_sentence(monkeypatch):
    monkeypatch.setattr(view, "REPOSITORY", sys.prefix)
    with pytest.raises(RunError, match="the check failed"):
        check_preset("embedded")
    assert found_of([]) == ()
