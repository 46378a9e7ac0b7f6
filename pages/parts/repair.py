"""Critiques and revisions with accept, edit, reject and undo; every decision is on disk at once."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.domain.label import RevisionVerdict
from core.errors import AuditError
from core.labels.revisions import revision_target, revision_verdict
from core.views.numbers import count, counted
from core.views.open_run import OpenRun, labels_of
from core.views.vnli_sample import CaptionView, SentenceView, caption_views, critic_of, finding_critiques
from pages.parts.repair_parts import (
    after_html,
    caption_html,
    critique_html,
    decided_html,
    diff_html,
    picture_html,
    reasons_html,
)
from pages.parts.session import annotator
from pages.parts.states import plain, show_error
from pages.parts.style import ASSETS

CAPTIONS_AT_ONCE = 4
ERROR = "repair_error"
BATCH = "repair_batch"


def decide(
    run: OpenRun, decisions: Sequence[tuple[SentenceView, RevisionVerdict, str | None]], batch: str = ""
) -> None:
    """Save decisions; what went wrong is kept for the page to show. batch: the finding they belong to."""
    try:
        labels_of(run.workspace, run.fingerprint).give_many(
            [revision_verdict(s.place, verdict, text) for s, verdict, text in decisions],
            annotator=annotator(),
            dataset=run.fingerprint,
            run_id=run.run_id,
        )
        st.session_state.pop(ERROR, None)
        if batch:
            st.session_state[BATCH] = (batch, [revision_target(*s.place) for s, _, _ in decisions])
    except AuditError as error:
        st.session_state[ERROR] = error


def save_edit(run: OpenRun, sentence: SentenceView, key: str) -> None:
    """Save the typed sentence; an empty field takes the sentence out."""
    text = " ".join(str(st.session_state.get(key, "")).split())
    st.session_state.pop(f"editing_{sentence.fact_id}", None)
    decide(run, [(sentence, "edited", text)])


def take_back(run: OpenRun, targets: Sequence[str]) -> None:
    """Undo the annotator's standing decisions on these sentences."""
    try:
        labels_of(run.workspace, run.fingerprint).undo_many(targets, annotator())
        st.session_state.pop(ERROR, None)
        st.session_state.pop(BATCH, None)
    except AuditError as error:
        st.session_state[ERROR] = error


def show_save_error() -> None:
    """The last decision that could not be saved, if any."""
    error = st.session_state.get(ERROR)
    if isinstance(error, AuditError):
        show_error(error)


def caption_panel(run: OpenRun, view: CaptionView, *, only: frozenset[int] | None = None) -> None:
    """One caption by verdicts, then the sentences to decide about. only: facts, None = all flagged."""
    with st.container(border=True):
        picture = picture_html(run.run_id, view)
        left, right = st.columns([1, 3], gap="medium") if picture else (None, st.container())
        if left is not None:
            left.html(picture)
        with right:
            st.html(caption_html(view))
            chosen = [s for s in view.sentences if s.flagged and (only is None or s.fact_id in only)]
            for sentence in chosen:
                sentence_panel(run, sentence)
            if view.revised != view.caption:
                with st.expander("Caption with accepted revisions"):
                    st.text(view.revised)


def sentence_panel(run: OpenRun, s: SentenceView) -> None:
    """Critique, diff and what can be decided."""
    st.divider()
    mine = annotator()
    own = (
        next((label for label in s.decision.labels if label.annotator == mine), None) if s.decision else None
    )
    edited = own is not None and own.verdict == "edited"
    shown = own.text if own is not None and edited else s.revision
    said = diff_html(s.text, shown, s.revision_missing) + after_html(s) + decided_html(s)
    st.html(critique_html(s) + said)
    key = f"{s.fact_id}"
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Take it out" if s.revision == "" else "Accept", key=f"accept_{key}", icon=":material/check:",
            disabled=s.revision is None, on_click=decide, args=(run, [(s, "accepted", s.revision)]),
            type="primary" if own is not None and own.verdict == "accepted" else "secondary",
        )  # fmt: skip
        if st.button(
            "Edit", key=f"edit_{key}", icon=":material/edit:", type="primary" if edited else "secondary"
        ):
            st.session_state[f"editing_{key}"] = True
        st.button(
            "Reject", key=f"reject_{key}", icon=":material/close:", on_click=decide,
            args=(run, [(s, "rejected", None)]),
            type="primary" if own is not None and own.verdict == "rejected" else "secondary",
        )  # fmt: skip
        if own is not None:
            st.button(
                "Undo", key=f"undo_{key}", type="tertiary", on_click=take_back,
                args=(run, [revision_target(*s.place)]),
            )  # fmt: skip
    if st.session_state.get(f"editing_{key}"):
        field = f"text_{key}"
        st.text_area(
            "New sentence",
            value=shown or s.text,
            key=field,
            height=80,
            help="Leave it empty to take the sentence out.",
        )
        st.button("Save", key=f"save_{key}", type="primary", on_click=save_edit, args=(run, s, field))


def finding_repairs(run: OpenRun, finding_id: str) -> None:
    """The critiques behind a finding: most common reasons, accept all, and the captions one by one."""
    st.html(ASSETS / "repair.css")
    found = finding_critiques(run, finding_id)
    if not found.n_flagged:
        st.caption("The critic flags none of the sentences of this finding.")
        return
    model = _baseline_note(run)
    st.caption(
        f"{counted(found.n_flagged, 'sentence')} flagged, {count(found.n_revised)} with a revision. {model} "
        "What the critiques name most:"
    )
    st.html(reasons_html(found.reasons))
    show_save_error()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        todo = [(s, "accepted", s.revision) for s in found.open]
        st.button(
            f"Accept all for this finding ({count(len(todo))})", key="accept_all", icon=":material/done_all:",
            disabled=not todo, on_click=decide, args=(run, todo, finding_id),
            help="Revisions that the critic does not object to and nobody has decided about.",
        )  # fmt: skip
        batch = st.session_state.get(BATCH)
        if batch and batch[0] == finding_id:
            st.button(
                f"Undo these {count(len(batch[1]))}", key="undo_all", type="tertiary", on_click=take_back,
                args=(run, batch[1]),
            )  # fmt: skip
    state = f"repairs_{finding_id}"
    shown = st.session_state.get(state, CAPTIONS_AT_ONCE)
    only = frozenset(found.fact_ids)
    for view in caption_views(run, found.samples[:shown]):
        caption_panel(run, view, only=only)
    left = len(found.samples) - shown
    if left > 0 and st.button(f"Show more captions ({count(left)} left)", key="more_repairs"):
        st.session_state[state] = shown + 2 * CAPTIONS_AT_ONCE
        st.rerun()


def _baseline_note(run: OpenRun) -> str:
    name, baseline = critic_of(run)
    name = plain(name)
    return f"Critic: {name}, a baseline (heuristic)." if baseline else f"Critic: {name}."
