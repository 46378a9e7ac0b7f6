"""Captioners: which one says fewer wrong things, how sure is that, and what does each get wrong?"""

from __future__ import annotations

import streamlit as st

from core.bench.vnli_leaderboard import CRITERIA, CRITERION_NAMES
from core.views.captioners import Captioners, comparison, load_captioners
from core.views.numbers import count
from core.views.open_run import OpenRun, open_run
from core.views.vnli_sample import critic_of, has_vnli
from pages.parts.captioner_parts import board_html, comparison_html, mix_html
from pages.parts.session import finished_runs, go
from pages.parts.states import plain
from pages.parts.style import ASSETS
from pages.parts.workspace import open_workspace


def choose_run() -> OpenRun | None:
    """The run in the address, or the newest that judged sentences; None if there is none."""
    workspace = open_workspace()
    runs = [info for info in finished_runs() if has_vnli(open_run(workspace, info.run_id))]
    if not runs:
        return None
    ids = [info.run_id for info in runs]
    asked = st.query_params.get("run") or st.session_state.get("last_run")
    run_id = asked if asked in ids else ids[0]
    if len(runs) > 1:
        names = {info.run_id: f"{info.name} · {info.preset}" for info in runs}
        run_id = st.selectbox("Run", ids, index=ids.index(run_id), format_func=names.__getitem__)
    st.query_params["run"] = run_id
    return open_run(workspace, run_id)


@st.cache_data(max_entries=4, show_spinner="Comparing captioners")
def load(_run: OpenRun, key: str) -> Captioners:
    """The leaderboards of a run, kept between reruns. key: of its verdicts."""
    return load_captioners(_run)


def pair_panel(found: Captioners) -> None:
    """Two captioners on the images both described."""
    with st.container(border=True, key="pair"):
        st.markdown("**Two captioners on the same images**")
        left, right = st.columns(2)
        first = left.selectbox("First", found.names, index=0, key="first")
        others = [name for name in found.names if name != first]
        second = right.selectbox("Second", others, index=0, key="second")
        st.html(comparison_html(comparison(found, first, second)))


def page() -> None:
    st.html(ASSETS / "repair.css")
    st.title("Captioners")
    run = choose_run()
    if run is None:
        st.write("No finished run has judged sentences. Audit a file with the step *vnli*.")
        if st.button("Run audit", type="primary"):
            go("run")
        return
    found = load(run, f"{run.run_id} {run.need_stage('factuality').name}")
    name, baseline = critic_of(run)
    n = sum(c.judged for c in found.counts)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"{plain(run.dataset_name)} · {count(n)} sentences judged by {plain(name)}", width="content"
        )
        if baseline:
            st.badge(
                "Baseline", icon=":material/science:", color="orange", help="A heuristic critic, no model."
            )
    criterion = st.segmented_control(
        "Criterion", CRITERIA, default="sentences", format_func=CRITERION_NAMES.__getitem__, key="criterion",
        required=True,
    )  # fmt: skip
    st.html(board_html(found.boards[criterion or "sentences"]))
    left, right = st.columns(2, gap="large")
    with left:
        if len(found.names) > 1:
            pair_panel(found)
        else:
            st.caption("The data have one captioner; two are needed for a comparison.")
    with right:
        st.html(mix_html(found.mix))


page()
