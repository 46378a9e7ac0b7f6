"""Whole audits whose scorer and summariser are chat models behind a server."""

import json
from dataclasses import replace

import pytest

from core.audit.dry_run import dry_run
from core.audit.run_audit import run_audit
from core.dataset.demo import write_demo
from core.domain.run import AuditConfig
from core.errors import ConfigError, ServerDownError
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from tests.protocol.seeing_server import SeeingServer, drawn_in

PRESET = """description = "test"
text_embedder = "minilm"
image_embedder = "efficientnet-lite0"
joint_image_embedder = "efficientnet-lite0"
concept_extractor = "spacy"
scorer = "{scorer}"
summarizer = "{summarizer}"
scorer_chat = "vl"
summarizer_chat = "vl"
{captioner}
[chat.vl]
model = "faulty"
base_urls = ["{url}"]
timeout_s = 5.0
max_attempts = 2
backoff_s = 0.01
max_concurrency = 8
"""
ROLES = {"scorer_chat", "summarizer_chat", "captioner_chat"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo without its object lists: captions and images only."""
    made = write_demo(tmp_path_factory.mktemp("demo"), seed=3, n=80)
    rows = [json.loads(line) for line in made.captions.read_text().splitlines()]
    plain = made.captions.with_name("plain.jsonl")
    plain.write_text("".join(json.dumps({"image": r["image"], "caption": r["caption"]}) + "\n" for r in rows))
    described = made.captions.with_name("described.jsonl")
    truths = [["A picture of " + ", ".join(r["objects"]) + "."] for r in rows]
    described.write_text(
        "".join(
            json.dumps({"image": r["image"], "caption": r["caption"], "references": t}) + "\n"
            for r, t in zip(rows, truths, strict=True)
        )
    )
    return made


def preset(folder, url, scorer, summarizer, captioner='captioner_chat = "vl"'):
    path = folder / f"{scorer}-{summarizer}.toml"
    path.write_text(PRESET.format(scorer=scorer, summarizer=summarizer, url=url, captioner=captioner))
    return str(path)


def config_of(demo, name, preset_path):
    return AuditConfig(
        captions=str(demo.captions.with_name(name)), images=str(demo.images), preset=preset_path, name="chat"
    )


def found_in(workspace, run_id):
    findings = json.loads((workspace.run_dir(run_id) / "findings.json").read_text())
    return findings, [(f["textual_fact"]["text"], f["visual_feature"]["text"]) for f in findings["findings"]]


@pytest.mark.parametrize(
    ("file", "scorer", "summarizer"),
    [
        ("plain.jsonl", "vision-language", "vision-language"),
        ("plain.jsonl", "text-only", "text-only"),
        ("described.jsonl", "text-only", "text-only"),
        ("described.jsonl", "vision-language", "vision-language"),
    ],
)
def test_the_planted_error_is_found_with_the_calls_counted(demo, tmp_path, file, scorer, summarizer):
    workspace = Workspace(tmp_path / "w")
    with SeeingServer(drawn_in(demo)) as server:
        config = config_of(demo, file, preset(tmp_path, server.url, scorer, summarizer))
        planned = dry_run(config, workspace).calls
        assert server.seen == []
        result = run_audit(config, workspace)
        asked = len(server.questions())
    findings, pairs = found_in(workspace, result.run_id)
    assert ("handbag", "bus") in pairs[:2]
    assert findings["scorer"]["name"] == scorer
    assert findings["dataset"]["n_unscored"] == 0
    manifest = read_manifest(workspace, result.run_id)
    assert set(manifest["calls"]) <= ROLES
    assert asked == sum(c["asked"] for c in manifest["calls"].values())
    most = {role: sum(c.calls for c in planned if c.role == role) for role in manifest["calls"]}
    for role, count in manifest["calls"].items():
        mine = [c for c in planned if c.role == role]
        if all(c.exact for c in mine):
            assert count["asked"] == most[role] > 0
        else:
            assert 0 < count["asked"] <= most[role]


def test_answers_outside_the_format_are_counted_and_never_numbers(demo, tmp_path):
    workspace = Workspace(tmp_path / "w")
    with SeeingServer(drawn_in(demo), broken="bus") as server:
        path = preset(tmp_path, server.url, "vision-language", "vision-language")
        result = run_audit(config_of(demo, "plain.jsonl", path), workspace)
    manifest = read_manifest(workspace, result.run_id)
    scores = StageStore(workspace, "scores", manifest["stages"]["scores"]).read_table()
    facts = StageStore(workspace, "facts", manifest["stages"]["facts"]).read_table(["text"])
    broken = ["bus" in text for text in facts["text"].to_pylist()]
    assert [value is None for value in scores["value"].to_pylist()] == broken
    assert result.n_unscored == sum(broken) > 0
    raws = {r for r, b in zip(scores["raw"].to_pylist(), broken, strict=True) if b}
    assert raws == {"maybe"}
    assert manifest["calls"]["scorer_chat"]["unscored"]["not a choice"] > 0


def test_neither_k_nor_the_summariser_asks_the_scorer_again(demo, tmp_path):
    workspace = Workspace(tmp_path / "w")
    with SeeingServer(drawn_in(demo)) as server:
        base = config_of(demo, "plain.jsonl", preset(tmp_path, server.url, "vision-language", "contrast"))
        run_audit(base, workspace)
        scored = len(server.questions())
        run_audit(replace(base, seed=5), workspace)
        assert len(server.questions()) == scored
        other = preset(tmp_path, server.url, "vision-language", "vision-language")
        result = run_audit(replace(base, preset=other), workspace)
        calls = read_manifest(workspace, result.run_id)["calls"]
        assert calls.get("scorer_chat", {"asked": 0})["asked"] == 0
        assert calls["summarizer_chat"]["asked"] == len(server.questions()) - scored > 0


def test_a_server_that_dies_pauses_and_resume_asks_the_rest(demo, tmp_path):
    workspace = Workspace(tmp_path / "w")
    server = SeeingServer(drawn_in(demo))
    config = config_of(demo, "plain.jsonl", preset(tmp_path, server.url, "vision-language", "contrast"))
    (planned,) = dry_run(config, workspace).calls

    def on_event(event):
        if event["kind"] == "progress" and event["stage"] == "scores" and event["n_done"] >= 256:
            server.stop()

    with server, pytest.raises(ServerDownError):
        run_audit(config, workspace, on_event=on_event)
    (left,) = dry_run(config, workspace).calls
    assert 0 < left.calls < planned.calls
    with SeeingServer(drawn_in(demo), port=server.port) as again:
        run_audit(config, workspace)
        assert len(again.questions()) == left.calls


@pytest.mark.parametrize(
    ("scorer", "summarizer", "images", "captioner", "said"),
    [
        ("vision-language", "contrast", False, "", "looks at images"),
        ("text-only", "contrast", True, "", "captioner_chat"),
        ("vision-language", "text-only", True, "", "captioner_chat"),
        ("embedding", "contrast", True, "", "one joint model"),
    ],
)
def test_what_the_data_does_not_allow_is_refused(demo, tmp_path, scorer, summarizer, images, captioner, said):
    path = preset(tmp_path, "http://127.0.0.1:9/v1", scorer, summarizer, captioner)
    config = config_of(demo, "plain.jsonl" if images else "described.jsonl", path)
    with pytest.raises(ConfigError, match=said):
        run_audit(config if images else replace(config, images=None), Workspace(tmp_path / "w"))
