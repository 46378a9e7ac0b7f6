"""What holds after a history of labels: later ones supersede earlier ones, withdrawn ones take back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.domain.label import HumanLabel


@dataclass(frozen=True, slots=True)
class TargetStatus:
    """The standing verdicts on one target.

    by_annotator: annotator -> the verdict that holds, annotators without one left out.
    counts: verdict -> number of annotators.
    agreed: the verdict all annotators with a verdict share; None if there is none or they differ.
    """

    by_annotator: Mapping[str, HumanLabel]
    counts: Mapping[str, int]
    agreed: str | None

    @property
    def disputed(self) -> bool:
        """Whether annotators differ."""
        return len(self.counts) > 1


def standing_labels(history: Iterable[HumanLabel]) -> dict[tuple[str, str], HumanLabel]:
    """(target, annotator) -> the label that holds.

    history: labels in the order they were written. A withdrawn label removes the one it supersedes, so
    that the one before it holds again.
    """
    stacks: dict[tuple[str, str], list[HumanLabel]] = {}
    for label in history:
        stack = stacks.setdefault((label.target, label.annotator), [])
        if label.withdrawn:
            stack[:] = [kept for kept in stack if kept.label_id != label.supersedes]
        else:
            stack.append(label)
    return {key: stack[-1] for key, stack in stacks.items() if stack}


def status_of(standing: Iterable[HumanLabel]) -> TargetStatus:
    """Status of one target from the labels that hold on it, one an annotator."""
    by_annotator = {label.annotator: label for label in standing}
    counts = Counter(label.verdict for label in by_annotator.values())
    agreed = next(iter(counts)) if len(counts) == 1 else None
    return TargetStatus(by_annotator, dict(counts), agreed)
