"""Tags in a response: putting them in, taking them out, and reading a model's marked answer.

Paper: Evian 3.2 step 1, A.3: the original wording is strictly preserved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.domain.evian import Tag, TagSpan
from core.domain.judgement import Unscored

TAG = re.compile(r"<\s*(/?)\s*(INFER|KNOW)\s*>", re.IGNORECASE)
_DRESSED = re.compile(
    r"(?:\*\*|__|`)?<\s*(/?)\s*(INFER|KNOW)\s*>(?:\*\*|__|`)?",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\A\s*```[^\n]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def insert_tags(response: str, spans: Iterable[TagSpan]) -> str:
    """The response with tags around the spans. spans: disjoint, in order."""
    parts, position = [], 0
    for span in spans:
        parts += [response[position : span.start], f"<{span.tag}>", response[span.start : span.stop]]
        parts.append(f"</{span.tag}>")
        position = span.stop
    return "".join([*parts, response[position:]])


def strip_tags(marked: str) -> str:
    """The text without tags, byte for byte."""
    return TAG.sub("", marked)


def has_prefix(answer: str, prefix: str) -> bool:
    """Whether the answer begins with its prefix, in a code fence or Markdown emphasis or not."""
    fenced = _FENCE.match(answer)
    return _prefix(fenced.group(1) if fenced else answer, prefix) is not None


def _prefix(body: str, prefix: str) -> re.Match[str] | None:
    return re.match(rf"\s*[*_#`\s]*{re.escape(prefix)}\s*:[*_`]*[ \t]*\n?", body, re.IGNORECASE)


def without_prefix(answer: str, prefix: str) -> str:
    """The answer after its prefix ("Marked Response:"), out of code fences and Markdown emphasis."""
    fenced = _FENCE.match(answer)
    body = fenced.group(1) if fenced else answer
    match = _prefix(body, prefix)
    if match:
        body = body[match.end() :]
        if again := _FENCE.match(body):
            body = again.group(1)
    return body


def parse_marked(response: str, answer: str) -> tuple[TagSpan, ...] | Unscored:
    """Spans of a marked answer, if taking its tags out gives the response byte for byte.

    Differences of white space before the first and after the last character of the answer do not
    count: they belong to the answer's frame. Tags in lower case or dressed in Markdown are read. Nested,
    crossing and unclosed tags, and any changed word, are Unscored.
    """
    if TAG.search(response):
        return Unscored("tags in the response", "the response itself contains tags", answer)
    body = without_prefix(answer, "Marked Response")
    for pattern in (TAG, _DRESSED):
        plain = pattern.sub("", body)
        if plain.strip() == response.strip():
            return _spans(response, body, pattern, answer)
    return Unscored("wording changed", _difference(response, TAG.sub("", body)), answer)


def _spans(response: str, body: str, pattern: re.Pattern[str], answer: str) -> tuple[TagSpan, ...] | Unscored:
    plain = pattern.sub("", body)
    shift = (len(response) - len(response.lstrip())) - (len(plain) - len(plain.lstrip()))
    spans: list[TagSpan] = []
    opened: tuple[Tag, int] | None = None
    removed = 0
    for match in pattern.finditer(body):
        at = min(max(match.start() - removed + shift, 0), len(response))
        removed += match.end() - match.start()
        tag: Tag = "INFER" if match.group(2).upper() == "INFER" else "KNOW"
        if not match.group(1):
            if opened:
                return Unscored("nested tags", f"<{tag}> inside <{opened[0]}>", answer)
            opened = (tag, at)
        elif opened is None or opened[0] != tag:
            return Unscored("unmatched tag", f"</{tag}> closes nothing", answer)
        else:
            if response[opened[1] : at].strip():
                spans.append(TagSpan(tag, opened[1], at))
            opened = None
    if opened:
        return Unscored("unclosed tag", f"<{opened[0]}> is not closed", answer)
    return tuple(spans)


def untagged(response: str, spans: Iterable[TagSpan]) -> Iterator[tuple[int, int]]:
    """(start, stop) of the pieces between the tagged passages; the first and last may be empty."""
    position = 0
    for span in spans:
        yield position, span.start
        position = span.stop
    yield position, len(response)


def _difference(response: str, plain: str) -> str:
    wanted, got = response.split(), plain.split()
    for a, b in zip(wanted, got, strict=False):
        if a != b:
            return f"{a!r} became {b!r}"
    if len(wanted) != len(got):
        return f"{len(wanted)} words became {len(got)}"
    return "white space changed"
