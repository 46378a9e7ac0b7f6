"""The Triplets page in its states: scores, filters, selection, one response, and what is no bad score."""

from __future__ import annotations

import pytest

from core.domain.evian import AXES
from core.runs.workspace import Workspace
from core.views.open_run import open_run
from core.views.triplets import captioner_table, distributions, filter_rows, load_triplets, select
from pages.parts.triplet_parts import distribution_html
from tests.pages import audit_fixture
from tests.pages.test_page_states import words
from tests.pages.triplet_fixture import BROKEN, CAPTIONERS, finished_with_triplets, overall_of, values

N = 60


@pytest.fixture
def scored(root):
    return finished_with_triplets(root)


def table_of(app):
    return app.dataframe[0].value


def badges(app):
    """How many marks "Baseline" the page has."""
    return sum("Baseline" in str(m.value) and "badge" in str(m.value) for m in app.markdown)


def test_without_a_run_with_triplets(open_page, finished):
    app = open_page("triplets.py")
    assert "No finished run has triplets" in words(app)
    next(b for b in app.button if b.label == "Run audit").click().run()
    assert not app.exception


def test_a_running_run_is_not_offered(root, open_page):
    audit_fixture.write_run(root, "x-1", "running")
    assert "No finished run has triplets" in words(open_page("triplets.py", run="x-1"))


def test_the_page_says_whose_scores_these_are_and_marks_them_baseline(open_page, scored):
    app = open_page("triplets.py", run=scored)
    text = words(app)
    assert "60 responses" in text
    assert "evian-baseline-triplets" in text
    assert "no fact is checked" in text
    assert badges(app) == 1


def test_scores_of_models_carry_no_baseline_mark(root, open_page):
    served = {"name": "auditor", "revision": "1", "backend": "server", "baseline": False}
    run = finished_with_triplets(root, model=served, tagger=served, note="")
    app = open_page("triplets.py", run=run)
    assert badges(app) == 0


def test_one_baseline_of_the_two_is_marked(root, open_page):
    served = {"name": "auditor", "revision": "1", "backend": "server", "baseline": False}
    app = open_page("triplets.py", run=finished_with_triplets(root, model=served, note=""))
    assert badges(app) == 1


def test_every_response_is_in_the_table_worst_first_and_the_unscored_last(open_page, scored):
    table = table_of(open_page("triplets.py", run=scored))
    assert len(table) == N
    expected = sorted(round(overall_of(i), 2) for i in range(N) if i != BROKEN)
    assert list(table["Overall"])[:-1] == expected
    last = table.iloc[-1]
    assert last["Sample"] == f"s{BROKEN:03}"
    assert list(last)[3:] == ["not scored"] * 3


def test_no_claim_is_a_word_and_never_a_two(open_page, scored):
    table = table_of(open_page("triplets.py", run=scored)).set_index("Sample")
    for i in range(N):
        if i == BROKEN:
            continue
        said = list(table.loc[f"s{i:03}"])[2:]
        assert said == ["no claim" if v is None else str(v) for v in values(i)]


def test_distributions_count_no_claim_apart(root, scored):
    run = open_run(Workspace(root), scored)
    t = load_triplets(run)
    consistency, coherence, accuracy = distributions(t, filter_rows(t))
    assert coherence.counts[1] == 0, "a default of 2 is no 2"
    assert coherence.n_default == 15
    assert accuracy.n_default == 44
    assert consistency.n_unscored == 1
    html = distribution_html(accuracy)
    assert '<li class="fl-none"><span>no claim</span>' in html


def test_filter_by_captioner_and_range(open_page, scored):
    app = open_page("triplets.py", run=scored)
    app.multiselect(key="captioners").select(CAPTIONERS[1]).run()
    assert set(table_of(app)["Captioner"]) == {CAPTIONERS[1]}
    assert len(table_of(app)) == 20
    app.slider(key="range").set_range(3.0, 5.0).run()
    scored_only = table_of(app)["Overall"].dropna()
    assert len(scored_only)
    assert scored_only.min() >= 3.0
    app.slider(key="range").set_range(4.9, 5.0).run()
    assert not app.exception


def test_nothing_fits_is_said(open_page, scored):
    app = open_page("triplets.py", run=scored)
    app.multiselect(key="captioners").select(CAPTIONERS[0]).run()
    app.slider(key="range").set_range(4.9, 5.0).run()
    shown = list(app.dataframe[0].value["Sample"]) if app.dataframe else []
    assert "No response fits these filters" in words(app) or shown == [f"s{BROKEN:03}"]


def test_no_claim_can_be_left_out_of_the_overall_score(open_page, scored):
    app = open_page("triplets.py", run=scored)
    app.toggle(key="count_default").set_value(False).run()
    table = table_of(app).set_index("Sample")
    assert table.loc["s000"]["Overall"] == 5.0
    assert table.loc["s001"]["Overall"] == 3.5


def test_selection_says_what_is_kept_and_dropped(open_page, scored):
    app = open_page("triplets.py", run=scored)
    app.slider(key="top_n").set_value(10).run()
    assert "10 kept, 50 dropped" in words(app)
    assert "1 of the dropped have no overall score" in words(app)
    app.segmented_control(key="rule").set_value("At least").run()
    app.slider(key="threshold").set_value(3.3).run()
    n = sum(overall_of(i) >= 3.3 for i in range(N) if i != BROKEN)
    assert f"{n} kept, {N - n} dropped" in words(app)


def weighted_of(i, weights):
    scores = [2 if v is None else v for v in values(i)]
    return sum(w * v for w, v in zip(weights, scores, strict=True)) / sum(weights)


def test_weights_change_the_overall_score_and_how_many_are_selected(open_page, scored):
    app = open_page("triplets.py", run=scored)
    app.segmented_control(key="rule").set_value("At least").run()
    app.slider(key="threshold").set_value(2.5).run()
    kept = {}
    for weights in ((1, 1, 1), (3, 1, 0), (0, 0, 1), (0.5, 0, 2)):
        for axis, weight in zip(AXES, weights, strict=True):
            app.number_input(key=f"weight_{axis}").set_value(weight)
        app.run()
        kept[weights] = n = sum(weighted_of(i, weights) >= 2.5 for i in range(N) if i != BROKEN)
        assert f"{n} kept, {N - n} dropped" in words(app), weights
        table = table_of(app).set_index("Sample")
        for i in range(4, 8):
            assert table.loc[f"s{i:03}"]["Overall"] == pytest.approx(weighted_of(i, weights), abs=0.006)
    assert len(set(kept.values())) > 2, "weights that change nothing would test nothing"
    assert "Overall score = (0.5 S" in words(app).replace("\\", "")


def test_weights_all_zero_are_one_sentence_and_the_axes_count_alike(open_page, scored):
    app = open_page("triplets.py", run=scored)
    for axis in AXES:
        app.number_input(key=f"weight_{axis}").set_value(0.0)
    app.run()
    assert not app.exception
    assert "no overall score" in app.warning[0].value
    expected = sorted(round(overall_of(i), 2) for i in range(N) if i != BROKEN)
    assert list(table_of(app)["Overall"])[:-1] == expected


def test_a_stratified_selection_keeps_each_captioners_share(open_page, scored):
    app = open_page("triplets.py", run=scored)
    app.slider(key="top_n").set_value(30).run()
    app.checkbox(key="stratify").check().run()
    assert "10 of 20" in words(app)
    assert "20 of 40" in words(app)


def test_a_response_opens_by_link_with_tags_scores_reasons_and_provenance(open_page, scored):
    text = words(open_page("triplets.py", run=scored, sample="s002"))
    for said in ("s002", "Visual summary", "Summary of s002.", "V of s002", "L of s002", "K of s002"):
        assert said in text
    assert '<mark class="fl-know">There is</mark>' in text
    assert '<mark class="fl-infer">a red</mark>' in text
    assert "evian-rule-tagger" in text
    assert "baseline" in text


def test_a_response_whose_tagging_failed_shows_why_and_the_raw_answer(open_page, scored):
    text = words(open_page("triplets.py", run=scored, sample=f"s{BROKEN:03}"))
    assert "not made: wording changed" in text
    assert "Marked Response: the picture" in text
    assert "not scored" in text


def test_a_response_is_text_and_no_markup(open_page, scored):
    text = words(open_page("triplets.py", run=scored, sample="s000"))
    assert "&lt;script&gt;" in text
    assert audit_fixture.SCRIPT not in text


def test_a_wrong_sample_is_one_sentence(open_page, scored):
    app = open_page("triplets.py", run=scored, sample="../x")
    assert "no such sample" in app.error[0].value.replace("\\", "")
    assert len(app.error) == 1


def test_the_views_selection_is_the_pages(root, scored):
    t = load_triplets(open_run(Workspace(root), scored))
    chosen = select(t, filter_rows(t), n=10)
    assert (len(chosen.kept), chosen.n_dropped, chosen.n_unscored) == (10, 50, 1)
    assert BROKEN not in chosen.kept
    assert sorted(r.captioner for r in captioner_table(t)) == sorted(CAPTIONERS)
