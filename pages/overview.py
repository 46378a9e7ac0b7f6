"""Overview: what has been audited, what is running, and what to look at next?"""

from __future__ import annotations

import streamlit as st

from core.errors import AuditError
from core.runs.cancel import request_cancel
from core.views.numbers import count, counted
from core.views.overview import DatasetLine, NextStep, OverviewView, RunCard, overview_view
from core.views.progress import TITLES
from pages.parts.html import esc
from pages.parts.session import go
from pages.parts.starting import resume, start_demo
from pages.parts.states import plain, run_badge, show_error
from pages.parts.workspace import open_workspace

REFRESH_SECONDS = 1.5


def first_steps() -> None:
    """The empty workspace: what this is for, and two ways to begin."""
    st.html(
        '<h1 class="fl-title">Find the errors your captioner makes again and again</h1>'
        '<p class="fl-lead">Faultline audits machine-written captions. It groups similar sentences, finds '
        "the groups that fit their images worst, and names what the error goes with, such as a "
        "‘handbag’ that appears in captions whenever there is a bus.</p>"
    )
    demo, own = st.columns(2, gap="medium")
    with demo.container(border=True, height="stretch"):
        st.subheader("See it work")
        st.write(
            "The demo draws a small synthetic image set, captions it with a scripted captioner that has one "
            "planted error, and audits it. Under a minute."
        )
        st.space("stretch")
        if st.button("Run the demo audit", type="primary", icon=":material/play_arrow:"):
            start_demo()
    with own.container(border=True, height="stretch"):
        st.subheader("Audit your own captions")
        st.write(
            "A JSONL, CSV, TSV or Parquet file with one caption a row. With it, any of: a folder of images, "
            "reference captions, lists of the objects in each image."
        )
        st.space("stretch")
        if st.button("Choose a file", icon=":material/folder_open:"):
            go("run")


def next_step(step: NextStep) -> None:
    """The one thing to do next, with its button."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="next"):
        st.markdown(f"**Next** &ensp;{plain(step.text)}", width="stretch")
        if step.kind == "watch" and step.run_id and st.button("See progress", type="primary"):
            go("run", run=step.run_id)
        opens = step.kind == "judge" and st.button("Open it", type="primary", shortcut="O", key="open_next")
        if opens and step.run_id and step.finding_id:
            go("finding", run=step.run_id, finding=step.finding_id)
        if step.kind == "resume" and step.run_id and st.button("Resume", type="primary", key="resume_next"):
            resume(step.run_id)
        if step.kind == "done" and st.button("Run an audit", type="primary"):
            go("run")


def headline(view: OverviewView) -> None:
    """Four numbers over everything."""
    with st.grid(4):
        st.metric("Captions audited", count(view.n_samples), border=True)
        st.metric(
            "Findings",
            count(view.n_findings),
            border=True,
            help="In the newest finished run of each dataset.",
        )
        st.metric("With a verdict", count(view.n_judged), border=True)
        st.metric(
            "Confirmed",
            count(view.n_confirmed),
            border=True,
            help="Confirmed by somebody, disputed by nobody.",
        )


def run_line(run: RunCard) -> None:
    """One run: state, what it is, and what can be done with it."""
    with st.container(border=True, key=f"run_{run.run_id}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            run_badge(run.state)
            st.markdown(f"**{plain(run.name)}**", width="content")
            st.caption(f"{plain(run.summary)} · {plain(run.started)}", width="stretch")
            run_buttons(run)
        if run.state == "running":
            stage = TITLES.get(run.stage, run.stage.replace("_", " ")) or "Starting"
            st.progress(run.progress or 0.0, text=stage)
        elif run.state in ("failed", "cancelled", "interrupted") and run.message:
            st.caption(plain(run.message))
        elif run.n_findings is not None:
            top = f" · first: {run.top}" if run.top else ""
            st.caption(
                plain(f"{counted(run.n_findings, 'finding')}, {count(run.n_judged)} with a verdict{top}")
            )


def run_buttons(run: RunCard) -> None:
    """What can be done with a run in its state."""
    if run.state == "finished":
        if st.button("Findings", key=f"open_{run.run_id}"):
            go("findings", run=run.run_id)
        return
    if run.state == "running":
        if st.button("Cancel", key=f"cancel_{run.run_id}", type="tertiary"):
            request_cancel(open_workspace().run_dir(run.run_id))
            st.toast("The run stops after its current batch; what is done is kept.")
    elif st.button("Resume", key=f"resume_{run.run_id}", icon=":material/play_arrow:"):
        resume(run.run_id)
    if st.button("Progress", key=f"open_{run.run_id}"):
        go("run", run=run.run_id)


def datasets_table(datasets: tuple[DatasetLine, ...]) -> str:
    """The datasets as a plain table."""
    rows = "".join(
        f'<tr><th scope="row">{esc(d.name)}</th><td>{count(d.n_samples)}</td><td>{count(d.n_images)}</td>'
        f"<td>{count(d.n_problems)}</td><td>{count(d.n_runs)}</td><td>{count(d.n_confirmed)}</td></tr>"
        for d in datasets
    )
    heads = ("Captions", "Images", "Rows with problems", "Runs", "Confirmed findings")
    head = "".join(f'<th scope="col">{h}</th>' for h in heads)
    return (
        f'<table class="fl-table"><thead><tr><th scope="col">Dataset</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def body() -> None:
    view = overview_view(open_workspace())
    if not view.runs:
        first_steps()
        return
    was_moving = st.session_state.get("overview_moving", False)
    st.session_state["overview_moving"] = view.is_moving
    if was_moving and not view.is_moving:
        st.rerun()
    next_step(view.step)
    headline(view)
    st.subheader("Runs")
    for run in view.runs:
        run_line(run)
    if view.datasets:
        st.subheader("Datasets")
        st.html(datasets_table(view.datasets))


def safe_body() -> None:
    """As `body`; a fragment has to show its own errors."""
    try:
        body()
    except AuditError as error:
        show_error(error)


def page() -> None:
    moving = st.session_state.get("overview_moving", False) or any(
        run.state == "running" for run in overview_view(open_workspace()).runs
    )
    st.fragment(run_every=REFRESH_SECONDS if moving else None)(safe_body)()


page()
