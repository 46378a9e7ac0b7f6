"""kill -9 at random moments, then resume: the same findings, and no finished part redone."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

from core.runs.manifest import read_manifest
from core.runs.workspace import Workspace
from tests.audit.conftest import audit_arguments

REPOSITORY = Path(__file__).resolve().parents[2]
KILLS = 6


def start(arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "core", *arguments],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def parts(root):
    """Finished parts of content-keyed stages, with the time they were written."""
    found = (root / "stages").glob("*/*/part-*")
    return {p: p.stat().st_mtime_ns for p in found if not p.parent.name.startswith("reading-")}


def test_killed_at_random_points_then_resumed(demo, audited, tmp_path):
    _, _, expected = audited
    rng = random.Random(5)
    root = tmp_path / "w"
    run_file = tmp_path / "run-id"
    arguments = audit_arguments(demo, root, "--run-file", str(run_file))
    stamps = {}
    killed = 0
    for _ in range(KILLS):
        process = start(arguments)
        time.sleep(rng.uniform(1.0, 12.0))
        killed += process.poll() is None
        process.kill()
        process.wait()
        for path, stamp in parts(root).items():
            assert stamps.setdefault(path, stamp) == stamp, f"{path.name} was made again"
    assert killed, "the audit was never interrupted"
    run_id = run_file.read_text()
    assert read_manifest(Workspace(root), run_id)["state"] in {"interrupted", "finished"}
    process = start(["runs", "resume", run_id, "--workspace", str(root), "--json"])
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    assert json.loads(out)["status"] == "finished"
    found = json.loads((root / "runs" / run_id / "findings.json").read_text())
    assert found["findings"] == expected["findings"]
    assert all(parts(root)[path] == stamp for path, stamp in stamps.items())


def test_cancel_keeps_what_is_finished_and_exits_with_3(demo, tmp_path):
    root, run_file = tmp_path / "w", tmp_path / "run-id"
    process = start(audit_arguments(demo, root, "--run-file", str(run_file)))
    deadline = time.monotonic() + 60
    while not run_file.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    run_id = run_file.read_text()
    asked = start(["runs", "cancel", run_id, "--workspace", str(root)])
    assert asked.wait() == 0
    process.communicate(timeout=120)
    assert process.returncode == 3
    assert read_manifest(Workspace(root), run_id)["state"] == "cancelled"
