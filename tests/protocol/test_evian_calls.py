"""Evian through a server, good and bad answers alike: counted beforehand, unscored with its text, resumed."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from core.audit.dry_run import dry_run
from core.audit.run_audit import run_audit
from core.domain.run import AuditConfig
from core.runs.manifest import read_manifest
from core.runs.workspace import Workspace
from core.views.open_run import open_run
from core.views.triplet_sample import sample_view
from core.views.triplets import load_triplets
from tests.protocol.evian_server import PRESET, EvianServer, kind_of

REPOSITORY = Path(__file__).resolve().parents[2]
PLAIN = 12
BAD = (
    ("WRONGTAGS", "decomposition", "unmatched tag"),
    ("REWORDED", "decomposition", "wording changed"),
    ("NOPREFIX", "summary", "no prefix"),
    ("SIX", "S_V", "out of range"),
    ("PROSE", "S_V", "unparseable"),
    ("TWOSCORES", "S_V", "contradictory"),
    ("fault=cut", "decomposition", "no answer"),
    ("fault=500", "decomposition", "no answer"),
    ("fault=length", "decomposition", "cut off"),
    ("fault=refusal", "decomposition", "refused"),
)
PASSING = ("fault=429*1", "fault=cut*1")
"""Faults that a second try gets over."""


def write_data(folder, captions):
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(len(captions)):
        Image.new("RGB", (32, 24), (i * 5 % 255, 90, i * 11 % 255)).save(folder / f"{i}.png")
    rows = [
        {"id": f"s{i}", "image": f"{i}.png", "caption": c, "references": ["A lamp stands on a table."]}
        for i, c in enumerate(captions)
    ]
    (folder / "responses.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return folder / "responses.jsonl"


def config_of(folder, captions, url):
    preset = folder / "served.toml"
    path = write_data(folder, captions)
    preset.write_text(PRESET.format(url=url))
    return AuditConfig(
        captions=str(path), images=str(folder), preset=str(preset), steps=("evian",), name="served"
    )


def captions_of(words):
    return [f"A lamp number {i} stands there {w}. It may be old." for i, w in enumerate(words)]


def table(workspace, run_id, stage):
    folder = workspace.stage_dir(stage, read_manifest(workspace, run_id)["stages"][stage])
    parts = sorted(Path(folder).glob("part-*.parquet"))
    return pa.concat_tables([pq.read_table(p, partitioning=None) for p in parts]).to_pylist()


@pytest.fixture
def server():
    with EvianServer() as running:
        yield running


def test_the_counted_calls_bound_those_made_and_none_is_asked_again(tmp_path, server):
    captions = [*captions_of(["x"] * 6), *[f"A lamp {i} stands." for i in range(6)]]
    config, workspace = config_of(tmp_path / "d", captions, server.url), Workspace(tmp_path / "w")
    tag, later, axes = dry_run(config, workspace).calls
    assert server.seen == []
    assert (tag.role, tag.calls, tag.exact) == ("decomposer_chat", 12, True)
    assert (later.calls, later.exact) == (24, False)
    assert (axes.role, axes.calls, axes.exact) == ("auditor_chat", 36, False)
    run_audit(config, workspace)
    kinds = [kind_of(q)[0] for q in server.questions()]
    assert {k: kinds.count(k) for k in set(kinds)} == {
        "tag": 12, "distill": 12, "synthesize": 12, "see": 12, "infer": 6,
    }, "3 to decompose, and no question for an axis without a claim"  # fmt: skip
    n = len(server.questions())
    (workspace.root / "stages" / "triplets").rename(tmp_path / "gone")
    run_audit(config, workspace)
    assert len(server.questions()) == n, "answers are kept"


def test_every_bad_answer_is_unscored_with_its_raw_text_and_counted(tmp_path, server):
    words = ["x"] * PLAIN + [w for w, _, _ in BAD] + list(PASSING)
    config = config_of(tmp_path / "d", captions_of(words), server.url)
    workspace = Workspace(tmp_path / "w")
    run_id = run_audit(config, workspace).run_id
    decompositions, triplets = (table(workspace, run_id, s) for s in ("decompositions", "triplets"))
    assert len(decompositions) == len(triplets) == len(words), "none is dropped"
    for i, (word, where, reason) in enumerate(BAD, PLAIN):
        found, scores = decompositions[i], triplets[i]
        if where == "decomposition":
            assert (found["reason"], word) == (reason, word)
            assert scores["logical_coherence_reason"] == reason
        elif where == "summary":
            assert found["summary_unscored"][0] == reason
            assert "Sure, here it is." in found["summary_unscored"][2], "the raw text is kept"
            assert scores["logical_coherence_score"] == 3, "the other axes are scored all the same"
        assert scores["image_text_consistency_score"] is None, f"{word} became a score"
        assert scores["image_text_consistency_reason"] == reason
    for word in ("WRONGTAGS", "REWORDED"):
        raw = decompositions[words.index(word)]["raw"]
        assert raw.startswith("Marked Response:")
        assert word in raw
    six = triplets[words.index("SIX")]
    assert six["image_text_consistency_raw"] == "Score: 6\nExplanation: outstanding"
    good = [*range(PLAIN), *(words.index(w) for w in PASSING)]
    for i in good:
        assert decompositions[i]["visual_summary"] == f"A lamp number {i} stands there {words[i]}."
        assert triplets[i]["image_text_consistency_score"] == 4
        assert triplets[i]["logical_coherence_score"] == 3
        assert triplets[i]["factual_accuracy_defaulted"]
    check_counts(workspace, run_id, words)


def check_counts(workspace, run_id, words):
    run = open_run(workspace, run_id)
    record = json.loads((run.need_stage("triplets") / "stage.json").read_text())["summary"]
    counts = record["axes"]["image_text_consistency"]
    assert counts["n_scored"] == PLAIN + len(PASSING)
    assert sum(counts["unscored"].values()) == len(BAD)
    assert set(counts["unscored"]) == {reason for _, _, reason in BAD}
    record = json.loads((run.need_stage("decompositions") / "stage.json").read_text())["summary"]
    assert record["n_unscored"] == sum(where == "decomposition" for _, where, _ in BAD)
    asked = read_manifest(workspace, run_id)["calls"]["decomposer_chat"]
    assert asked["unscored"]["no answer"] == 2
    t = load_triplets(run)
    assert not t.baseline
    view = sample_view(run, t, t.sample_ids[words.index("WRONGTAGS")])
    assert "not made: unmatched tag" in view.visual_summary
    assert {a.value for a in view.axes} == {"not scored"}


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "core", *arguments],
        cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_killed_amid_the_questions_then_resumed_asks_only_the_rest(tmp_path, server):
    captions = captions_of([f"w{i}" for i in range(40)])
    config = config_of(tmp_path / "d", captions, server.url)
    whole = Workspace(tmp_path / "whole")
    expected = table(whole, run_audit(config, whole).run_id, "triplets")
    total = len(server.questions())
    server.seen.clear()
    server.delay_s = 0.1
    root, run_file = tmp_path / "w", tmp_path / "run-id"
    process = start(
        "audit", config.captions, "--images", str(config.images), "--preset", config.preset,
        "--steps", "evian", "--name", "served", "--workspace", str(root), "--run-file", str(run_file),
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while len(server.questions()) < 60 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    asked = len(server.questions())
    assert 60 <= asked < total, "it was to be killed amid the questions"
    server.delay_s = 0.0
    time.sleep(0.3)
    process = start("runs", "resume", run_file.read_text(), "--workspace", str(root))
    assert process.wait(timeout=240) == 0, process.stderr.read()
    again = [q for q in set(server.questions()) if server.questions().count(q) > 1]
    assert len(again) <= 2 * 4, "only what was under way may be asked twice"
    assert table(Workspace(root), run_file.read_text(), "triplets") == expected
