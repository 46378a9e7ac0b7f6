"""Where an audited caption stands in the value it was read from: a text, texts, or turns of a conversation.

The reader (core.dataset.validate) joins several texts into one caption; here the way back, so that a revision
changes the one text it belongs to and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.dataset.cells import MODEL_SPEAKERS, TEXT_KEYS, is_conversation
from core.export.changes import RowEdit, widened

Path = tuple[str | int, ...]
Spans = list[tuple[int, int, str]]


class NotLocatedError(Exception):
    """The caption is not in the value as it was audited: the input has changed since."""


def locate(value: object, edit: RowEdit) -> dict[Path, Spans]:
    """Path into the value -> spans of that text to replace. Raises NotLocatedError."""
    texts = list(_texts(value))
    placed = _placed([text for _, text in texts], edit.caption)
    found: dict[Path, Spans] = {}
    for one in edit.revisions:
        for (path, _), (first, last, offset) in zip(texts, placed, strict=True):
            if first <= one.start and one.end <= last:
                span = (one.start - first + offset, one.end - first + offset, one.text)
                found.setdefault(path, []).append(span)
                break
        else:
            raise NotLocatedError("the sentence is not inside one text of the row")
    by_path = dict(texts)
    return {path: widened(by_path[path], spans) for path, spans in found.items()}


def _placed(texts: Sequence[str], caption: str) -> list[tuple[int, int, int]]:
    """(first, last, offset) of each text: caption[first:last] is text[offset:offset + last - first]."""
    found, at = [], 0
    if len(texts) == 1 and texts[0] == caption:
        return [(0, len(caption), 0)]
    for text in texts:
        bare = text.strip()
        place = caption.find(bare, at) if bare else at
        if place < 0:
            raise NotLocatedError("the row holds another text than the one that was audited")
        found.append((place, place + len(bare), text.find(bare)))
        at = place + len(bare)
    if not found or caption[at:].strip() or caption[: found[0][0]].strip():
        raise NotLocatedError("the row holds another text than the one that was audited")
    return found


def _texts(value: object) -> list[tuple[Path, str]]:
    """(path, text) of everything that makes the caption, in order."""
    if isinstance(value, str):
        return [((), value)]
    if not isinstance(value, list):
        raise NotLocatedError("the caption is neither a text nor a list")
    if is_conversation(value):
        return _turns(value)
    found: list[tuple[Path, str]] = []
    for i, item in enumerate(value):
        if isinstance(item, str):
            found.append(((i,), item))
        elif isinstance(item, Mapping):
            key = next((k for k in TEXT_KEYS if isinstance(item.get(k), str)), None)
            if key is not None:
                found.append(((i, key), item[key]))
    return found


def _turns(value: Sequence[Mapping[str, object]]) -> list[tuple[Path, str]]:
    """The model's turns. An image token is left where it is: the text after it is what was audited."""
    found: list[tuple[Path, str]] = []
    for i, turn in enumerate(value):
        if str(turn.get("from", turn.get("role"))).lower() not in MODEL_SPEAKERS:
            continue
        key = "value" if "value" in turn else "content"
        content = turn[key]
        if isinstance(content, str):
            found.append(((i, key), content))
        elif isinstance(content, list):
            found += [((i, key, *path), text) for path, text in _texts(content)]
    return found


def with_spans(value: object, spans: Mapping[Path, Spans]) -> object:
    """A copy of the value with the texts at these paths changed."""
    if not spans:
        return value
    if () in spans:
        return apply_spans(str(value), spans[()])
    inner: dict[str | int, dict[Path, Spans]] = {}
    for path, found in spans.items():
        inner.setdefault(path[0], {})[path[1:]] = found
    if isinstance(value, list):
        return [with_spans(v, inner.get(i, {})) for i, v in enumerate(value)]
    if isinstance(value, Mapping):
        return {k: with_spans(v, inner.get(k, {})) for k, v in value.items()}
    raise NotLocatedError("the row has changed since it was read")


def apply_spans(text: str, spans: Spans) -> str:
    """`text` with its spans replaced as they are."""
    out, at = [], 0
    for start, end, new in spans:
        out += [text[at:start], new]
        at = end
    return "".join([*out, text[at:]])
