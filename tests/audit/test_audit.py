"""The whole audit on drawn images: what it finds, what it keeps, what it says."""

import json
from pathlib import Path

import pyarrow.compute as pc

from core.cli import main
from core.runs.events import read_events
from core.runs.manifest import read_manifest, run_info
from core.runs.parts import StageStore
from tests.audit.conftest import audit_arguments


def stage(workspace, run_id, name):
    return StageStore(workspace, name, read_manifest(workspace, run_id)["stages"][name])


def test_the_planted_error_is_the_first_finding(audited, demo):
    _, _, found = audited
    first = found["findings"][0]
    assert (first["textual_fact"]["text"], first["visual_feature"]["text"]) == demo.planted
    assert first["rank"] == 1


def test_the_2x2_table_is_true(audited, demo):
    """Counted again from captions and labels, without the engine."""
    _, _, found = audited
    rows = [json.loads(line) for line in demo.captions.read_text().splitlines()]
    t, v = demo.planted
    cells = {"wrong_present": 0, "wrong_absent": 0, "right_present": 0, "right_absent": 0}
    for row in rows:
        wrong = t in row["caption"] and t not in row["objects"]
        cells[f"{'wrong' if wrong else 'right'}_{'present' if v in row['objects'] else 'absent'}"] += 1
    association = found["findings"][0]["association"]
    assert {k: association[k] for k in cells} == cells


def test_findings_file_has_the_agreed_fields(audited):
    _, run_id, found = audited
    assert found["run_id"] == run_id
    assert {"name", "n_samples", "n_facts", "setting"} <= set(found["dataset"])
    for finding in found["findings"]:
        assert {"rank", "textual_fact", "visual_feature", "text_cluster", "image_cluster"} <= set(finding)
        assert {"id", "size", "mean_alignment", "interval", "n_unscored"} <= set(finding["text_cluster"])
        assert len(finding["textual_fact"]["candidates"]) <= 5
        assert finding["visual_feature"]["rule"] == "contrast"
        assert finding["example_sample_ids"]


def test_every_fact_is_scored_or_counted_as_unscored(audited):
    workspace, run_id, found = audited
    scores = stage(workspace, run_id, "scores").read_table()
    unscored = pc.sum(pc.is_null(scores["value"])).as_py()
    assert scores.num_rows == found["dataset"]["n_facts"]
    assert (
        unscored == found["dataset"]["n_unscored"] == sum(r is not None for r in scores["reason"].to_pylist())
    )


def test_every_fact_is_a_piece_of_its_caption(audited):
    workspace, run_id, _ = audited
    captions = stage(workspace, run_id, "samples").read_table(["caption"])["caption"].to_pylist()
    for fact in stage(workspace, run_id, "facts").read_table().to_pylist():
        assert captions[fact["sample_index"]][fact["start"] : fact["end"]] == fact["text"]


def test_evidence_is_what_the_table_counts(audited):
    workspace, run_id, found = audited
    first = found["findings"][0]
    rows = stage(workspace, run_id, "findings").read_table().to_pylist()
    mine = [r for r in rows if r["finding_id"] == first["finding_id"] and r["wrong"]]
    present = {r["sample_index"] for r in mine if r["feature_present"]}
    absent = {r["sample_index"] for r in mine if not r["feature_present"]}
    assert len(present) == first["association"]["wrong_present"]
    assert len(absent) == first["association"]["wrong_absent"]


def test_asking_again_answers_from_cache(audited, demo, capsys):
    workspace, run_id, found = audited
    log = workspace.run_dir(run_id) / "events.jsonl"
    before = len(read_events(log))
    took = read_manifest(workspace, run_id)["seconds"]
    assert main(audit_arguments(demo, workspace.root)) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["run_id"] == run_id
    assert result["status"] == "finished"
    finished = [e for e in read_events(log)[before:] if e["kind"] == "stage_finished"]
    assert finished
    assert all(e["from_cache"] for e in finished)
    assert read_manifest(workspace, run_id)["seconds"] == took > result["seconds"]
    assert json.loads((workspace.run_dir(run_id) / "findings.json").read_text()) == found


def test_another_k_of_findings_asks_no_scorer_again(audited, demo, capsys):
    workspace, run_id, _ = audited
    assert main(audit_arguments(demo, workspace.root, "--top-k", "1")) == 0
    other = json.loads(capsys.readouterr().out)["run_id"]
    assert other != run_id
    mine, theirs = (read_manifest(workspace, r)["stages"] for r in (run_id, other))
    assert mine["scores"] == theirs["scores"]
    assert mine["findings"] != theirs["findings"]


def test_the_papers_rule_is_selectable(audited, demo, capsys):
    workspace, _, _ = audited
    assert main(audit_arguments(demo, workspace.root, "--visual-feature", "paper")) == 0
    found = json.loads(Path(json.loads(capsys.readouterr().out)["findings_path"]).read_text())
    assert {f["visual_feature"]["rule"] for f in found["findings"]} == {"paper"}


def test_runs_are_listed_shown_and_not_cancelled_when_over(audited, capsys):
    workspace, run_id, _ = audited
    root = ["--workspace", str(workspace.root)]
    assert main(["runs", "list", *root]) == 0
    assert run_id in capsys.readouterr().out
    assert main(["runs", "show", run_id, *root]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "finished"
    assert main(["runs", "cancel", run_id, *root]) == 2
    assert "not going on" in capsys.readouterr().err
    assert main(["runs", "show", "nothing", *root]) == 2
    info = run_info(workspace, run_id)
    assert (info.state, info.n_samples) == ("finished", 120)
