"""The dashboard's own style sheet, on top of the theme."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).resolve().parents[2] / "assets"


def load_style() -> None:
    """Add the style sheet and the wordmark to the page."""
    st.html(ASSETS / "faultline.css")
    st.logo(ASSETS / "wordmark.svg", size="medium")


@lru_cache(maxsize=16)
def asset(name: str) -> str:
    """Text of a file in assets/."""
    return (ASSETS / name).read_text(encoding="utf-8")
