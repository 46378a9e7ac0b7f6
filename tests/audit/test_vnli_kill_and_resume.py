"""VNLI-Critique killed in each of its stages: resumed, it asks the rest only, and says the same."""

import random
import sqlite3
import time

import pytest

from core.cli import main
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from tests.audit.conftest import audit_arguments
from tests.audit.test_kill_and_resume import parts, start
from tests.protocol.faulty_server import text_of
from tests.protocol.seeing_server import drawn_in
from tests.protocol.test_vnli_audit_calls import PRESET, CriticServer

STAGES = ("factuality", "critiques", "revisions")
ASKED = {"factuality": "does the following text align", "critiques": "Explain the misalignments"}
"""Words of the stage's questions; all others are the reviser's."""


class KillingServer(CriticServer):
    """Kills `victim` when it asks its `left`-th question of the stage `deadly`."""

    victim, deadly, left = None, "", 0

    def arm(self, victim, deadly, left):
        with self.lock:
            self.victim, self.deadly, self.left = victim, deadly, left

    def answer(self, body):
        text = text_of(body["messages"][-1])
        stage = next((name for name, words in ASKED.items() if words in text), "revisions")
        with self.lock:
            if self.victim is not None and stage == self.deadly and text != "Say hello.":
                self.left -= 1
                if self.left == 0:
                    self.victim.kill()
        return super().answer(body)


def kept(root):
    """Answers on disk."""
    total = 0
    for path in root.rglob("answers.sqlite"):
        with sqlite3.connect(path) as database:
            total += database.execute("SELECT count(*) FROM answers").fetchone()[0]
        database.close()
    return total


def tables(root, run_id):
    workspace = Workspace(root)
    keys = read_manifest(workspace, run_id)["stages"]
    return {name: StageStore(workspace, name, keys[name]).read_table().to_pylist() for name in STAGES}


def arguments_of(demo, folder, preset):
    more = ["--steps", "vnli", "--preset", str(preset), "--run-file", str(folder / "id")]
    return audit_arguments(demo, folder / "w", *more)


@pytest.mark.timeout(400)
def test_killed_in_every_stage_then_resumed(demo, tmp_path):
    rng = random.Random(7)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    with KillingServer(drawn_in(demo)) as server:
        preset = tmp_path / "critic.toml"
        preset.write_text(PRESET.format(url=server.url))
        assert main(arguments_of(demo, whole, preset)) == 0
        expected = tables(whole / "w", (whole / "id").read_text())
        total = len(server.questions())
        assert kept(whole / "w") == total
        assert len(expected["revisions"]) > 4

        stamps, root = {}, broken / "w"
        for stage in STAGES:
            known, before = kept(root), len(server.questions())
            victim = start(arguments_of(demo, broken, preset))
            server.arm(victim, stage, rng.randint(2, len(expected["revisions"]) // 2))
            victim.communicate(timeout=200)
            assert victim.returncode == -9, f"the audit was not interrupted in {stage}"
            time.sleep(0.5)  # questions on their way arrive
            assert known < kept(root) < total
            assert len(server.questions()) - before >= kept(root) - known
            for path, stamp in parts(root).items():
                assert stamps.setdefault(path, stamp) == stamp, f"{path.name} was made again"

        server.arm(None, "", 0)
        known, before = kept(root), len(server.questions())
        run_id = (broken / "id").read_text()
        process = start(["runs", "resume", run_id, "--workspace", str(root), "--json"])
        process.communicate(timeout=200)
        assert process.returncode == 0
        assert len(server.questions()) - before == total - known, "an answered question was asked again"
    assert kept(root) == total
    assert tables(root, run_id) == expected
    assert all(parts(root)[path] == stamp for path, stamp in stamps.items())
