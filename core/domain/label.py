"""Verdicts by people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FindingVerdict = Literal["confirmed", "rejected", "unsure"]
FINDING_VERDICTS: tuple[FindingVerdict, ...] = ("confirmed", "rejected", "unsure")
RevisionVerdict = Literal["accepted", "edited", "rejected"]
REVISION_VERDICTS: tuple[RevisionVerdict, ...] = ("accepted", "edited", "rejected")
"""accepted: the sentence as proposed; edited: as the annotator typed it; rejected: the original stays."""


@dataclass(frozen=True, slots=True)
class HumanLabel:
    """One verdict by one annotator; never changed, only superseded.

    target: "finding:<finding_id>", or "revision:<start>-<end>:<sample_id>" for a revised sentence.
    time: UTC, ISO 8601 with microseconds. supersedes: label_id of the annotator's earlier verdict.
    withdrawn: True = this label takes back the one it supersedes (undo).
    text: what a revised sentence becomes ("" = it is taken out); None where the verdict has no text.
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
    text: str | None = None
