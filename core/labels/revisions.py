"""Decisions on revised sentences: which were accepted, with the text each sentence becomes.

Paper: VNLI-Critique 5 (the paper's raters judge revisions; here their decisions are kept and used).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from core.domain.label import REVISION_VERDICTS, HumanLabel, RevisionVerdict
from core.domain.vnli import reassemble
from core.labels.verdicts import LabelStore, Verdict

_TARGET = re.compile(r"revision:(\d+)-(\d+):(.*)", re.DOTALL)
Place: TypeAlias = tuple[str, int, int]
"""(sample_id, start, end): a sentence of a caption, start and end in characters of the original caption."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What annotators decided about one sentence.

    verdict: "accepted", "edited" or "rejected"; None = annotators differ, or none has decided.
    text: what the sentence becomes, "" = it is taken out; None unless accepted or edited.
    labels: the standing labels it rests on, one an annotator, oldest first.
    """

    sample_id: str
    start: int
    end: int
    verdict: RevisionVerdict | None
    text: str | None
    labels: tuple[HumanLabel, ...]

    @property
    def disputed(self) -> bool:
        """Whether annotators differ: a disputed revision is not used."""
        return self.verdict is None and len(self.labels) > 1

    @property
    def accepted(self) -> bool:
        """Whether the sentence is to be replaced (or taken out)."""
        return self.text is not None


def revision_target(sample_id: str, start: int, end: int) -> str:
    """The target of labels on the revision of caption[start:end] of a sample."""
    return f"revision:{start}-{end}:{sample_id}"


def place_of(target: str) -> Place | None:
    """The sentence a target names, None if it is no target of a revision."""
    match = _TARGET.fullmatch(target)
    return (match[3], int(match[1]), int(match[2])) if match else None


def revision_verdict(place: Place, verdict: RevisionVerdict, text: str | None, note: str = "") -> Verdict:
    """A verdict for `LabelStore.give_many`. text: the new sentence, "" to take it out; None if rejected.

    Raises: ValueError if text and verdict contradict each other.
    """
    if (text is None) != (verdict == "rejected"):
        raise ValueError(f"{verdict} with text {text!r}")
    return Verdict(revision_target(*place), verdict, note, text)


def decisions(store: LabelStore, run_id: str | None = None) -> dict[Place, Decision]:
    """All sentences with a standing decision.

    run_id: count only decisions given on that run; None = on any run of the dataset (the captions are the
    same, so are the spans).
    """
    found: dict[Place, Decision] = {}
    for target, status in store.statuses().items():
        place = place_of(target)
        if place is None:
            continue
        labels = [
            label
            for label in status.by_annotator.values()
            if label.verdict in REVISION_VERDICTS and (run_id is None or label.run_id == run_id)
        ]
        if labels:
            found[place] = decision_of(place, labels)
    return found


def decision_of(place: Place, standing: Iterable[HumanLabel]) -> Decision:
    """The decision of the standing labels, one an annotator. Agreed = all want the same text.

    Where one accepts what another typed himself, it is "accepted".
    """
    labels = tuple(sorted(standing, key=lambda label: label.time))
    wanted = {None if label.verdict == "rejected" else label.text for label in labels}
    unusable = any(label.verdict != "rejected" and label.text is None for label in labels)
    if len(wanted) != 1 or unusable:
        return Decision(*place, None, None, labels)
    verdicts = {label.verdict for label in labels}
    verdict = "accepted" if verdicts == {"accepted", "edited"} else next(iter(verdicts))
    return Decision(*place, cast(RevisionVerdict, verdict), wanted.pop(), labels)


def accepted_revisions(
    store: LabelStore, run_id: str | None = None
) -> dict[str, dict[tuple[int, int], Decision]]:
    """sample_id -> (start, end) -> the accepted or edited revision. Disputed and rejected ones are left out.

    store: the labels of the dataset, `LabelStore(workspace.labels_dir(fingerprint))`. run_id: as `decisions`.
    """
    found: dict[str, dict[tuple[int, int], Decision]] = {}
    for (sample_id, start, end), decision in sorted(decisions(store, run_id).items()):
        if decision.accepted:
            found.setdefault(sample_id, {})[(start, end)] = decision
    return found


def revised_caption(caption: str, accepted: Mapping[tuple[int, int], Decision]) -> str:
    """The caption with its accepted revisions; all other text byte for byte as it was.

    Raises: ValueError if a span lies outside the caption or spans overlap.
    """
    return reassemble(caption, {span: one.text for span, one in accepted.items() if one.text is not None})


def unrepaired(
    flagged: Sequence[Place], accepted: Mapping[str, Mapping[tuple[int, int], Decision]]
) -> list[Place]:
    """The drop list: flagged sentences that no accepted revision repairs or takes out, in order."""
    return [(s, a, b) for s, a, b in flagged if (a, b) not in accepted.get(s, {})]
