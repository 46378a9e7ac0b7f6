"""Changing texts inside JSON as it is written: every other byte stays, also spaces and escapes."""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.export.locate import Path, Spans

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


def edit_json(text: str, spans: Mapping[Path, Spans]) -> str:
    """`text`, a JSON value, with spans of the strings at these paths replaced.

    Only the replaced characters of a string change; the rest of it keeps its own escapes.
    Raises KeyError if a path is not there, ValueError if the text is not JSON.
    """
    places = sorted(((*_string_at(text, path), found) for path, found in spans.items()), reverse=True)
    for start, end, found in places:
        text = text[:start] + _edited(text[start:end], found) + text[end:]
    return text


def _string_at(text: str, path: Path) -> tuple[int, int]:
    """Where the JSON string at a path stands, quotes included."""
    at = _skip(text, 0)
    for step in path:
        at = _member(text, at, step) if isinstance(step, str) else _element(text, at, step)
    if text[at] != '"':
        raise KeyError(path)
    return at, _DECODER.raw_decode(text, at)[1]


def _member(text: str, at: int, key: str) -> int:
    """Where the value of a key starts; of a repeated key the last, as the reader takes it."""
    if text[at] != "{":
        raise KeyError(key)
    found, at = -1, _skip(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, at) + 1)
        if name == key:
            found = value
        at = _skip(text, _DECODER.raw_decode(text, value)[1])
        if text[at] == ",":
            at = _skip(text, at + 1)
    if found < 0:
        raise KeyError(key)
    return found


def _element(text: str, at: int, index: int) -> int:
    """Where an element of a list starts."""
    if text[at] != "[":
        raise KeyError(index)
    at = _skip(text, at + 1)
    for _ in range(index):
        at = _skip(text, _skip(text, _DECODER.raw_decode(text, at)[1]) + 1)
    return at


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _edited(literal: str, spans: Spans) -> str:
    """A JSON string literal with decoded characters start..end replaced."""
    edges = _edges(literal)
    ascii_only = literal.isascii() and "\\u" in literal
    out, at = [], 0
    for start, end, new in spans:
        out += [literal[edges[at] : edges[start]], json.dumps(new, ensure_ascii=ascii_only)[1:-1]]
        at = end
    body = "".join([*out, literal[edges[at] : edges[-1]]])
    return f'"{body}"'


def _edges(literal: str) -> list[int]:
    """Where each decoded character of a string literal starts in it, and where the last one ends."""
    edges, at = [], 1
    while at < len(literal) - 1:
        edges.append(at)
        if literal[at] != "\\":
            at += 1
        elif literal[at + 1] == "u":
            high = int(literal[at + 2 : at + 6], 16)
            pair = 0xD800 <= high < 0xDC00 and literal[at + 6 : at + 8] == "\\u"
            paired = pair and 0xDC00 <= int(literal[at + 8 : at + 12], 16) < 0xE000
            at += 12 if paired else 6
        else:
            at += 2
    return [*edges, at]
