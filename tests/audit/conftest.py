"""A small demo, audited once for all tests of this folder."""

import json

import pytest

from core.cli import main
from core.dataset.demo import write_demo
from core.runs.workspace import Workspace


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    return write_demo(tmp_path_factory.mktemp("demo"), seed=3, n=120)


def audit_arguments(demo, workspace, *more):
    return [
        "audit", str(demo.captions), "--images", str(demo.images), "--objects", "objects",
        "--workspace", str(workspace), "--name", "small", "--json", *more,
    ]  # fmt: skip


@pytest.fixture(scope="session")
def audited(demo, tmp_path_factory):
    """(workspace, run id, findings.json) of one finished audit."""
    root = tmp_path_factory.mktemp("workspace")
    run_file = root / "run-id"
    assert main(audit_arguments(demo, root / "w", "--run-file", str(run_file))) == 0
    run_id = run_file.read_text()
    findings = json.loads((root / "w" / "runs" / run_id / "findings.json").read_text())
    return Workspace(root / "w"), run_id, findings
