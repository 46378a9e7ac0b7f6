"""Workspace, events, cancel, config and the state of runs."""

import os
import subprocess
import sys
import textwrap
import time

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.run import AuditConfig
from core.errors import AuditCancelledError, RunError
from core.runs.cancel import CancelToken, request_cancel
from core.runs.config_file import read_config, write_config
from core.runs.events import EventLog, read_events
from core.runs.executor_local import run_parts
from core.runs.manifest import claim_run, finish_run, list_runs, read_manifest, run_info, start_run
from core.runs.parts import StageStore
from core.runs.workspace import Workspace


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "w").create()


def make_run(workspace, name):
    run_dir = workspace.folder(workspace.run_dir(name))
    start_run(run_dir, {"run_id": name, "name": name, "preset": "embedded", "dataset": {"n_samples": 3}})
    return run_dir


def test_a_file_as_workspace_is_refused(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(RunError, match="not a folder"):
        Workspace(file)
    with pytest.raises(RunError, match="cannot be written"):
        Workspace(file / "inside").create()


def test_a_newer_workspace_is_refused(workspace):
    (workspace.root / "format.json").write_text('{"format": 99}')
    with pytest.raises(RunError, match="format 99"):
        Workspace(workspace.root)


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".hidden", "/etc"])
def test_run_names_cannot_leave_the_workspace(workspace, name):
    with pytest.raises(RunError, match="not the name"):
        workspace.run_dir(name)


def test_events_survive_a_half_written_line(tmp_path):
    path = tmp_path / "events.jsonl"
    log = EventLog(path)
    log.emit("run_started", run_id="r")
    with path.open("ab") as stream:
        stream.write(b'{"seq": 2, "kind": "prog')
    EventLog(path).emit("progress", n_done=1)
    events = read_events(path)
    assert [e["kind"] for e in events] == ["run_started", "progress"]
    assert [e["seq"] for e in events] == [1, 2]
    assert [e["kind"] for e in read_events(path, after=1)] == ["progress"]


def test_cancel_is_seen_between_batches(tmp_path):
    token = CancelToken(tmp_path)
    token.raise_if_requested()
    request_cancel(tmp_path)
    time.sleep(0.06)
    with pytest.raises(AuditCancelledError) as caught:
        token.raise_if_requested()
    assert caught.value.exit_code == 3
    token.clear()
    token.raise_if_requested()


texts = st.text(st.characters(exclude_categories=["Cs"]))


@settings(max_examples=60)
@given(texts, st.none() | texts, st.lists(texts, max_size=3), st.integers(0, 2**40))
def test_config_round_trip(tmp_path_factory, captions, name, vocabulary, seed):
    config = AuditConfig(captions, name=name, vocabulary=tuple(vocabulary), seed=seed)
    path = tmp_path_factory.mktemp("c") / "config.toml"
    write_config(path, config)
    assert read_config(path) == config


def test_config_of_another_version_is_a_sentence(tmp_path):
    (tmp_path / "config.toml").write_text('captions = "x"\ncolour = 3\n')
    with pytest.raises(RunError, match="does not know"):
        read_config(tmp_path / "config.toml")


def test_a_run_whose_process_is_gone_is_interrupted(workspace):
    run_dir = make_run(workspace, "a")
    with claim_run(run_dir):
        assert read_manifest(workspace, "a")["state"] == "running"
    assert read_manifest(workspace, "a")["state"] == "interrupted"
    finish_run(run_dir, "finished", seconds=2)
    assert run_info(workspace, "a").state == "finished"


def test_a_run_cannot_be_executed_twice_at_once(workspace):
    run_dir = make_run(workspace, "a")
    with claim_run(run_dir), pytest.raises(RunError, match="already going on"), claim_run(run_dir):
        pass


def test_a_damaged_run_does_not_break_the_list(workspace):
    make_run(workspace, "good")
    bad = make_run(workspace, "bad")
    (bad / "run.json").write_text('{"run_id": ')
    (workspace.runs_dir / "empty").mkdir()
    infos = {i.run_id: i for i in list_runs(workspace)}
    assert infos["good"].state == "interrupted"
    assert infos["bad"].state == infos["empty"].state == "failed"
    assert "cannot be read" in infos["bad"].message


def test_missing_run_is_a_sentence(workspace):
    with pytest.raises(RunError, match="no such run"):
        read_manifest(workspace, "nothing")


def test_progress_of_a_running_run(workspace):
    run_dir = make_run(workspace, "a")
    log = EventLog(run_dir / "events.jsonl")
    log.emit("run_started", run_id="a")
    log.emit("progress", stage="scores", n_done=25, n_total=100, unit="facts")
    with claim_run(run_dir):
        info = run_info(workspace, "a")
    assert (info.stage, info.progress) == ("scores", 0.25)


def test_only_missing_parts_are_made(workspace, tmp_path):
    store = StageStore(workspace, "s", "k")
    store.write_table(1, pa.table({"x": [-1]}))
    made, events = [], []

    def make(start, stop):
        made.append((start, stop))
        return pa.table({"x": list(range(start, stop))})

    run_parts(
        store, 25, 10, make, cancel=CancelToken(tmp_path), emit=lambda k, **f: events.append(f), unit="x"
    )
    assert made == [(0, 10), (20, 25)]
    assert [e["n_done"] for e in events] == [10, 20, 25]


KILLED = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    import pyarrow as pa
    from core.runs.cancel import CancelToken
    from core.runs.executor_local import run_parts
    from core.runs.parts import StageStore
    from core.runs.workspace import Workspace

    root = Path(sys.argv[1])
    store = StageStore(Workspace(root).create(), "s", "k")

    def make(start, stop):
        with (root / "made.log").open("a") as log:
            log.write(f"{start}\\n")
        time.sleep(0.002)
        return pa.table({"x": list(range(start, stop)) * 400})

    with store.lock():
        if not store.is_complete:
            run_parts(store, 400, 10, make, cancel=CancelToken(root), emit=lambda k, **f: None, unit="x")
            store.commit({})
    """
)


def start_writer(root):
    return subprocess.Popen([sys.executable, "-c", KILLED, str(root)])


def test_kill_at_random_moments_loses_no_finished_part(tmp_path):
    start_writer(tmp_path / "whole").wait()
    whole = StageStore(Workspace(tmp_path / "whole"), "s", "k")
    root = tmp_path / "killed"
    store = StageStore(Workspace(root), "s", "k")
    stamps = {}
    for kill in range(8):
        process = start_writer(root)
        time.sleep(0.25 + 0.03 * kill)
        process.kill()
        process.wait()
        for path in store.part_paths():
            stamp = path.stat().st_mtime_ns
            assert stamps.setdefault(path.name, stamp) == stamp, "a finished part was written again"
    start_writer(root).wait()
    assert store.output_hash == whole.output_hash
    assert not list(store.path.glob(".tmp-*"))


def test_two_writers_share_the_work(tmp_path):
    processes = [start_writer(tmp_path) for _ in range(2)]
    assert [p.wait() for p in processes] == [0, 0]
    made = (tmp_path / "made.log").read_text().split()
    assert sorted(map(int, made)) == list(range(0, 400, 10))


def test_a_full_disk_is_a_sentence(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match="disk is full"):
        write_config(tmp_path / "config.toml", AuditConfig("x"))
    assert list(tmp_path.iterdir()) == []
