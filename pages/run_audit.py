"""Run audit: which captions, against what, and how far is it?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.models.registry import load_preset, preset_names
from core.views.folders import recent_captions, suggestions
from core.views.start_audit import ROLE_HELP, ROLES, Check, Choice, StartView, arguments, start_view
from pages.parts.file_dialog import choose_path
from pages.parts.run_progress import run_progress
from pages.parts.session import go
from pages.parts.starting import nearby_folders, start_and_follow, start_demo
from pages.parts.states import plain
from pages.parts.workspace import open_workspace

MAIN_ROLES = ("caption", "image", "references", "objects")
MORE_ROLES = ("id", "captioner", "instruction")


def take_choices() -> None:
    """Paths chosen by a click become the fields' values, before anything is drawn or checked."""
    for key in ("captions", "images"):
        chosen = st.session_state.pop(f"chosen_{key}", None)
        if chosen is not None:
            st.session_state[key] = chosen


def path_field(label: str, key: str, placeholder: str, *, folders_only: bool) -> str:
    """A path typed, suggested or browsed to."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(label, key=key, placeholder=placeholder, persist_state="session")
        if st.button("Browse", key=f"browse_{key}", icon=":material/folder_open:"):
            choose_path(key, folders_only=folders_only)
    return str(st.session_state.get(key, ""))


def check_line(check: Check | None) -> None:
    """What was found under a field, or what is wrong with it."""
    if check is None:
        return
    if check.ok:
        st.caption(f":material/check: {plain(check.text)}")
    else:
        st.markdown(f":material/error: :red[{plain(check.text)}]")


@st.cache_data(ttl="1m", show_spinner=False)
def nearby_files(places: tuple[Path, ...], runs: Path) -> tuple[str, ...]:
    """Captions files of earlier runs, then those near the folder the dashboard was started in."""
    return tuple(dict.fromkeys((*recent_captions(runs), *suggestions(places))))


def suggest_files() -> None:
    """Captions files found nearby, one click each."""
    found = nearby_files(tuple(nearby_folders()), open_workspace().root / "runs")
    if not found:
        return

    def take() -> None:
        if st.session_state["nearby"]:
            st.session_state["chosen_captions"] = st.session_state["nearby"]

    st.selectbox(
        "Found nearby",
        found,
        index=None,
        key="nearby",
        on_change=take,
        placeholder="Or pick one used before or found nearby",
        label_visibility="collapsed",
    )


def column_field(role: str, view: StartView) -> None:
    """A menu of columns for one role; what was found by its name is in use until another is chosen."""
    chosen = st.session_state.get(f"column_{role}")
    found = view.found.get(role)
    automatic = f"{found} (found)" if found and chosen is None else "not given"
    st.selectbox(
        ROLES[role],
        view.names,
        index=None,
        key=f"column_{role}",
        placeholder=automatic,
        help=ROLE_HELP[role],
        persist_state="session",
    )


def choice() -> Choice:
    """What the form holds now."""
    state = st.session_state
    return Choice(
        captions=state.get("captions", ""),
        images=state.get("images", ""),
        columns={r: c for r in ROLES if (c := state.get(f"column_{r}"))},
        name=state.get("run_name", ""),
        preset=state.get("preset", "embedded"),
        top_k=int(state.get("top_k", 10)),
        seed=int(state.get("seed", 0)),
        keep_bad_rows=bool(state.get("keep_bad_rows", False)),
    )


def columns_and_preview(view: StartView) -> None:
    """The columns in use, editable, and the first rows."""
    for role, place in zip(MAIN_ROLES, st.columns(len(MAIN_ROLES)), strict=True):
        with place:
            column_field(role, view)
    if view.setting:
        st.caption(f"Captions will be {view.setting}.")
    if view.hint:
        st.info(plain(view.hint), icon=":material/lightbulb:")
    st.dataframe(
        [{name: row.get(name, "") for name in view.names} for row in view.rows],
        hide_index=True,
        height="content",
    )
    for problem in view.problems[:3]:
        st.caption(f":material/warning: {plain(problem)}")
    if len(view.problems) > 3:
        st.caption(f"and {len(view.problems) - 3} more in the head of the file")


def more_options(view: StartView) -> None:
    """What seldom needs a choice."""
    with st.expander("More options"):
        for role, place in zip(MORE_ROLES, st.columns(len(MORE_ROLES)), strict=True):
            with place:
                column_field(role, view)
        name, preset, top_k, seed = st.columns(4)
        name.text_input("Name of the run", key="run_name", placeholder="the file's name")
        names = preset_names()
        preset.selectbox(
            "Models", names, index=names.index("embedded") if "embedded" in names else 0, key="preset"
        )
        top_k.number_input("Findings to report", 1, 100, 10, key="top_k")
        seed.number_input("Seed", 0, 2**31 - 1, 0, key="seed", help="The same seed gives the same findings.")
        st.checkbox(
            "Keep rows whose image is missing or broken",
            key="keep_bad_rows",
            help="Their text is still audited. Otherwise they are left out and listed.",
        )
        st.caption(plain(load_preset(st.session_state["preset"]).description))


def form() -> None:
    take_choices()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html(
            '<h1 class="fl-title">Run audit</h1>'
            '<p class="fl-facts">One caption a row, and something to judge it against: images, reference '
            "captions, or lists of the objects in each image.</p>",
            width="content",
        )
        if st.button(
            "Run the demo audit", key="demo", help="A small synthetic image set with one planted error."
        ):
            start_demo()
    path_field("Captions file on this server", "captions", "JSONL, CSV, TSV or Parquet", folders_only=False)
    view = start_view(choice())
    if view.captions is None:
        suggest_files()
    check_line(view.captions)
    path_field("Image folder (optional)", "images", "the folder image paths start from", folders_only=True)
    check_line(view.images)
    if view.suggested_images:

        def use(path: str = view.suggested_images) -> None:
            st.session_state["chosen_images"] = path

        st.button(f"Use {plain(view.suggested_images)}", key="use_images", on_click=use, type="tertiary")
    if view.names:
        columns_and_preview(view)
        more_options(view)
    with st.container(horizontal=True, vertical_alignment="center"):
        started = st.button(
            "Start audit",
            type="primary",
            key="start",
            disabled=bool(view.blocked),
            icon=":material/play_arrow:",
        )
        st.caption(plain(view.blocked))
    if started:
        start_and_follow(arguments(replace(choice(), columns=view.chosen)))


def page() -> None:
    run_id = st.query_params.get("run")
    if not run_id:
        form()
        return
    run_progress(run_id)
    if st.button("Run another audit", key="another", type="tertiary", icon=":material/add:"):
        go("run")


open_workspace()
page()
