"""Findings: which systematic errors are there, strongest first?"""

from __future__ import annotations

import streamlit as st

from core.views.findings import findings_view
from core.views.numbers import when
from core.views.open_run import open_run
from core.views.planted import PlantedView, planted_view
from pages.parts.findings_table import findings_table
from pages.parts.html import esc
from pages.parts.session import chosen_run, finished_runs, go
from pages.parts.states import plain
from pages.parts.workspace import open_workspace


def choose_run(run_id: str) -> None:
    """A menu of the finished runs, when there is a choice."""
    names = {info.run_id: f"{info.name}, {when(info.started)}" for info in finished_runs()}
    if len(names) < 2 or run_id not in names:
        return

    def switch() -> None:
        st.query_params["run"] = st.session_state["findings_run"]

    st.session_state["findings_run"] = run_id
    st.selectbox(
        "Run",
        list(names),
        format_func=names.__getitem__,
        key="findings_run",
        on_change=switch,
        label_visibility="collapsed",
        width=320,
    )


def page() -> None:
    run_id = chosen_run(finished_runs())
    if run_id is None:
        st.title("Findings")
        st.write("No audit has finished yet, so there is nothing to rank.")
        if st.button("Run an audit", type="primary"):
            go("run")
        return
    run = open_run(open_workspace(), run_id)
    if run.info.state != "finished":
        st.title(plain(run.dataset_name))
        st.write("This run has no findings yet.")
        if st.button("See its progress", type="primary"):
            go("run", run=run_id)
        return
    view = findings_view(run)
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.html(
            f'<h1 class="fl-title">{esc(view.title)}</h1>'
            f'<p class="fl-facts">{esc(" · ".join(view.facts))}</p>',
            width="content",
        )
        choose_run(run_id)
    for note in view.notes:
        st.caption(plain(note), width="stretch")
    if not view.rows:
        st.info(
            "No systematic error stands out: no cluster of sentences is both large and misaligned enough."
        )
        return
    opened = findings_table(view)
    if opened is not None:
        go("finding", run=run_id, finding=opened)
    with st.container(horizontal=True, vertical_alignment="center"):
        if view.first_open is not None and st.button(
            "Judge the first open finding", type="primary", shortcut="J", key="judge_next"
        ):
            go("finding", run=run_id, finding=view.first_open)
        st.caption(f"{view.n_judged} of {len(view.rows)} have a verdict.")
    how_much_it_sees(planted_view(run))


def how_much_it_sees(view: PlantedView) -> None:
    """Recall on errors planted into these very captions, or how to measure it."""
    with st.expander("How much can this audit see?", icon=":material/visibility:"):
        if not view.rows:
            st.write(
                "Not measured yet. Known errors can be planted into a copy of these captions and looked for "
                "by the same audit; a run with some hundred captions takes a minute."
            )
            st.code(view.command, language="bash")
            return
        st.write(view.sentence)
        st.dataframe(
            [
                {
                    "planted at": r.strength,
                    "ranked first": r.first,
                    "in the first five": r.in_five,
                    "shown": r.shown,
                    "95 % of shown": r.shown_interval,
                    "and believed": r.believed,
                }
                for r in view.rows
            ],
            hide_index=True,
            width="content",
        )
        st.caption(
            "V is Cramer's V between saying t and showing v. An error counts as shown if a finding names t "
            "and has v among its five candidates; as believed, if its q is below 0.05 and it replicates. "
            "Planted sentences are plainer than a captioner's own: real errors may be harder to see."
        )
        for missed in view.missed:
            st.caption(plain(f"Not seen: {missed}"))


page()
