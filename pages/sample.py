"""Sample: one caption, sentence by sentence: what is not supported, why, and what to make of it."""

from __future__ import annotations

import streamlit as st

from core.views.open_run import open_run
from core.views.vnli_sample import caption_views, critic_of, has_vnli, sample_index_of
from pages.parts.repair import caption_panel, show_save_error
from pages.parts.session import choose_annotator, go
from pages.parts.states import plain
from pages.parts.style import ASSETS
from pages.parts.workspace import open_workspace


def page() -> None:
    run_id, sample_id = st.query_params.get("run"), st.query_params.get("sample")
    if not run_id or not sample_id:
        st.title("Sample")
        st.write("Choose a sample on the page of a finding.")
        if st.button("Findings", type="primary"):
            go("findings")
        return
    run = open_run(open_workspace(), run_id)
    st.session_state["last_run"] = run_id
    st.html(ASSETS / "repair.css")
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"### {plain(sample_id)}", width="content")
        choose_annotator()
    if not has_vnli(run):
        st.write("This run did not judge sentences. Audit with the step *vnli*.")
        return
    name, baseline = critic_of(run)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{plain(run.dataset_name)} · judged by {plain(name)}", width="content")
        if baseline:
            st.badge("Baseline", icon=":material/science:", color="orange")
    show_save_error()
    (view,) = caption_views(run, [sample_index_of(run, sample_id)])
    caption_panel(run, view)


page()
