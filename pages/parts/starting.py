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


def start_and_follow(arguments: Sequence[str]) -> None:
    """Start an audit and open its progress; a mistake is shown where the button is."""
    try:
        with st.spinner("Starting"):
            run_id = wait_for_run(start(arguments, open_workspace()))
    except AuditError as error:
        show_error(error)
        return
    go("run", run=run_id)


def start_demo() -> None:
    """Draw the demo's images, then audit them."""
    start_and_follow(["demo"])


def resume(run_id: str) -> None:
    """Go on with a stopped run."""
    try:
        start(["runs", "resume", run_id], open_workspace())
    except AuditError as error:
        show_error(error)
        return
    st.session_state[f"resumed_{run_id}"] = True
    go("run", run=run_id)


def nearby_folders() -> list[Path]:
    """Where captions files are looked for: the folder the dashboard was started in."""
    return [Path.cwd()]
