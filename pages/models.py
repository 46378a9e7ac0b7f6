"""Models: which models does a preset use, can they be used, and how are they served?"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.errors import AuditError
from core.views.models import check_preset, preset_view, presets_shown, serve_lines
from pages.parts.html import esc
from pages.parts.model_parts import found_html, roles_html
from pages.parts.states import plain, show_error

FOUND = "models_found"


def choose() -> str:
    """A preset that ships, or a TOML file of the user's."""
    left, right = st.columns([1, 2], gap="large")
    with left:
        name: str = st.selectbox("Preset", presets_shown(), key="preset")
    with right:
        own = st.text_input(
            "Or your own preset, a TOML file on this server", key="own", placeholder="/path/to/mine.toml"
        )
    path = own.strip()
    if not path:
        return name
    return str(Path(path).expanduser()) if path.endswith(".toml") else f"{path}.toml"


def check(name: str, n_servers: int) -> None:
    """The button, and what the last check of this preset found."""
    st.subheader("Can they be used?")
    if not n_servers:
        st.write("This preset needs no server.")
        return
    if st.button("Check the servers", icon=":material/network_check:", type="primary"):
        with st.spinner("Asking each server what it can do"):
            try:
                st.session_state[FOUND] = (name, check_preset(name))
            except AuditError as error:
                st.session_state.pop(FOUND, None)
                show_error(error)
    checked, found = st.session_state.get(FOUND, ("", ()))
    behind = [one for one in found if one.serve]
    if checked == name and behind:
        st.html(found_html(behind))
    elif checked != name:
        st.caption("Each server is asked a few short questions; nothing of your data is sent.")


def serve(name: str) -> None:
    """The commands that serve the preset's models."""
    lines = serve_lines(name)
    if not lines:
        return
    st.subheader("How to serve them")
    st.write("Run each on a GPU machine, and put its address in `base_urls` of your copy of the preset.")
    for model, command in lines:
        st.caption(plain(model))
        st.code(command, language="bash", wrap_lines=True)


st.title("Models")
st.html(
    '<p class="fl-sub">A preset names the models of an audit; nothing about a model is fixed elsewhere.</p>'
)
chosen = choose()
view = preset_view(chosen)
if view.problem:
    st.error(plain(view.problem), icon=":material/error:")
else:
    st.html(f'<p class="fl-lead">{esc(view.description)}</p>')
    st.html(
        f'<p class="fl-sub"><b>Scorer.</b> {esc(view.scorer)}.<br>'
        f"<b>Summariser.</b> {esc(view.summarizer)}.</p>"
    )
    st.html(roles_html(view))
    check(chosen, view.n_servers)
    serve(chosen)
