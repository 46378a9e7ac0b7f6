"""What surrounds every page: navigation, style, and errors as sentences."""

from __future__ import annotations

import streamlit as st

from core.errors import AuditError
from pages.parts.states import show_error
from pages.parts.style import ASSETS, load_style

st.set_page_config(page_title="Faultline", page_icon=ASSETS / "icon.svg", layout="wide")
load_style()
page = st.navigation(
    [
        st.Page("overview.py", title="Overview", icon=":material/space_dashboard:", default=True),
        st.Page("run_audit.py", title="Run audit", icon=":material/play_circle:", url_path="run"),
        st.Page("findings.py", title="Findings", icon=":material/format_list_numbered:"),
        st.Page("fact_map.py", title="Fact map", icon=":material/scatter_plot:"),
        st.Page("triplets.py", title="Triplets", icon=":material/tune:"),
        st.Page("captioners.py", title="Captioners", icon=":material/leaderboard:"),
        st.Page("report.py", title="Report", icon=":material/description:"),
        st.Page("models.py", title="Models", icon=":material/memory:"),
        st.Page("finding.py", title="Finding", visibility="hidden"),
        st.Page("sample.py", title="Sample", visibility="hidden"),
    ],
    position="top",
)
try:
    page.run()
except AuditError as error:
    show_error(error)
