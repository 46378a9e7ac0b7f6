"""Thumbnails of a report as data URLs, within a budget of bytes."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from core.errors import AuditError
from core.report.data import Example, FindingPart
from core.runs.workspace import Workspace
from core.views.thumbnails import thumbnail


@dataclass(frozen=True, slots=True)
class Thumbnails:
    """urls: sha256 -> data URL. problems: sha256 -> why there is none. left_out: beyond the budget."""

    urls: Mapping[str, str]
    problems: Mapping[str, str]
    left_out: int


def embed(workspace: Workspace, run_id: str, findings: Sequence[FindingPart], budget: int) -> Thumbnails:
    """Thumbnails until `budget` bytes are used, each finding its first picture before any its second.

    An image that is shown in several places is paid for in each.
    """
    urls: dict[str, str] = {}
    problems: dict[str, str] = {}
    left_out, used = 0, 0
    for example in in_turn([_examples(f) for f in findings]):
        sha = example.sha256
        if sha is None or sha in problems:
            continue
        if sha not in urls:
            try:
                data = thumbnail(workspace, run_id, sha).read_bytes()
            except (AuditError, OSError) as error:
                problems[sha] = error.what if isinstance(error, AuditError) else "the image cannot be read"
                continue
            url = "data:image/jpeg;base64," + base64.b64encode(data).decode()
        else:
            url = urls[sha]
        if used + len(url) > budget:
            left_out += 1
            continue
        used += len(url)
        urls[sha] = url
    return Thumbnails(urls, problems, left_out)


def _examples(finding: FindingPart) -> list[Example]:
    return list(in_turn([s.examples for s in finding.strips]))


def in_turn(rows: Sequence[Iterable[Example]]) -> Iterator[Example]:
    """The first of each row, then the second of each, and so on."""
    for group in zip_longest(*rows):
        yield from (one for one in group if one is not None)
