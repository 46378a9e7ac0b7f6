"""The workspace the dashboard shows."""

from __future__ import annotations

import os
from pathlib import Path

from core.runs.workspace import Workspace

VARIABLE = "FAULTLINE_WORKSPACE"


def open_workspace() -> Workspace:
    """The workspace named by FAULTLINE_WORKSPACE, ./workspace if it is not set."""
    return Workspace(Path(os.environ.get(VARIABLE) or "workspace").absolute())
