"""An audit with a stage that asks a server: counted beforehand, kept to, paused and resumed."""

import json

import pyarrow as pa
import pytest

from core.audit import dry_run as dry_run_module
from core.audit import run_audit as run_audit_module
from core.audit.context import Stage
from core.audit.dry_run import dry_run
from core.audit.run_audit import run_audit
from core.audit.table import STAGES
from core.cli import main
from core.dataset.demo import write_demo
from core.domain.chat import Ask, ImageInput, PromptRef
from core.domain.judgement import Unscored
from core.domain.run import AuditConfig
from core.errors import AuditError, ServerDownError
from core.runs.executor_local import run_parts
from core.runs.manifest import read_manifest
from core.runs.workspace import Workspace
from tests.protocol.faulty_server import FaultyServer

PROMPT = PromptRef("tests/fact@1", "1" * 64)
ROLE = "scorer_chat"
KEY = "sk-not-to-be-found-42"
PRESET = """description = "test"
text_embedder = "minilm"
image_embedder = "efficientnet-lite0"
joint_image_embedder = "conse"
concept_extractor = "spacy"
scorer_chat = "vl"
[chat.vl]
model = "faulty"
base_urls = ["{url}"]
api_key_env = "FAULTLINE_TEST_KEY"
timeout_s = 2.0
max_attempts = 2
backoff_s = 0.01
max_concurrency = 4
"""


def asks_of(audit):
    facts = audit.stores["facts"].read_table(["sample_index", "text"]).to_pylist()
    images = audit.stores["samples"].read_table(["image_path", "image_sha256"]).to_pylist()
    asks = []
    for fact in facts:
        image = images[fact["sample_index"]]
        shown = (ImageInput(audit.image_root / image["image_path"], image["image_sha256"]),)
        asks.append(Ask(fact["text"], PROMPT, images=shown, choices=("0", "1")))
    return asks


def work(audit, store):
    asks = asks_of(audit)

    def make_part(start, stop):
        answers = audit.models.chat(ROLE).complete(asks[start:stop])
        unscored = [isinstance(a, Unscored) for a in answers]
        return pa.table({"unscored": pa.array(unscored, pa.bool_())})

    run_parts(store, len(asks), 50, make_part, cancel=audit.cancel, emit=audit.emit, unit="facts")
    return {"n": len(asks)}


ASKING = Stage(
    "asking",
    1,
    ("samples", "facts"),
    lambda audit: {"model": audit.models.chat(ROLE).identity},
    work,
    plan=lambda audit: [audit.models.chat(ROLE).plan(asks_of(audit))],
    plan_inputs=("facts",),
)
WITH_ASKING = (*STAGES[: [s.name for s in STAGES].index("facts") + 1], ASKING)


@pytest.fixture
def audit(tmp_path, monkeypatch):
    """(config, workspace, server): a small demo and a preset whose scorer is the server."""
    monkeypatch.setenv("FAULTLINE_TEST_KEY", KEY)
    monkeypatch.setattr(run_audit_module, "STAGES", WITH_ASKING)
    monkeypatch.setattr(run_audit_module, "_findings_file", lambda audit, run_id: {"findings": []})
    demo = write_demo(tmp_path / "demo", seed=3, n=40)
    with FaultyServer(key=KEY) as server:
        preset = tmp_path / "served.toml"
        preset.write_text(PRESET.format(url=server.url))
        config = AuditConfig(
            captions=str(demo.captions), images=str(demo.images), preset=str(preset), name="served"
        )
        yield config, Workspace(tmp_path / "w"), server


def test_the_calls_counted_beforehand_are_the_calls_made(audit):
    config, workspace, server = audit
    planned = dry_run(config, workspace, stages=WITH_ASKING)
    assert server.seen == []
    (call,) = planned.calls
    assert call.role == ROLE
    assert 0 < call.calls <= call.questions
    assert call.completion_tokens == call.calls
    assert call.prompt_tokens > 10 * call.calls
    result = run_audit(config, workspace)
    assert len(server.questions()) == call.calls
    counts = read_manifest(workspace, result.run_id)["calls"][ROLE]
    assert counts["asked"] == call.calls
    assert counts["unscored"] == {}
    assert dry_run(config, workspace, stages=WITH_ASKING).calls[0].calls == 0


def test_a_dry_run_leaves_no_run_and_its_stages_are_used(audit):
    config, workspace, _ = audit
    dry_run(config, workspace, stages=WITH_ASKING)
    assert workspace.run_ids() == []
    events = []
    run_audit(config, workspace, on_event=events.append)
    cached = {e["stage"]: e["from_cache"] for e in events if e["kind"] == "stage_finished"}
    assert cached["samples"]
    assert cached["facts"]
    assert not cached["asking"]


def test_a_server_that_dies_pauses_the_run_and_resume_asks_only_the_rest(audit, monkeypatch):
    config, workspace, server = audit
    total = dry_run(config, workspace, stages=WITH_ASKING).calls[0].calls

    def on_event(event):
        if event["kind"] == "progress" and event["stage"] == "asking" and event["n_done"] >= 50:
            server.stop()

    with pytest.raises(ServerDownError):
        run_audit(config, workspace, on_event=on_event)
    (run_id,) = workspace.run_ids()
    manifest = read_manifest(workspace, run_id)
    assert manifest["state"] == "interrupted"
    assert "resume the run" in manifest["message"]
    left = dry_run(config, workspace, stages=WITH_ASKING).calls[0].calls
    assert 0 < left < total
    with FaultyServer(port=server.port, key=KEY) as again:
        assert main(["runs", "resume", run_id, "--workspace", str(workspace.root)]) == 0
        assert len(again.questions()) == left
    assert read_manifest(workspace, run_id)["state"] == "finished"


def test_the_api_key_is_in_no_file_and_no_output(audit, capsys):
    config, workspace, server = audit
    run_audit(config, workspace)
    code = main(["models", "check", "--preset", config.preset])
    shown = capsys.readouterr()
    assert code == 0
    assert KEY not in shown.out + shown.err
    files = [p for p in workspace.root.rglob("*") if p.is_file()]
    assert any(p.name == "answers.sqlite" for p in files)
    assert not [p for p in files if KEY.encode() in p.read_bytes()]
    assert server.questions()


def test_a_missing_key_leaves_no_run_behind(audit, monkeypatch):
    config, workspace, _ = audit
    monkeypatch.delenv("FAULTLINE_TEST_KEY")
    with pytest.raises(AuditError, match="Set the environment variable FAULTLINE_TEST_KEY"):
        run_audit(config, workspace)
    assert not workspace.runs_dir.exists()


def test_the_command_line_prints_the_counts(audit, monkeypatch, capsys):
    config, workspace, _ = audit
    monkeypatch.setattr(dry_run_module.dry_run, "__kwdefaults__", {
        **dry_run_module.dry_run.__kwdefaults__, "stages": WITH_ASKING,
    })  # fmt: skip
    arguments = ["audit", config.captions, "--images", config.images, "--preset", config.preset]
    arguments += ["--workspace", str(workspace.root), "--dry-run"]
    assert main(arguments) == 0
    assert "scorer_chat: " in (out := capsys.readouterr().out)
    assert "calls to faulty" in out
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["calls"][0]["exact"] is True


def test_what_a_server_cannot_do_is_on_record_of_the_run(audit):
    config, workspace, server = audit
    server.poor.add("no-logprobs")
    events = []
    result = run_audit(config, workspace, on_event=events.append)
    (note,) = read_manifest(workspace, result.run_id)["calls"][ROLE]["degradation"]
    assert "shares of 8 drawn answers" in note
    assert note in next(e["message"] for e in events if e["kind"] == "warning" and ROLE in e["message"])
