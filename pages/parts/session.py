"""What this browser session is about: the run on screen, the annotator, and where to go."""

from __future__ import annotations

import getpass
from typing import NoReturn

import streamlit as st

from core.domain.run import RunInfo
from core.errors import ConfigError
from core.labels.names import clean_annotator
from core.runs.manifest import list_runs
from pages.parts.workspace import open_workspace

PAGES = {
    "overview": "overview.py",
    "run": "run_audit.py",
    "findings": "findings.py",
    "finding": "finding.py",
    "map": "fact_map.py",
    "triplets": "triplets.py",
    "captioners": "captioners.py",
    "sample": "sample.py",
    "report": "report.py",
    "label": "label.py",
}


def go(page: str, **params: str) -> NoReturn:
    """Open another page; params become its address."""
    st.switch_page(PAGES[page], query_params=params)


def finished_runs() -> list[RunInfo]:
    """Runs with findings, newest first."""
    return [info for info in list_runs(open_workspace()) if info.state == "finished"]


def chosen_run(runs: list[RunInfo]) -> str | None:
    """The run in the address, else the one last looked at, else the newest; written to the address."""
    ids = [info.run_id for info in runs]
    asked = st.query_params.get("run")
    if asked is None:
        last = st.session_state.get("last_run")
        asked = last if last in ids else next(iter(ids), None)
    if asked is not None:
        st.query_params["run"] = asked
        st.session_state["last_run"] = asked
    return asked


def annotator() -> str:
    """The name verdicts are given under: as entered, else the signed-in user, else the system's user."""
    entered = st.session_state.get("annotator")
    if isinstance(entered, str) and entered.strip():
        try:
            return clean_annotator(entered)
        except ConfigError:
            pass
    return _default_annotator()


def _default_annotator() -> str:
    if getattr(st.user, "is_logged_in", False):
        name = st.user.get("email") or st.user.get("name")
        if isinstance(name, str) and name.strip():
            return clean_annotator(name)
    try:
        return clean_annotator(getpass.getuser())
    except (OSError, KeyError, ImportError, ConfigError):
        return "analyst"


def choose_annotator() -> None:
    """A small field for the annotator's name."""
    if "annotator" not in st.session_state:  # as `value` it would make another field of it with every name
        st.session_state["annotator"] = annotator()
    with st.popover(annotator(), icon=":material/person:", help="Verdicts are saved under this name."):
        st.text_input(
            "Your name",
            key="annotator",
            persist_state="session",
            max_chars=60,
            help="Verdicts of different people are kept side by side.",
        )
