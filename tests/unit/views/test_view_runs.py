"""Overview, progress and problems as data, over runs in every state."""

from __future__ import annotations

import pytest

from core.runs.manifest import claim_run
from core.views.findings import finding_target
from core.views.open_run import labels_of, open_run
from core.views.overview import overview_view
from core.views.problems import problems_view
from core.views.progress import progress_view, stage_lines
from tests.pages import audit_fixture as fixture


def judge_all(workspace, run_id, verdict="confirmed"):
    run = open_run(workspace, run_id)
    for t, v in fixture.PAIRS:
        labels_of(workspace, run.fingerprint).give(
            finding_target(fixture.finding_id(t, v)),
            verdict,
            annotator="ann",
            dataset=run.fingerprint,
            run_id=run_id,
        )


def test_an_empty_workspace_says_start(workspace):
    view = overview_view(workspace)
    assert view.runs == view.datasets == ()
    assert view.step.kind == "start"
    assert not view.is_moving


def test_every_state_is_listed_newest_first(root, workspace, finished):
    running = fixture.write_run(root, "now-1", "running", minutes_ago=1)
    fixture.write_run(root, "gone-1", "running", minutes_ago=10)
    fixture.write_run(
        root, "bad-1", "failed", minutes_ago=20, message="captions.csv: there is no column 'text'."
    )
    fixture.write_run(root, "off-1", "cancelled", minutes_ago=30)
    fixture.write_events(running, fixture.running_events())
    with claim_run(running):
        view = overview_view(workspace)
    assert [(r.run_id, r.state) for r in view.runs] == [
        ("now-1", "running"),
        ("street-1a2b3c", "finished"),
        ("gone-1", "interrupted"),
        ("bad-1", "failed"),
        ("off-1", "cancelled"),
    ]
    assert view.runs[0].progress == 0.5
    assert view.runs[0].stage == "facts"
    assert view.runs[3].message == "captions.csv: there is no column 'text'."
    assert view.is_moving
    assert view.step.kind == "watch"


def test_a_damaged_run_hides_nothing_else(root, workspace, finished):
    (root / "runs" / "broken").mkdir()
    (root / "runs" / "broken" / "run.json").write_text("{")
    (root / "runs" / finished / "findings.json").write_text("[1]")
    view = overview_view(workspace)
    assert {r.run_id: r.state for r in view.runs} == {"broken": "failed", finished: "finished"}
    assert view.n_findings == 0


def test_headline_numbers_count_findings_of_the_newest_run_once(root, workspace, finished):
    fixture.write_finished(root, "again-1", images=False)
    judge_all(workspace, finished)
    view = overview_view(workspace)
    assert (view.n_samples, view.n_findings, view.n_judged, view.n_confirmed) == (60, 3, 3, 3)
    (dataset,) = view.datasets
    assert (dataset.name, dataset.n_runs, dataset.n_confirmed, dataset.n_problems) == ("street", 2, 3, 1)


def test_the_next_step_is_the_first_open_finding_then_done(workspace, finished):
    step = overview_view(workspace).step
    assert (step.kind, step.run_id, step.finding_id) == (
        "judge",
        finished,
        fixture.finding_id("handbag", "bus"),
    )
    assert step.text == "0 of 3 findings of ‘street’ have a verdict. Next: handbag ← bus."
    judge_all(workspace, finished)
    assert overview_view(workspace).step.kind == "done"


def test_an_interrupted_run_is_the_next_step_when_nothing_is_open(root, workspace):
    fixture.write_run(root, "gone-1", "running")
    step = overview_view(workspace).step
    assert (step.kind, step.run_id) == ("resume", "gone-1")


def test_progress_of_a_running_run(root, workspace):
    folder = fixture.write_run(root, "now-1", "running")
    fixture.write_events(folder, fixture.running_events(15))
    with claim_run(folder):
        view = progress_view(open_run(workspace, "now-1"))
    states = {line.name: line.state for line in view.stages}
    assert states["samples"] == "done"
    assert states["facts"] == "active"
    assert states["findings"] == "waiting"
    assert view.now == "Split captions into sentences: 15 of 60 captions"
    assert 0 < view.overall < 0.3


def test_progress_of_a_finished_run_leaves_out_stages_that_never_came(workspace, finished):
    view = progress_view(open_run(workspace, finished))
    assert [line.name for line in view.stages] == [
        "samples",
        "problems",
        "facts",
        "concepts",
        "scores",
        "findings",
    ]
    assert {line.name: line.detail for line in view.stages}["facts"] == "from cache"
    assert view.overall == 1.0
    assert view.columns == "captions from 'caption'"


def test_progress_before_the_first_event(root, workspace):
    fixture.write_run(root, "now-1", "running")
    view = progress_view(open_run(workspace, "now-1"))
    assert view.overall == 0
    assert view.now == "Starting"


def test_only_the_last_start_counts_and_a_stopped_stage_waits():
    events = [
        *fixture.running_events(50),
        {"kind": "run_started"},
        {"kind": "stage_finished", "stage": "samples", "from_cache": True, "seconds": 0.0},
        {"kind": "stage_started", "stage": "facts"},
    ]
    active = {line.name: line for line in stage_lines(events, active=True)}
    assert active["samples"].state == "cached"
    assert active["facts"].state == "active"
    assert active["facts"].fraction is None
    stopped = {line.name: line.state for line in stage_lines(events, active=False)}
    assert stopped["facts"] == "waiting"


def test_a_stage_this_version_does_not_know_is_still_shown():
    lines = stage_lines([{"kind": "stage_started", "stage": "new_stage"}], active=True)
    assert lines[-1].title == "New stage"


def test_warnings_are_said_once(root, workspace):
    folder = fixture.write_run(root, "w-1", "cancelled")
    fixture.write_events(folder, [{"kind": "warning", "message": "3 rows have a problem"}] * 2)
    assert progress_view(open_run(workspace, "w-1")).warnings == ("3 rows have a problem",)


def test_problems_with_file_row_and_reason(workspace, finished):
    view = problems_view(open_run(workspace, finished))
    assert view.total == 1
    assert view.kinds == ("1 no caption",)
    assert view.rows[0] == {
        "File": "captions.jsonl",
        "Row": 61,
        "Problem": "no caption",
        "Reason": "the caption is empty",
        "Seen": "",
        "Kept": "left out",
    }


@pytest.mark.parametrize("state", ["running", "failed"])
def test_no_problems_before_the_data_are_read(root, workspace, state):
    fixture.write_run(root, "x-1", state)
    assert problems_view(open_run(workspace, "x-1")).total == 0
