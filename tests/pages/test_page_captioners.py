"""The Captioners page: leaderboard, paired comparison and error mix follow from the verdicts."""

from __future__ import annotations

import pytest
import streamlit as st

from core.views.captioners import comparison, load_captioners
from core.views.open_run import open_run
from pages.parts.workspace import open_workspace
from tests.pages import audit_fixture as base
from tests.pages.test_page_states import words
from tests.pages.vnli_fixture import CAPTIONERS, add_vnli


@pytest.fixture(autouse=True)
def no_cache():
    st.cache_data.clear()


@pytest.fixture
def run_id(root, finished):
    return add_vnli(root, finished, captioners=True)


def test_without_judged_sentences_it_says_what_to_do(open_page, finished):
    assert "No finished run has judged sentences" in words(open_page("captioners.py"))


def test_the_leaderboard_is_the_verdicts(run_id):
    found = load_captioners(open_run(open_workspace(), run_id))
    for k, name in enumerate(CAPTIONERS):
        own = [i for i in range(60) if i % 2 == k]
        share = sum(not base.is_wrong(i) for i in own) / len(own)
        row = next(s for s in found.boards["sentences"] if s.captioner == name)
        assert row.value == f"{100 * share:.1f} %"
        assert row.n_sentences == 30
        mix = next(m for m in found.mix if m.captioner == name)
        assert mix.n_flagged == sum(base.is_wrong(i) for i in own)
        assert mix.n_unscored == 30
        assert sum(n for _, n, _ in mix.errors) == mix.n_flagged
    assert found.boards["sentences"][0].rank == "1"


def test_a_pair_is_compared_on_shared_images(run_id):
    found = load_captioners(open_run(open_workspace(), run_id))
    pair = comparison(found, *CAPTIONERS).pair
    assert pair.n_images == 30  # by the file's image column: the run has no image files
    both = sum(not base.is_wrong(2 * k) and not base.is_wrong(2 * k + 1) for k in range(30))
    assert pair.both == both


def test_the_page(open_page, run_id):
    app = open_page("captioners.py", run=run_id)
    text = words(app)
    assert "Alpha" in text
    assert "On 30 shared images" in text
    assert "McNemar" in text
    assert "handbag" in text
    app.selectbox(key="first").select("Beta").run()
    assert not app.exception
    app.segmented_control(key="criterion").set_value("response").run()
    assert not app.exception


def test_one_captioner_is_not_compared(open_page, root, finished):
    add_vnli(root, finished)
    text = words(open_page("captioners.py"))
    assert "two are needed" in text
