"""Tables of the Models page."""

from __future__ import annotations

from collections.abc import Sequence

from core.views.models import Found, PresetView
from pages.parts.html import esc

WORDS = {True: "yes", False: "no"}


def roles_html(view: PresetView) -> str:
    """What each role of a preset uses."""
    rows = "".join(
        f'<tr><th scope="row">{esc(row.does)}</th><td>{esc(row.model)}'
        f"{BASELINE if row.baseline else ''}</td><td>{esc(row.where)}</td></tr>"
        for row in view.rows
    )
    return _table(("Role", "Model", "Runs in"), rows)


BASELINE = ' <span class="fl-role">baseline</span>'


def found_html(found: Sequence[Found]) -> str:
    """What a check found of models behind servers."""
    rows = []
    for one in found:
        able = ", ".join(f"{what}: {WORDS[yes]}" for what, yes in one.able) or "answers"
        said = one.problem or " ".join((able + ".", *one.notes))
        state = "Cannot be used" if one.problem else "Less than it could be" if one.notes else "Ready"
        rows.append(
            f'<tr><th scope="row">{esc(one.model)}<br><span class="fl-role">{esc(one.roles)}</span></th>'
            f"<td>{esc(state)}</td><td>{esc(said)}</td></tr>"
        )
    return _table(("Model", "State", "Found"), "".join(rows))


def _table(heads: Sequence[str], rows: str) -> str:
    head = "".join(f'<th scope="col">{esc(h)}</th>' for h in heads)
    return f'<table class="fl-table fl-words"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
