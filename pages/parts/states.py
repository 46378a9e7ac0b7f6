"""States that look the same on every page: badges, errors, empty pages."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from core.domain.run import RunState
from core.errors import AuditError

Colour = Literal["blue", "green", "orange", "red", "gray"]

RUN_STATES: dict[RunState, tuple[str, str, Colour]] = {
    "running": ("Running", ":material/progress_activity:", "blue"),
    "finished": ("Finished", ":material/check_circle:", "green"),
    "interrupted": ("Interrupted", ":material/pause_circle:", "orange"),
    "cancelled": ("Cancelled", ":material/cancel:", "gray"),
    "failed": ("Failed", ":material/error:", "red"),
}
VERDICTS: dict[str, tuple[str, str, Colour]] = {
    "confirmed": ("Confirmed", ":material/check:", "green"),
    "rejected": ("Rejected", ":material/close:", "red"),
    "unsure": ("Unsure", ":material/question_mark:", "orange"),
    "disputed": ("Disputed", ":material/balance:", "orange"),
}


def run_badge(state: RunState) -> None:
    """The state of a run as a word with an icon."""
    label, icon, colour = RUN_STATES[state]
    st.badge(label, icon=icon, color=colour)


def show_error(error: AuditError) -> None:
    """A user's problem in one sentence."""
    st.error(plain(error.sentence()), icon=":material/error:")


def plain(text: str) -> str:
    """Text from data inside a Markdown label or message: nothing in it is formatting."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!|~$:@&" else c for c in text)
