"""Cells of a CSV that no spreadsheet takes for a formula, and the way back.

A text that a spreadsheet could run (it starts with = + - @, a tab or a line end, also after white space or in
full width) gets an apostrophe in front; so does a text that starts with an apostrophe, so that taking one
apostrophe away always gives the text back. Source: OWASP, CSV injection.
"""

from __future__ import annotations

_STARTS = frozenset("=+-@\t\r\n'＝＋－＠")


def safe_cell(value: object) -> object:
    """A value as it may stand in a cell; numbers and truth values as they are, None as an empty cell."""
    if not isinstance(value, str):
        return "" if value is None else value
    bare = value.lstrip()
    risky = value[:1] in _STARTS or bare[:1] in _STARTS
    return f"'{value}" if value and risky else value


def plain_cell(cell: str) -> str:
    """The text behind a cell written by `safe_cell`."""
    return cell.removeprefix("'")
