"""Whether to believe the findings: q over all pairs tested, replication, intervals clustered by image."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core.findings.association import clustered_interval
from core.findings.contrast import FeatureTable
from core.findings.false_discovery import benjamini_hochberg, pair_tests
from core.findings.replicate import halves, replicate
from core.findings.systematic_misalignment import Candidate

BELIEVED_BELOW = 0.05
"""q of a finding that may be believed, if it also replicated."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A candidate with what it was chosen from. barred: names of t, never tested as v."""

    candidate: Candidate
    table: FeatureTable
    barred: Collection[str]


def believe(tested: Sequence[Trial], images: npt.NDArray[np.int64], *, seed: int) -> list[Candidate]:
    """The candidates with q, replication and clustered interval in their association.

    tested: every candidate of the audit, also those that will not be shown.
    images: (n,) number of each sample's image; samples of the same image share it.
    """
    pairs = [
        pair_tests(
            c.candidate.wrong.samples,
            c.table,
            images,
            t=c.candidate.error.textual_fact.text,
            without=c.barred,
        )
        for c in tested
    ]
    q = benjamini_hochberg(np.concatenate([p.p for p in pairs]) if pairs else np.zeros(0))
    first_half = halves(images, seed)
    done, start = [], 0
    for c, mine in zip(tested, pairs, strict=True):
        of_pair = dict(zip(mine.features.tolist(), q[start : start + len(mine.p)].tolist(), strict=True))
        start += len(mine.p)
        done.append(_believe_one(c, of_pair, len(q), images, first_half))
    return done


def _believe_one(
    tested: Trial,
    q_of_feature: dict[int, float],
    n_tests: int,
    images: npt.NDArray[np.int64],
    first_half: npt.NDArray[np.bool_],
) -> Candidate:
    c, table = tested.candidate, tested.table
    v = c.visual_feature.text
    association = replace(c.association, n_tests=n_tests, presence_from=table.presence_from)
    if v not in table.names:
        return replace(c, association=association)
    wrong, known = c.wrong.samples, table.known
    t = c.error.textual_fact.text
    replicated, halves_seen = replicate(wrong, table, images, first_half, t=t, v=v, without=tested.barred)
    association = replace(
        association,
        q=q_of_feature.get(table.names.index(v), 1.0),
        replicated=replicated,
        replication=halves_seen,
        risk_ratio_interval=clustered_interval(wrong[known], c.present[known], images[known]),
    )
    return replace(c, association=association)


def holds_up(q: float | None, replicated: bool | None) -> bool:
    """Whether a finding is to be believed: q below .05 and found again on the held-out half of the images."""
    return q is not None and q < BELIEVED_BELOW and replicated is True
