"""A run while it works, and how it ended."""

from __future__ import annotations

import streamlit as st

from core.errors import AuditError
from core.runs.cancel import request_cancel
from core.views.numbers import count, counted
from core.views.open_run import OpenRun, open_run
from core.views.problems import problems_view
from core.views.progress import ProgressView, StageLine, progress_view
from pages.parts.html import esc
from pages.parts.session import go
from pages.parts.starting import resume
from pages.parts.states import plain, run_badge, show_error
from pages.parts.workspace import open_workspace

REFRESH_SECONDS = 1.0
_ICONS = {"done": "✓", "cached": "✓", "active": "▸", "waiting": "·"}


def run_progress(run_id: str) -> None:
    """The progress of a run; follows it while it moves, whatever is reloaded meanwhile."""
    run = open_run(open_workspace(), run_id)
    moving = run.info.state == "running"
    st.fragment(run_every=REFRESH_SECONDS if moving else None)(_live)(run_id, moving)
    if not moving:
        _problems(run)


def _live(run_id: str, was_moving: bool) -> None:
    try:
        run = open_run(open_workspace(), run_id)
        if was_moving and run.info.state != "running":
            st.rerun()
        _draw(run, progress_view(run))
    except AuditError as error:
        show_error(error)


def _problems(run: OpenRun) -> None:
    """Every row that was left out or changed, with its reason."""
    view = problems_view(run)
    if view.total == 0:
        return
    with st.expander(f"{counted(view.total, 'row')} with problems"):
        st.caption(plain(" · ".join(view.kinds)))
        st.dataframe(list(view.rows), hide_index=True, height="content" if len(view.rows) < 12 else 420)
        if view.total > len(view.rows):
            st.caption(f"The first {count(len(view.rows))} are shown.")


def _draw(run: OpenRun, view: ProgressView) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        run_badge(run.info.state)
        st.html(f'<h1 class="fl-title">{esc(view.name)}</h1>', width="stretch")
        _buttons(run)
    if view.columns:
        st.caption(plain(view.columns))
    if run.info.state == "running":
        st.progress(min(1.0, view.overall), text=plain(view.now))
    elif run.info.state == "failed":
        st.error(plain(view.message or "The run failed and left no message."), icon=":material/error:")
    elif run.info.state == "interrupted":
        st.warning(
            "The process behind this run is gone. Nothing computed is lost; resume to go on.",
            icon=":material/pause_circle:",
        )
    elif run.info.state == "cancelled":
        st.info("Cancelled. What was finished is kept; resume to go on.", icon=":material/cancel:")
    else:
        found = len((run.findings or {}).get("findings", []))
        st.success(f"{counted(found, 'finding')} in {view.seconds}.", icon=":material/check_circle:")
    st.html(f'<ul class="fl-stages">{"".join(map(_stage, view.stages))}</ul>')
    for warning in view.warnings:
        st.caption(f":material/warning: {plain(warning)}")


def _stage(line: StageLine) -> str:
    return (
        f'<li class="fl-{line.state}"><b aria-hidden="true">{_ICONS[line.state]}</b>'
        f"<span>{esc(line.title)}</span><em>{esc(line.detail)}</em></li>"
    )


def _buttons(run: OpenRun) -> None:
    state = run.info.state
    if state == "finished":
        if st.button("See the findings", type="primary", key="see_findings", shortcut="O"):
            go("findings", run=run.run_id)
    elif state == "running":
        asked = st.session_state.get(f"cancelled_{run.run_id}", False)
        st.button(
            "Stopping…" if asked else "Cancel", key="cancel", disabled=asked, on_click=_cancel, args=(run,)
        )
    elif st.button("Resume", type="primary", key="resume", icon=":material/play_arrow:"):
        st.session_state.pop(f"cancelled_{run.run_id}", None)
        resume(run.run_id)


def _cancel(run: OpenRun) -> None:
    request_cancel(run.folder)
    st.session_state[f"cancelled_{run.run_id}"] = True
