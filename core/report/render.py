"""Report data as one HTML file that asks nothing of the network and runs no script."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from core.report.data import SECTIONS, ReportData
from core.report.thumbs import Thumbnails

TEMPLATES = Path(__file__).parent / "templates"
NO_IMAGES = Thumbnails({}, {}, 0)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def policy(style: str) -> str:
    """The Content-Security-Policy of a report: its own stylesheet by hash, embedded images, nothing else."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def render(data: ReportData, images: Thumbnails = NO_IMAGES) -> bytes:
    """The report as UTF-8. Every text of `data` is escaped; only Plot.svg is markup."""
    style = (TEMPLATES / "report.css").read_text("utf-8")
    html = (
        _environment()
        .get_template("report.html")
        .render(
            r=data, headings=SECTIONS, style=Markup(style), policy=policy(style), images=images, svg=Markup
        )
    )  # the stylesheet and the drawings are ours; texts in drawings are escaped where they are drawn
    return html.encode("utf-8", "replace")
