"""Findings, verdicts, drop list and the command line, on a run with labels."""

from __future__ import annotations

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cli import main
from core.export.changes import revised
from core.export.drops import accepted, drop_list, plan_of
from core.export.safe_cells import plain_cell, safe_cell
from core.export.tables import csv_bytes, findings_json, verdicts_table
from core.labels.revisions import accepted_revisions, revised_caption, revision_verdict
from core.runs.workspace import Workspace
from core.views.findings import finding_target
from core.views.open_run import labels_of, open_run
from tests.pages import audit_fixture as fixture

N = 60


@pytest.fixture
def run(tmp_path):
    """A finished run whose input is a JSONL file with the fixture's captions, a row a sample."""
    root = tmp_path / "workspace"
    root.mkdir()
    run_id = fixture.write_finished(root, images=False)
    source = tmp_path / "captions.jsonl"
    rows = [{"n": i, "caption": s["caption"]} for i, s in enumerate(fixture.make_samples(None, N))]
    source.write_text("".join(json.dumps(r) + "\n" for r in rows))
    (root / "runs" / run_id / "config.toml").write_text(f"captions = {json.dumps(str(source))}\n")
    return open_run(Workspace(root), run_id)


def place(run, i):
    sample = fixture.make_samples(None, N)[i]
    start = sample["caption"].index("There is a red")
    return sample["sample_id"], start, sample["caption"].index("middle of it.") + len("middle of it.")


def decide(run, i, verdict, text, annotator="ann"):
    one = revision_verdict(place(run, i), verdict, text)
    labels_of(run.workspace, run.fingerprint).give_many(
        [one], annotator=annotator, dataset=run.fingerprint, run_id=run.run_id
    )


def judge(run, note, annotator="ann", verdict="confirmed"):
    labels_of(run.workspace, run.fingerprint).give(
        finding_target(fixture.finding_id("handbag", "bus")),
        verdict,
        annotator=annotator,
        dataset=run.fingerprint,
        run_id=run.run_id,
        note=note,
    )


def export(run, what, out, *flags):
    return main(
        ["export", run.run_id, what, "--out", str(out), "--workspace", str(run.workspace.root), *flags]
    )


def test_only_agreed_revisions_change_the_captions(run, tmp_path, capsys):
    decide(run, 0, "accepted", "It rains.")
    decide(run, 1, "edited", "")
    decide(run, 2, "rejected", None)
    decide(run, 3, "accepted", "It snows.")
    decide(run, 3, "rejected", None, annotator="bob")
    out = tmp_path / "out.jsonl"
    assert export(run, "captions", out, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["rows"], said["changed"], said["revisions"], said["left_out"]) == (N, 2, 2, 0)
    before = (tmp_path / "captions.jsonl").read_bytes().splitlines()
    after = out.read_bytes().splitlines()
    assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [0, 1]
    captions = [s["caption"] for s in fixture.make_samples(None, N)]
    assert json.loads(after[0])["caption"] == captions[0].replace(
        "There is a red handbag near the middle of it.", "It rains."
    )
    assert "red" not in json.loads(after[1])["caption"]


def test_it_says_what_the_screen_says(run):
    """The export's revised caption is that of `core.labels.revisions`, whatever was decided."""
    captions = {s["sample_id"]: s["caption"] for s in fixture.make_samples(None, N)}
    decide(run, 0, "accepted", "It rains.")
    decide(run, 4, "edited", "")
    found = accepted_revisions(labels_of(run.workspace, run.fingerprint))
    for edit in plan_of(run).edits.values():
        assert revised(edit) == revised_caption(captions[edit.sample_id], found[edit.sample_id])
    assert set(accepted(run)) == set(found) == {"s000", "s004"}


def test_the_drop_list_is_what_stays_wrong(run, tmp_path):
    wrong = [i for i in range(N) if fixture.is_wrong(i)]
    drops = list(drop_list(run))
    assert [d["sample_id"] for d in drops] == [f"s{i:03}" for i in wrong]
    assert [d["row"] for d in drops] == [i + 1 for i in wrong]
    assert drops[0]["sentence"] == "There is a red handbag near the middle of it."
    assert drops[0]["reason"] == "no accepted revision; alignment 0.00: not in the object list: handbag"
    decide(run, wrong[0], "accepted", "It rains.")
    decide(run, wrong[1], "rejected", None)
    assert [d["row"] for d in drop_list(run)] == [i + 1 for i in wrong[1:]]
    out = tmp_path / "out.jsonl"
    assert export(run, "captions", out, "--leave-out") == 0
    kept = [json.loads(line)["n"] for line in out.read_text().splitlines()]
    assert kept == [i for i in range(N) if i not in wrong[1:]]
    assert export(run, "drops", tmp_path / "drops.parquet") == 0
    assert pq.read_table(tmp_path / "drops.parquet").num_rows == len(wrong) - 1


def test_findings_carry_verdicts_and_provenance(run, tmp_path):
    judge(run, "seen", "ann")
    judge(run, "", "bob", "rejected")
    document = json.loads(findings_json(run))
    first = document["findings"][0]
    assert first["verdict"] is None
    assert [(v["annotator"], v["verdict"]) for v in first["verdicts"]] == [
        ("ann", "confirmed"),
        ("bob", "rejected"),
    ]
    assert document["provenance"]["fingerprint"] == fixture.FINGERPRINT
    assert document["provenance"]["stages"]["findings"]
    assert document["scorer"]["baseline"] is True
    assert export(run, "findings", tmp_path / "f.json") == 0
    assert json.loads((tmp_path / "f.json").read_text()) == document


def test_verdicts_keep_their_history(run, tmp_path):
    judge(run, '=HYPERLINK("http://x")')
    judge(run, "second thought", verdict="rejected")
    decide(run, 0, "edited", "-It rains.")
    table = verdicts_table(run).to_pylist()
    assert [(r["kind"], r["verdict"], r["standing"]) for r in table] == [
        ("finding", "confirmed", False),
        ("finding", "rejected", True),
        ("revision", "edited", True),
    ]
    assert (table[0]["textual_fact"], table[0]["visual_feature"]) == ("handbag", "bus")
    assert export(run, "verdicts", tmp_path / "v.csv") == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "v.csv").read_bytes().decode(), newline="")))
    assert rows[0]["note"] == '\'=HYPERLINK("http://x")'
    assert rows[2]["text"] == "'-It rains."
    assert [plain_cell(r["note"]) for r in rows] == [r["note"] for r in table]
    assert export(run, "verdicts", tmp_path / "v.parquet") == 0
    assert pq.read_table(tmp_path / "v.parquet").to_pylist() == table
    assert pq.read_schema(tmp_path / "v.parquet").metadata[b"faultline_run"] == run.run_id.encode()


@given(
    st.text()
    | st.builds(str.__add__, st.sampled_from(["=", "+", "-", "@", "\t", "\r", "'", " =", "＝"]), st.text())
)
def test_cells_are_safe_and_come_back(text):
    cell = safe_cell(text)
    assert plain_cell(cell) == text
    assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
    assert cell.lstrip()[:1] not in ("=", "+", "-", "@")


def test_numbers_stay_numbers():
    assert safe_cell(-1) == -1
    assert safe_cell(None) == ""
    assert csv_bytes(__import__("pyarrow").table({"a": [-1.5], "b": [True]})) == b"a,b\r\n-1.5,True\r\n"


def test_mistakes_are_one_sentence(run, tmp_path, capsys):
    assert export(run, "selected", tmp_path / "x.jsonl") == 2
    assert "no triplets" in capsys.readouterr().err
    assert export(run, "captions", tmp_path / "captions.jsonl") == 2
    assert "overwrite" in capsys.readouterr().err
    assert export(run, "findings", tmp_path / "no" / "x") == 2
    (tmp_path / "captions.jsonl").unlink()
    assert export(run, "captions", tmp_path / "x.jsonl") == 2
    assert "no such file" in capsys.readouterr().err
