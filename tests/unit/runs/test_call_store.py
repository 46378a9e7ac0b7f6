"""Kept answers: found by every process, never replaced, safe against kill -9."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.errors import RunError
from core.runs.calls import CallStore

ROOT = Path(__file__).resolve().parents[3]
WRITER = """
import sys
from pathlib import Path
from core.runs.calls import CallStore
store = CallStore(Path(sys.argv[1]))
for i in range(100000):
    store.put(f"{sys.argv[2]}{i}", {"text": "x" * 200})
    print(i, flush=True)
"""


def test_a_look_creates_nothing(tmp_path):
    store = CallStore(tmp_path / "scorer")
    assert store.get_many(["a"]) == {}
    assert (len(store), store.noted("x")) == (0, "")
    assert not (tmp_path / "scorer").exists()


def test_the_first_answer_stays(tmp_path):
    CallStore(tmp_path).put("a", {"text": "Ä"})
    CallStore(tmp_path).put("a", {"text": "other"})
    assert CallStore(tmp_path).get_many(["a", "b"]) == {"a": {"text": "Ä"}}


def test_many_keys_at_once(tmp_path):
    store = CallStore(tmp_path)
    for i in range(1200):
        store.put(str(i), {"n": i})
    found = store.get_many(str(i) for i in range(1500))
    assert [found[str(i)]["n"] for i in range(1200)] == list(range(1200))
    assert len(found) == len(store) == 1200


def test_notes_are_replaced(tmp_path):
    store = CallStore(tmp_path)
    store.note("variant", "hard")
    store.note("variant", "logprobs")
    assert CallStore(tmp_path).noted("variant") == "logprobs"


def test_two_writers_killed_lose_nothing_they_had_put(tmp_path):
    def start(name):
        return subprocess.Popen(
            [sys.executable, "-c", WRITER, tmp_path / "scorer", name],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )

    writers = {name: start(name) for name in "ab"}
    time.sleep(1.5)
    said = {}
    for name, writer in writers.items():
        os.kill(writer.pid, signal.SIGKILL)
        out, _ = writer.communicate()
        lines = out.split("\n")[:-1]
        said[name] = int(lines[-1]) + 1 if lines else 0
    assert min(said.values()) > 10
    store = CallStore(tmp_path / "scorer")
    keys = [f"{name}{i}" for name, n in said.items() for i in range(n)]
    assert len(store.get_many(keys)) == len(keys)
    store.put("after", {})
    assert store.get_many(["after"]) == {"after": {}}


def test_a_damaged_file_is_one_sentence(tmp_path):
    (tmp_path / "answers.sqlite").write_bytes(b"this is no database " * 500)
    with pytest.raises(RunError, match="the kept answers of models cannot be used"):
        CallStore(tmp_path).put("a", {})
