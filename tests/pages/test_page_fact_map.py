"""The Fact map page in its states."""

from __future__ import annotations

import pytest

from tests.pages import audit_fixture as fixture
from tests.pages.map_fixture import add_map
from tests.pages.test_page_states import words


@pytest.fixture
def mapped(root, finished):
    return add_map(root, finished, images=False)


def test_without_a_run(open_page):
    assert "No audit has finished" in words(open_page("fact_map.py"))


def test_an_old_run_says_how_to_get_its_map(open_page, finished):
    app = open_page("fact_map.py", run=finished)
    assert "Resume the run to draw its map" in words(app)
    assert app.button(key="map_resume").label == "Resume"


def test_a_running_run(root, open_page):
    fixture.write_run(root, "x-1", "running")
    assert "not finished" in words(open_page("fact_map.py", run="x-1"))


def test_the_whole_map(open_page, mapped):
    app = open_page("fact_map.py")
    text = words(app)
    for said in ("All 120 sentences", "of 60 judged", "higher = better", "mean nothing", "effective K = 3"):
        assert said in text
    assert app.query_params["run"] == mapped


def test_filters_come_from_the_address_and_go_there(open_page, mapped):
    app = open_page("fact_map.py", run=mapped, q="chair", colour="cluster", cluster="2")
    assert "20 sentences that pass the filters" in words(app)
    assert app.selectbox(key="map_colour").value == "cluster"
    app.text_input(key=f"map_q_{mapped}").input("").run()
    assert "q" not in app.query_params
    app.selectbox(key="map_colour").select("verdict").run()
    assert app.query_params["colour"] == "verdict"
    assert not app.exception


def test_nothing_found_is_said(open_page, mapped):
    assert "No point is inside" in words(open_page("fact_map.py", run=mapped, q="zebra"))


def test_one_sentence_by_link(open_page, mapped):
    app = open_page("fact_map.py", run=mapped, fact="0")
    text = words(app)
    assert "Nearest in meaning" in text
    assert "&lt;script&gt;" in text, "a sentence is text"
    app.button(key="map_close").click().run()
    assert "fact" not in app.query_params
    assert "All 120 sentences" in words(app)


@pytest.mark.parametrize(
    "params",
    [{"fact": "120"}, {"fact": "-1"}, {"fact": "x"}, {"cluster": "99"}, {"kind": "../x"}, {"colour": "<b>"}],
)
def test_a_wrong_address_shows_the_whole_map(open_page, mapped, params):
    assert "All 120 sentences" in words(open_page("fact_map.py", run=mapped, **params))


def test_more_lines(open_page, mapped):
    app = open_page("fact_map.py", run=mapped)
    app.button(key="map_more").click().run()
    assert "26 to 50 of 120" in words(app)
