"""Label: judge sentences one by one, blind; see how often they are really wrong."""

from __future__ import annotations

import streamlit as st

from core.errors import AuditError
from core.findings.prevalence import FEWEST, STOP_AT
from core.labels.fact_labels import FACT_VERDICTS, agreements, fact_target, verdicts_by_annotator
from core.views.findings import findings_of
from core.views.label_queue import Queue, card_of, label_queue, live_prevalence, waiting
from core.views.numbers import count
from core.views.open_run import OpenRun, labels_of, open_run
from pages.parts.label_parts import agreement_html, card_html, interval_html
from pages.parts.session import annotator, choose_annotator, chosen_run, finished_runs, go
from pages.parts.states import plain, show_error
from pages.parts.style import ASSETS
from pages.parts.workspace import open_workspace

MEANING = (
    "The image shows it",
    "The image does not settle it",
    "The image shows otherwise",
    "It says nothing that can be seen",
)


@st.cache_resource(max_entries=4, show_spinner="Drawing the sample")
def queue_of(root: str, run_id: str, finding_id: str | None) -> Queue:
    """The queue, drawn once. root: the workspace, which is part of what it belongs to."""
    return label_queue(open_run(open_workspace(), run_id), finding_id)


def give(run: OpenRun, number: int, verdict: str, queue: Queue) -> None:
    """Save a verdict: on disk when this returns, or the page says why not."""
    place = queue.place[number]
    known = verdicts_by_annotator(labels_of(run.workspace, run.fingerprint).labels())
    if place in known.get(annotator(), {}):
        return  # a key pressed twice before the page was drawn anew
    note = st.session_state.get(f"rationale_{fact_target(place)}", "").strip()
    try:
        labels_of(run.workspace, run.fingerprint).give(
            fact_target(place),
            verdict,
            annotator=annotator(),
            dataset=run.fingerprint,
            run_id=run.run_id,
            note=note,
        )
        st.session_state.pop("label_error", None)
        st.session_state.get("skipped", set()).discard(place)
    except AuditError as error:
        st.session_state["label_error"] = error


def skip(queue: Queue, number: int) -> None:
    """Put a sentence behind all others, for this session."""
    st.session_state.setdefault("skipped", set()).add(queue.place[number])


def take_back(run: OpenRun, target: str) -> None:
    """Undo the annotator's last verdict; its sentence is asked again."""
    try:
        labels_of(run.workspace, run.fingerprint).undo(target, annotator())
        st.session_state.pop("label_error", None)
    except AuditError as error:
        st.session_state["label_error"] = error


def choose_queue(run: OpenRun) -> str | None:
    """All sentences, or those of one finding; in the address."""
    names = {str(f["finding_id"]): str(f["textual_fact"]["text"]) for f in findings_of(run)}
    options = ["", *names] if run.stage("fact_grouping") is not None else [""]
    asked = st.query_params.get("finding", "")
    if len(options) > 1:
        labels = {"": "All sentences", **{k: f"Sentences about “{v}”" for k, v in names.items()}}
        asked = st.selectbox(
            "Sample from",
            options,
            index=options.index(asked) if asked in options else 0,
            format_func=labels.__getitem__,
            key=f"label_from_{run.run_id}",
        )
    if asked in names:
        st.query_params["finding"] = asked
        return asked
    st.query_params.pop("finding", None)
    return None


def question(run: OpenRun, queue: Queue, left: list[int], last: str | None) -> None:
    """The sentence, four answers, skip and undo."""
    number = left[0]
    card = card_of(run, queue, number)
    following = card_of(run, queue, left[1]).image if len(left) > 1 else None
    st.html(card_html(run.run_id, card, following))
    for k, (verdict, column) in enumerate(zip(FACT_VERDICTS, st.columns(4, gap="small"), strict=True)):
        column.button(
            verdict,
            key=f"give_{k}_{number}",  # its own: a key pressed too early never judges the next sentence
            shortcut=str(k + 1),
            help=MEANING[k],
            width="stretch",
            on_click=give,
            args=(run, number, verdict, queue),
        )
    st.text_input(
        "Rationale",
        key=f"rationale_{fact_target(card.place)}",
        placeholder="Rationale (optional), saved with the verdict",
        label_visibility="collapsed",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Skip", key="skip", shortcut="Right", on_click=skip, args=(queue, number))
        undo_button(run, last)


def undo_button(run: OpenRun, last: str | None) -> None:
    """Take back the last verdict of this annotator in this queue."""
    st.button(
        "Undo last",
        key="undo_label",
        shortcut="Ctrl+Z",
        disabled=last is None,
        on_click=take_back,
        args=(run, last or ""),
    )


def page() -> None:
    st.html(ASSETS / "label.css")
    st.title("Label")
    runs = finished_runs()
    run_id = chosen_run(runs)
    if run_id is None:
        st.write("No audit has finished yet. Sentences are judged from a finished one.")
        if st.button("Run audit", type="primary"):
            go("run")
        return
    run = open_run(open_workspace(), run_id)
    if run.stage("scores") is None:
        st.write("This run has no scored sentences yet.")
        return
    finding = choose_queue(run)
    queue = queue_of(str(run.workspace.root), run_id, finding)
    by_annotator = verdicts_by_annotator(labels_of(run.workspace, run.fingerprint).labels())
    inside = set(queue.place)
    mine = {p: v for p, v in by_annotator.get(annotator(), {}).items() if p in inside}
    latest = max(mine.items(), key=lambda pair: pair[1].time, default=None)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"{plain(run.dataset_name)} · {plain(queue.title)} in random order · {count(len(mine))} of "
            f"{count(len(queue.place))} judged · {count(queue.n_unscored)} without a score left out",
            width="content",
        )
        choose_annotator()
    error = st.session_state.get("label_error")
    if error is not None:
        show_error(error)
    left = waiting(queue, mine, st.session_state.get("skipped", set()))
    main, side = st.columns([2, 1], gap="large")
    with main:
        if left:
            question(run, queue, left, fact_target(latest[0]) if latest else None)
        else:
            st.write(
                "Every sentence of this sample has a verdict of yours." if inside else "Nothing to judge."
            )
            undo_button(run, fact_target(latest[0]) if latest else None)
    with side:
        st.html(interval_html(live_prevalence(queue, mine), FEWEST, STOP_AT))
        st.html(agreement_html(agreements(by_annotator, annotator())))


page()
