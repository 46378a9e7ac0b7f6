"""The ranked table of findings; one click opens one."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from core.views.findings import FindingsView
from core.views.numbers import count
from pages.parts.style import asset

_TABLE = st.components.v2.component(
    "faultline_findings_table",
    html="""<div class="wrap"><table aria-label="Findings, ranked">
<thead></thead><tbody></tbody></table></div>""",
    css=asset("findings_table.css"),
    js=asset("findings_table.js"),
)


def findings_table(view: FindingsView) -> str | None:
    """Draw the table; the id of the finding just opened, None if none was."""
    rows = [{**asdict(row), "cluster_size": count(row.cluster_size)} for row in view.rows]
    result = _TABLE(
        key="findings_table",
        data={"run": view.run_id, "no_effect": view.no_effect, "rows": rows},
        on_open_change=lambda: None,
    )
    opened = result.open
    return opened if isinstance(opened, str) else None
