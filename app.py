"""The dashboard's server: the pages, and thumbnails by URL.

Start: streamlit run app.py. The workspace is FAULTLINE_WORKSPACE, ./workspace by default.
"""

from __future__ import annotations

import streamlit as st

from pages.parts.routes import ROUTES

app = st.App("pages/shell.py", routes=ROUTES)
