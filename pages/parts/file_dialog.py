"""A dialog to choose a file or folder on the server."""

from __future__ import annotations

import streamlit as st

from core.errors import AuditError
from core.views.folders import FolderView, folder_view
from core.views.numbers import count
from pages.parts.states import plain, show_error

_PLACE = "browsing"


def choose_path(target: str, *, folders_only: bool) -> None:
    """Open the dialog; the choice is put into the widget of key `target`."""
    title = "Choose an image folder" if folders_only else "Choose a captions file"
    st.dialog(title, width="medium")(_browse)(target, folders_only)


def _browse(target: str, folders_only: bool) -> None:
    try:
        here = folder_view(st.session_state.get(_PLACE) or ".", folders_only=folders_only)
    except AuditError as error:
        show_error(error)
        here = folder_view(".", folders_only=folders_only)
    st.caption(plain(here.path))
    with st.container(horizontal=True):
        if here.parent:
            st.button(
                "Up", icon=":material/arrow_upward:", key="browse_up", on_click=_move, args=(here.parent,)
            )
        if folders_only and st.button("Choose this folder", type="primary", key="browse_here"):
            _take(target, here.path)
    with st.container(height=340, gap=None, border=True):
        _entries(here, target)
    if here.left_out:
        st.caption(f"{count(here.left_out)} more are not listed; type the path instead.")


def _entries(here: FolderView, target: str) -> None:
    if not here.entries:
        st.caption("Nothing to choose here.")
    for i, entry in enumerate(here.entries):
        icon = ":material/folder:" if entry.is_folder else ":material/description:"
        label = f"{plain(entry.name)} &ensp;:gray[{entry.detail}]" if entry.detail else plain(entry.name)
        key = f"browse_{i}_{entry.path}"
        if entry.is_folder:
            st.button(label, icon=icon, type="tertiary", key=key, on_click=_move, args=(entry.path,))
        elif st.button(label, icon=icon, type="tertiary", key=key):
            _take(target, entry.path)


def _move(path: str) -> None:
    st.session_state[_PLACE] = path


def _take(target: str, path: str) -> None:
    st.session_state[f"chosen_{target}"] = path
    st.rerun()
