"""Choose errors (t, v) that can be planted into a user's own captions. Paper: SymbalBench 5, B (injection).

Both names come from what the samples of the run show (object lists, references, or the captions), never from
a list of ours.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.bench.symbalbench.inject import LEVELS, choose_carriers
from core.bench.symbalbench.names import mentions, plain
from core.findings.contrast import FeatureTable
from core.findings.features import same_thing

FEWEST_WITH_V = 10
"""Samples with v that can carry the error; with fewer no audit could tell the error from chance."""
FEWEST_WITH_T = 3
"""Samples that show t: a name seen once or twice is more often a slip of parsing than a thing."""
MOST = 0.5
"""v or t in more than half of the samples is no feature an error can go with."""
TRIES = 60


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One error to plant. rows: (m,) sorted samples that get it. with_v: how many of them show v."""

    t: str
    v: str
    level: float
    achieved: float
    rows: npt.NDArray[np.int64]
    with_v: int


def choose_plans(
    table: FeatureTable,
    captions: Sequence[str],
    names_said: Sequence[Collection[str]],
    *,
    n: int,
    seed: int,
    closed_vocabulary: bool,
    levels: Sequence[float] = LEVELS,
    barred: Collection[str] = (),
) -> list[Plan]:
    """Up to `n` errors at each level, pairs drawn at random from the names of the table.

    captions: (n_samples,) as they are. names_said: (n_samples,) names each caption says. barred: names that
    cannot be judged, never t. A pair is used at the levels its counts allow (within .03 of V). Fewer than
    `n` come back where the data has too few names or samples. The same seed draws the same errors.
    """
    share = np.asarray(table.present.sum(axis=0)).ravel() / max(1, len(captions))
    shown = share * len(captions)
    vs = [x for x, s, k in zip(table.names, share, shown, strict=True) if s <= MOST and k >= FEWEST_WITH_V]
    ts = [
        x
        for x, s, k in zip(table.names, share, shown, strict=True)
        if s <= MOST and k >= FEWEST_WITH_T and x not in barred
    ]
    if not ts or not vs:
        return []
    carry = _Carry(table, [plain(c) for c in captions], names_said)
    plans: list[Plan] = []
    left = dict.fromkeys(levels, n)
    pairs: set[tuple[str, str]] = set()
    for attempt in range(n * TRIES):
        if not any(left.values()):
            break
        generator = np.random.default_rng((seed, 4, attempt))
        v, t = str(generator.choice(vs)), str(generator.choice(ts))
        if (t, v) in pairs or v in same_thing(t, [v], closed_vocabulary=closed_vocabulary):
            continue
        pairs.add((t, v))
        for plan in _at_levels(t, v, carry, [x for x in levels if left[x]], generator):
            left[plan.level] -= 1
            plans.append(plan)
    return plans


@dataclass(frozen=True, slots=True, eq=False)
class _Carry:
    """Which samples can carry an error: t is neither shown by the sample nor said by its caption."""

    table: FeatureTable
    captions: Sequence[str]
    names_said: Sequence[Collection[str]]

    def possible(self, t: str) -> npt.NDArray[np.bool_]:
        said = [
            t in names or mentions(text, t)
            for text, names in zip(self.captions, self.names_said, strict=True)
        ]
        free = self.table.known & ~self.table.column(t) & ~np.array(said, bool)
        return np.asarray(free, bool)


def _at_levels(
    t: str, v: str, carry: _Carry, levels: Sequence[float], generator: np.random.Generator
) -> list[Plan]:
    plans = []
    can, shows = carry.possible(t), carry.table.column(v)
    for level in levels:
        found = choose_carriers(can, shows, level, generator, FEWEST_WITH_V)
        if found is not None:
            plans.append(Plan(t, v, level, round(found.achieved, 4), found.carriers, found.with_v))
    return plans
