"""Verdicts by people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FindingVerdict = Literal["confirmed", "rejected", "unsure"]
FINDING_VERDICTS: tuple[FindingVerdict, ...] = ("confirmed", "rejected", "unsure")


@dataclass(frozen=True, slots=True)
class HumanLabel:
    """One verdict by one annotator; never changed, only superseded.

    target: "finding:<finding_id>" (later also "fact:..." and "sample:...").
    time: UTC, ISO 8601 with microseconds. supersedes: label_id of the annotator's earlier verdict.
    withdrawn: True = this label takes back the one it supersedes (undo).
    """

    label_id: str
    dataset: str
    target: str
    verdict: str
    note: str
    annotator: str
    time: str
    run_id: str
    supersedes: str | None = None
    withdrawn: bool = False
