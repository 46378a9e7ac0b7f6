"""The fixture workspace of the page tests, for views."""

from __future__ import annotations

import pytest

from core.runs.workspace import Workspace
from tests.pages import audit_fixture


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root):
    return Workspace(root)


@pytest.fixture
def finished(root):
    """Id of a finished run with three findings, 60 samples and their images."""
    return audit_fixture.write_finished(root)
