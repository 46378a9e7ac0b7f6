"""Put an error t into captions so that it goes with v at a given Cramer's V.

Paper: SymbalBench 5, B (natural, 3). Only samples where t is neither in the image nor in the caption can
carry the error; the association is measured among those.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from core.bench.symbalbench.names import HERE

LEVELS = (0.3, 0.6, 0.9)
SHARE_WITH_V = {0.3: 0.5, 0.6: 0.75, 0.9: 0.95}
"""Share of the samples with v that carry the error, by level; how many without v follows from V.
The paper states V only."""
FEWEST = 25
"""With fewer samples that show v and could carry the error a pair is no setting: of the 131 pairs in Table 3,
120 remain on COCO val2017, the paper's 360 settings."""
TOLERANCE = 0.03


@dataclass(frozen=True, slots=True, eq=False)
class Injection:
    """carriers: sorted rows that carry the error. achieved: Cramer's V of carrying t and showing v.

    with_v: carriers that show v. possible: rows that could carry it, possible_with_v: of those with v.
    """

    carriers: npt.NDArray[np.int64]
    achieved: float
    with_v: int
    possible: int
    possible_with_v: int


def cramers_v(both: float, only_t: float, only_v: float, neither: float) -> float:
    """Cramer's V (absolute phi) of a 2x2 table; 0 if a margin is empty."""
    rows, columns = (both + only_t) * (only_v + neither), (both + only_v) * (only_t + neither)
    return abs(both * neither - only_t * only_v) / math.sqrt(rows * columns) if rows * columns else 0.0


def choose_carriers(
    can_carry: npt.NDArray[np.bool_],
    shows_v: npt.NDArray[np.bool_],
    level: float,
    generator: np.random.Generator,
    fewest: int = FEWEST,
) -> Injection | None:
    """Who carries the error, so that V among `can_carry` is as near to `level` as counts allow.

    can_carry: (n,) t is neither in the image nor in the caption. shows_v: (n,) v is in the image.
    None if fewer than `fewest` samples with v could carry it, or no counts come within .03 of the level.
    """
    inside = np.flatnonzero(can_carry & shows_v)
    outside = np.flatnonzero(can_carry & ~shows_v)
    if len(inside) < fewest or not len(outside):
        return None
    share = SHARE_WITH_V.get(level, (1 + level) / 2)
    both = max(1, round(share * len(inside)))
    counts = np.arange(0, len(outside) + 1)
    found = np.array(
        [cramers_v(both, n, len(inside) - both, len(outside) - n) for n in range(len(outside) + 1)]
    )
    more_often = both / len(inside) > counts / len(outside)
    gap = np.where(more_often, np.abs(found - level), np.inf)
    best = int(gap.argmin())
    if gap[best] > TOLERANCE:
        return None
    chosen = [generator.choice(inside, both, replace=False), generator.choice(outside, best, replace=False)]
    carriers = np.sort(np.concatenate(chosen))
    return Injection(carriers, float(found[best]), both, len(inside) + len(outside), len(inside))


@cache
def templates() -> tuple[str, ...]:
    """The fifty sentences an error is put into."""
    lines = (HERE / "templates.txt").read_text("utf-8").splitlines()
    return tuple(line for line in lines if line.strip() and not line.startswith("#"))


def sentence(template: str, term: str) -> str:
    """A template with the term and its article in place."""
    article = "" if term in {"skis", "scissors"} else "an " if term[0] in "aeiou" else "a "
    named = f"{article}{term}"
    return template.format(t=term, a=named, A=named[0].upper() + named[1:])
