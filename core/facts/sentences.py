"""Textual facts: the sentences of a caption, with exact character spans. Paper: Symbal A.1.

A rule splitter of our own, linear in the text: libraries for prose (pysbd, punkt, spaCy's parser)
mangle lists, hard-wrapped lines and radiology reports, and none returns spans that re-assemble the
caption. Departs: a list item is a fact of its own, without its bullet or number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.domain.fact import Fact
from core.domain.sample import Sample

# A block ends at a blank line, before a list item, a table row or a heading, and after a heading.
_BLOCK_END = re.compile(
    r"\r?\n(?:[ \t]*\r?\n)+"
    r"|\r?\n(?=[ \t]*(?:[-*+•‣▪●–—]\s|\(?\d{1,3}[.)]\s|#{1,6}\s|\||>\s))"
    r"|(?<=:)\r?\n"
    r"|(?m:(?<=\n)|^)(?=#{1,6}\s)[^\n]*(\r?\n)"
)
_DECORATION = re.compile(
    r"\s*(?:[-*+•‣▪●–—]+(?=\s)|\(?\d{1,3}[.)](?=\s+[^\W\d_])|\(?\d{1,3}[.)]\s*$|#{1,6}(?=\s)|>(?=\s)|\|)\s*"
)
_END = re.compile(r"(?:[.!?]+|…+)[\"'”’»)\]*_]*(?=\s)|[。！？]+[”’」』）]*")
_NEXT = re.compile(r"\s*[\"'“‘«(\[*_]*")
_LAST_TOKEN = re.compile(r"[^\s]+$")

_NEVER_ENDS = frozenset(
    """mr mrs ms dr st prof rev gen sen rep gov capt lt col sgt hon messrs mme mlle vs e.g i.e eg ie cf
    fig figs viz al approx est dept""".split()
)
_BEFORE_NUMBER = frozenset("no nos vol p pp ch sec art nr".split())
_MAY_END = frozenset(
    """etc am pm inc ltd co corp jr sr cm mm m km ft in lb lbs oz kg g mg ml hr hrs
    min sec jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun ave
    blvd rd""".split()
)
_STARTERS = frozenset(
    """a an the there it its this that these those in on at he she they we you i one two several some many
    another other no additionally overall also while as with behind to from under near next both each his her
    their what when where who""".split()
)
LOOK_BACK = 64


def split_sentences(caption: str) -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences of a caption, in order, disjoint, without outer white space.

    What lies outside all spans is white space and list decoration: bullets, item numbers, heading
    and quote marks, table bars, and pieces without a single letter or digit.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for end in [m.end() for m in _BLOCK_END.finditer(caption)] + [len(caption)]:
        spans.extend(_block(caption, start, end))
        start = end
    return spans


def facts_of(sample: Sample, first_fact_id: int) -> list[Fact]:
    """The textual facts of a sample, numbered from `first_fact_id`; prefix = caption[:start]."""
    return [
        Fact(first_fact_id + k, sample.sample_id, k, sample.caption[a:b], a, b)
        for k, (a, b) in enumerate(split_sentences(sample.caption))
    ]


def _block(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    start = _skip_decoration(text, start, end)
    for match in _END.finditer(text, start, end):
        if match.end() <= start:
            continue
        if _is_boundary(text, start, match.start(), match.end(), end):
            yield from _trimmed(text, start, match.end())
            start = _skip_decoration(text, match.end(), end)
    yield from _trimmed(text, start, end)


def _skip_decoration(text: str, start: int, end: int) -> int:
    while (match := _DECORATION.match(text, start, end)) and match.end() > start:
        start = match.end()
    return start


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] == "|"):
        end -= 1
    if any(c.isalnum() for c in text[start:end]):
        yield start, end


def _is_boundary(text: str, start: int, mark: int, after: int, end: int) -> bool:
    """Whether the end mark at text[mark:after] closes the sentence that began at `start`."""
    if text[mark] in "。！？":
        return True
    first = _NEXT.match(text, after, end)
    position = first.end() if first else after
    if position >= end:
        return True
    following = text[position]
    if following.islower():
        return _lower_case_style(text, start, mark)
    if text[mark] != ".":
        return True
    token_match = _LAST_TOKEN.search(text, max(start, mark - LOOK_BACK), mark)
    token = token_match.group().strip("\"'“”‘’()[]*_") if token_match else ""
    return _ends_with_token(text, token, start, mark, position, end)


def _ends_with_token(text: str, token: str, start: int, mark: int, position: int, end: int) -> bool:
    low = token.lower()
    if low in _NEVER_ENDS:
        return False
    if low in _BEFORE_NUMBER and text[position].isdigit():
        return False
    if low.isdigit() and len(low) <= 3 and text[start : min(mark, start + 8)].strip("(\"' ") == token:
        return False  # "2." opens an item
    initial = len(token) == 1 and token.isalpha() and token.isupper()
    if initial or low in _MAY_END or re.fullmatch(r"(?:[a-z]\.)+[a-z]", low):
        word = re.compile(r"\w+").match(text, position, end)
        return word is not None and (low in _MAY_END or word.group().lower() in _STARTERS)
    return True


def _lower_case_style(text: str, start: int, mark: int) -> bool:
    """ "a dog on a sofa. a cat on a bed.": a lower-case sentence may be followed by another one."""
    if text[mark] != "." or text[mark : mark + 2] == "..":
        return False
    letter = next((c for c in text[start : min(mark, start + LOOK_BACK)] if c.isalpha()), "")
    token = _LAST_TOKEN.search(text, max(start, mark - LOOK_BACK), mark)
    word = token.group().lower() if token else ""
    plain = word.isalpha() and len(word) > 2 and word not in _NEVER_ENDS | _MAY_END | _BEFORE_NUMBER
    return bool(letter) and letter.islower() and plain
