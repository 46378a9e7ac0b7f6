"""Finding: is this systematic error real, and what does it go with?"""

from __future__ import annotations

import streamlit as st

from core.errors import AuditError
from core.views.finding import FindingView, Verdicts, finding_view, verdicts_view
from core.views.findings import finding_target
from core.views.gallery import Group, cards_of, groups_of
from core.views.numbers import count, when
from core.views.open_run import OpenRun, labels_of, open_run
from core.views.vnli_sample import has_vnli
from pages.parts.finding_parts import (
    candidates_html,
    history_html,
    statistics_html,
    table_html,
    title_html,
)
from pages.parts.gallery import gallery_html
from pages.parts.repair import finding_repairs
from pages.parts.session import annotator, choose_annotator, go
from pages.parts.states import VERDICTS, plain, show_error
from pages.parts.workspace import open_workspace

CARDS_AT_ONCE = 12
CHOICES = (
    ("confirmed", "Confirm", ":material/check:", "Y"),
    ("rejected", "Reject", ":material/close:", "N"),
    ("unsure", "Unsure", ":material/question_mark:", "U"),
)


def show(finding_id: str) -> None:
    """Put another finding into the address."""
    st.query_params["finding"] = finding_id


def top_line(view: FindingView) -> None:
    """Where this finding stands in the list, and its neighbours."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        if st.button("All findings", icon=":material/arrow_back:", type="tertiary", shortcut="L", key="back"):
            go("findings", run=view.run_id)
        st.caption(f"Finding {view.rank} of {view.total} · {plain(view.dataset)}", width="content")
        with st.container(horizontal=True, width="content"):
            for label, target, key in (
                ("Previous", view.previous, "Left"),
                ("Next", view.following, "Right"),
            ):
                st.button(
                    label,
                    key=f"go_{label.lower()}",
                    disabled=target is None,
                    shortcut=key,
                    on_click=show,
                    args=(target,),
                )


def give(run: OpenRun, finding_id: str, verdict: str) -> None:
    """Save a verdict; what went wrong is kept for the page to show."""
    note = st.session_state.get(f"note_{finding_id}", "").strip()
    try:
        labels_of(run.workspace, run.fingerprint).give(
            finding_target(finding_id),
            verdict,
            annotator=annotator(),
            dataset=run.fingerprint,
            run_id=run.run_id,
            note=note,
        )
        st.session_state.pop("verdict_error", None)
    except AuditError as error:
        st.session_state["verdict_error"] = error


def take_back(run: OpenRun, finding_id: str) -> None:
    """Undo the annotator's standing verdict."""
    try:
        labels_of(run.workspace, run.fingerprint).undo(finding_target(finding_id), annotator())
        st.session_state.pop("verdict_error", None)
    except AuditError as error:
        st.session_state["verdict_error"] = error


def verdict_panel(run: OpenRun, view: FindingView) -> None:
    """The question, the three answers, the note, and what is on disk."""
    verdicts = verdicts_view(run, view.finding_id, annotator())
    mine = verdicts.mine
    with st.container(border=True, key="verdict"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown("**Is this a real, systematic error?**", width="content")
            choose_annotator()
        with st.container(horizontal=True, gap="small"):
            for verdict, label, icon, key in CHOICES:
                st.button(
                    label,
                    key=f"give_{verdict}",
                    icon=icon,
                    shortcut=key,
                    width="stretch",
                    type="primary" if mine and mine.verdict == verdict else "secondary",
                    on_click=give,
                    args=(run, view.finding_id, verdict),
                )
        note = st.text_area(
            "Note",
            value=mine.note if mine else "",
            key=f"note_{view.finding_id}",
            placeholder="Note (optional), saved with the verdict",
            label_visibility="collapsed",
            height=68,
        )
        error = st.session_state.get("verdict_error")
        if error is not None:
            show_error(error)
        saved_line(run, view.finding_id, verdicts, note.strip())


def saved_line(run: OpenRun, finding_id: str, verdicts: Verdicts, note: str) -> None:
    """What is saved, as read back from disk, and by whom else."""
    mine = verdicts.mine
    if mine is None:
        st.caption("No verdict of yours yet.")
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            label, icon, colour = VERDICTS.get(mine.verdict, (mine.verdict, "", "gray"))
            st.badge(label, icon=icon or None, color=colour)
            st.caption(f"saved {when(mine.time)}", width="content")
            st.button(
                "Undo", key="undo", type="tertiary", shortcut="Z", on_click=take_back, args=(run, finding_id)
            )
            if note != mine.note:
                st.button("Save note", key="save_note", on_click=give, args=(run, finding_id, mine.verdict))
    if run.stage("fact_grouping") is not None and st.button(
        "Label its sentences", key="label_this", icon=":material/rate_review:", type="tertiary"
    ):
        go("label", run=run.run_id, finding=finding_id)
    for other in verdicts.others:
        st.caption(f"{plain(other.annotator)}: {other.verdict}, {when(other.time)}")
    if verdicts.history:
        with st.expander(f"History ({len(verdicts.history)})"):
            st.html(history_html(verdicts.history))


def evidence_panel(view: FindingView) -> None:
    """The numbers behind the sentence."""
    with st.container(border=True):
        st.html(table_html(view))
        st.html(statistics_html(view.statistics))
        st.caption(plain(view.clusters))
        for note in view.notes:
            st.caption(plain(note))
    with st.container(border=True):
        st.markdown("**Names for the error**, by votes of misaligned sentences")
        st.html(candidates_html(view.textual_candidates))
        st.markdown("**What it goes with**, by strength of the link")
        st.html(candidates_html(view.visual_candidates))
        st.caption(f"‘{plain(view.visual_feature)}’ was {view.rule}." if view.rule else "")


def gallery(run: OpenRun, view: FindingView) -> None:
    """Samples with and without the error, with and without v."""
    groups = {group.key: group for group in groups_of(run, view.finding_id)}
    if not any(group.samples for group in groups.values()):
        st.caption("This run keeps no samples for this finding.")
        return
    labels = {key: f"{group.title} ({count(len(group.samples))})" for key, group in groups.items()}
    asked = st.query_params.get("group")
    first = next(key for key, group in groups.items() if group.samples)
    chosen = st.segmented_control(
        "Samples",
        list(groups),
        default=asked if asked in groups else first,
        format_func=labels.__getitem__,
        key=f"group_{view.finding_id}",
        label_visibility="collapsed",
        required=True,
    )
    group = groups[chosen or first]
    st.caption(plain(group.hint))
    cards(run, view, group)


def cards(run: OpenRun, view: FindingView, group: Group) -> None:
    """The first cards of a group, and more on request."""
    if not group.samples:
        st.caption("No such sample.")
        return
    state = f"shown_{view.finding_id}_{group.key}"
    shown = st.session_state.get(state, CARDS_AT_ONCE)
    found = cards_of(run, view.finding_id, group, 0, shown)
    wrong = group.key.startswith("wrong")
    st.html(gallery_html(run.run_id, found, wrong=wrong, judged=has_vnli(run)))
    left = len(group.samples) - len(found)
    if left > 0 and st.button(f"Show more ({count(left)} left)", key="more", shortcut="M"):
        st.session_state[state] = shown + 2 * CARDS_AT_ONCE
        st.rerun()


def page() -> None:
    run_id, finding_id = st.query_params.get("run"), st.query_params.get("finding")
    if not run_id or not finding_id:
        st.title("Finding")
        st.write("Choose a finding from the list.")
        if st.button("Findings", type="primary"):
            go("findings")
        return
    run = open_run(open_workspace(), run_id)
    view = finding_view(run, finding_id)
    st.session_state["last_run"] = run_id
    top_line(view)
    st.html(title_html(view))
    left, right = st.columns([19, 10], gap="large")
    with right:
        verdict_panel(run, view)
        evidence_panel(view)
    with left:
        if has_vnli(run):
            samples, repairs = st.tabs(
                ["Samples", "Critiques and revisions"], key="finding_tabs", on_change="rerun"
            )
            if samples.open:
                with samples:
                    gallery(run, view)
            if repairs.open:
                with repairs:
                    finding_repairs(run, view.finding_id)
        else:
            gallery(run, view)


page()
