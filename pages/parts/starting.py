"""Start, resume and follow audits from the pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.errors import AuditError
from core.views.launch import start, wait_for_run
from pages.parts.session import go
from pages.parts.states import show_error
from pages.parts.workspace import open_workspace


def start_and_follow(arguments: Sequence[str], saying: str = "Starting") -> None:
    """Start an audit and open its progress; a mistake is shown where the button is."""
    try:
        with st.spinner(saying):
            run_id = wait_for_run(start(arguments, open_workspace()))
    except AuditError as error:
        show_error(error)
        return
    go("run", run=run_id)


def start_demo() -> None:
    """Draw the demo's images, then audit them."""
    start_and_follow(["demo"], "Drawing the demo's images")


def resume(run_id: str) -> None:
    """Go on with a stopped run, from its finished parts."""
    start_and_follow(["runs", "resume", run_id], "Resuming")


def nearby_folders() -> list[Path]:
    """Where captions files are looked for: the folder the dashboard was started in."""
    return [Path.cwd()]
