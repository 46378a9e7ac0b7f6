"""Report: what of this audit goes to people who were not there?"""

from __future__ import annotations

from datetime import date

import streamlit as st

from core.report.build import build_report
from core.report.data import SECTIONS, Options, Section
from core.report.gather import chosen_findings
from core.views.findings import FindingRow, findings_view
from core.views.numbers import counted, when
from core.views.open_run import OpenRun, labels_of, open_run
from pages.parts.export_panel import export_panel
from pages.parts.report_route import preview_address
from pages.parts.session import annotator, chosen_run, finished_runs, go
from pages.parts.states import plain
from pages.parts.workspace import open_workspace

PREVIEW_HEIGHT = 900
CHOICES = {"all": "All", "confirmed": "Confirmed", "some": "Choose"}


def choose_run(run_id: str) -> None:
    """A menu of the finished runs, when there is a choice."""
    names = {info.run_id: f"{info.name}, {when(info.started)}" for info in finished_runs()}
    if len(names) < 2 or run_id not in names:
        return

    def switch() -> None:
        st.query_params["run"] = st.session_state["report_run"]

    st.session_state["report_run"] = run_id
    st.selectbox("Run", list(names), format_func=names.__getitem__, key="report_run", on_change=switch)


def which_findings(rows: tuple[FindingRow, ...]) -> str:
    """all, confirmed or ranks with commas; "" if none is chosen."""
    chosen = st.segmented_control(
        "Findings", list(CHOICES), default="all", format_func=CHOICES.__getitem__, key="which", required=True
    )
    if chosen != "some":
        return chosen or "all"
    names = {row.rank: f"{row.rank}. {row.textual_fact} ← {row.visual_feature}" for row in rows}
    ranks = st.multiselect(
        "Which", list(names), default=list(names)[:3], format_func=lambda r: plain(names[r]), key="ranks"
    )
    return ",".join(str(rank) for rank in sorted(ranks))


def options_panel(run: OpenRun) -> Options | None:
    """What the report holds; None while no finding is chosen."""
    findings = which_findings(findings_view(run).rows)
    title = st.text_input("Title", value=f"Caption audit: {run.dataset_name}", key="title", max_chars=200)
    author = st.text_input("Author", value=annotator(), key="author", max_chars=100)
    notes = st.text_area(
        "Notes", key="notes", placeholder="For the reader, shown first (optional)", max_chars=20_000
    )
    with st.expander("Sections, date and size"):
        sections: list[Section] = st.multiselect(
            "Sections",
            list(SECTIONS),
            default=list(SECTIONS),
            format_func=SECTIONS.__getitem__,
            key="sections",
        )
        day = st.date_input("Date", value=date.today(), key="date")
        images = st.slider("Pictures a finding, at most", 0, 40, 12, key="images")
        size = st.slider("Size of the file at most, MB", 1, 50, 15, key="size")
    if not findings:
        st.info("Choose at least one finding.")
        return None
    return Options(
        findings=findings,
        sections=tuple(sections),
        max_images=images,
        max_mb=float(size),
        date=day.isoformat() if isinstance(day, date) else "",
        title=title,
        author=author,
        notes=notes,
    )


def download(run: OpenRun, options: Options) -> None:
    """The button, and how many findings the report has."""
    n = len(chosen_findings(run, options.findings))
    st.download_button(
        f"Download the report ({counted(n, 'finding')})",
        data=lambda: build_report(run, options).html,
        file_name=f"{run.run_id}-report.html",
        mime="text/html",
        type="primary",
        icon=":material/download:",
        key="download_report",
    )
    if not n:
        st.caption("No finding is confirmed by everybody who judged it, so the report will say that none is.")


def page() -> None:
    run_id = chosen_run(finished_runs())
    if run_id is None:
        st.title("Report")
        st.write("No audit has finished yet, so there is nothing to report.")
        if st.button("Run an audit", type="primary"):
            go("run")
        return
    run = open_run(open_workspace(), run_id)
    st.title("Report")
    if run.info.state != "finished":
        st.write("This run has no findings yet.")
        if st.button("See its progress", type="primary"):
            go("run", run=run_id)
        return
    left, right = st.columns([1, 2], gap="large")
    with left:
        choose_run(run_id)
        options = options_panel(run)
        if options is not None:
            download(run, options)
    if options is not None:
        with right:
            version = str(len(labels_of(run.workspace, run.fingerprint).labels())) if run.fingerprint else ""
            st.iframe(
                preview_address(run_id, options, version), height=PREVIEW_HEIGHT, alt="Preview of the report"
            )
    export_panel(run)


page()
