"""Errors planted into a run's own captions are found as an audit of the written copy finds them."""

import json

import numpy as np
import pytest

from core.audit.reopen import reopen
from core.audit.run_audit import run_audit
from core.bench.planted import Ground, plant, planted_file
from core.bench.planted_results import kept_results
from core.bench.symbalbench.inject import templates
from core.cli import main
from core.domain.run import AuditConfig
from core.errors import ConfigError, RunError
from core.views.open_run import open_run
from core.views.planted import planted_view

THINGS = "dog cat bus clock kite horse boat bench bird sheep pizza lamp".split()


def write_captions(path, n=320, seed=5):
    """Captions that name what their object list holds, now and then leaving something out."""
    random = np.random.default_rng(seed)
    with path.open("w") as stream:
        for i in range(n):
            shown = [t for t in THINGS if random.random() < 0.22]
            said = [t for t in shown if random.random() < 0.8] or ["scene"]
            text = " ".join(f"There is a {t} here." for t in said)
            stream.write(json.dumps({"id": f"s{i}", "caption": text, "objects": shown}) + "\n")
    return path


@pytest.fixture(scope="module")
def reopened(tmp_path_factory):
    from core.runs.workspace import Workspace

    root = tmp_path_factory.mktemp("planted")
    workspace = Workspace(root / "w")
    captions = write_captions(root / "captions.jsonl")
    done = run_audit(AuditConfig(captions=str(captions), objects_column="objects", top_k=8), workspace)
    return reopen(workspace, done.run_id), done.run_id


def test_the_planted_error_is_found_as_in_an_audit_of_the_written_copy(reopened, tmp_path):
    audit, _ = reopened
    ground = Ground(audit)
    plan = next(p for p in ground.plans(2, 0, (0.6,)))
    texts = ground.sentences(plan, templates(), 0)
    found = ground.findings(plan, texts)
    added = dict(zip(plan.rows.tolist(), texts, strict=True))
    objects = audit.stores["samples"].read_table(["objects"])["objects"].to_pylist()
    copy = tmp_path / "copy.jsonl"
    with copy.open("w") as stream:
        for row, caption in enumerate(ground.captions):
            more = f" {added[row]}" if row in added else ""
            line = {"id": ground.ids[row], "caption": caption + more, "objects": objects[row]}
            stream.write(json.dumps(line) + "\n")
    again = run_audit(AuditConfig(captions=str(copy), objects_column="objects", top_k=8), audit.workspace)
    with open(again.findings_path) as stream:
        written = json.load(stream)["findings"]
    here = [(f.textual_fact.text, f.visual_feature.text, f.association.wrong_present) for f in found]
    there = [
        (f["textual_fact"]["text"], f["visual_feature"]["text"], f["association"]["wrong_present"])
        for f in written
    ]
    assert here == there
    assert (plan.t, plan.v) in {(t, v) for t, v, _ in here}


def test_results_are_kept_shown_and_not_made_again(reopened, monkeypatch):
    audit, run_id = reopened
    results = plant(audit, n=2, levels=(0.6, 0.9))
    assert len(results) == 4
    assert sum(r.rank is not None for r in results) >= 3, "a strong error in 320 captions is seen"
    assert kept_results(planted_file(audit)) == results
    monkeypatch.setattr(Ground, "findings", lambda *_: pytest.fail("planted again"))
    assert plant(audit, n=2, levels=(0.6, 0.9)) == results
    view = planted_view(open_run(audit.workspace, run_id))
    assert [r.planted for r in view.rows] == [2, 2]
    assert view.sentence.startswith("Of 2 errors planted at Cramer's V 0.6")


def test_results_beside_other_findings_are_not_shown(reopened):
    audit, run_id = reopened
    run = open_run(audit.workspace, run_id)
    file = planted_file(audit)
    before = file.read_text() if file.exists() else ""
    try:
        file.write_text(before.replace(audit.stores["findings"].key, "another"))
        assert planted_view(run).rows == ()
    finally:
        file.write_text(before)


def test_command_prints_the_recall_and_mistakes_are_one_sentence(reopened, capsys, tmp_path):
    audit, run_id = reopened
    workspace = str(audit.workspace.root)
    assert main(["plant", run_id, "--n", "1", "--levels", "0.9", "--workspace", workspace]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("V 0.9")
    assert main(["plant", run_id, "--levels", "1.5", "--workspace", workspace]) == 2
    assert "between 0 and 1" in capsys.readouterr().err
    bad = tmp_path / "sentences.txt"
    bad.write_text("There is something.\n")
    assert main(["plant", run_id, "--sentences", str(bad), "--workspace", workspace]) == 2
    assert "no place for the name" in capsys.readouterr().err
    assert main(["plant", "nothing", "--workspace", workspace]) == 2


def test_unfinished_runs_and_small_ones_are_refused(reopened, tmp_path):
    audit, run_id = reopened
    record = audit.workspace.run_dir(run_id) / "run.json"
    kept = record.read_text()
    try:
        record.write_text(json.dumps({**json.loads(kept), "state": "failed"}))
        with pytest.raises(RunError, match="not finished"):
            reopen(audit.workspace, run_id)
    finally:
        record.write_text(kept)
    few = write_captions(tmp_path / "few.jsonl", n=20)
    done = run_audit(AuditConfig(captions=str(few), objects_column="objects"), audit.workspace)
    with pytest.raises(ConfigError, match="no error can be planted"):
        plant(reopen(audit.workspace, done.run_id))
