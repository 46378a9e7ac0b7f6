"""The 2x2 table of a finding: fact wrong x feature present. Paper: Symbal 5, 6.4."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from core.domain.cluster import Interval
from core.domain.finding import Association

Z95 = 1.959963984540054
BoolVector = npt.NDArray[np.bool_]


def associate(wrong: BoolVector, present: BoolVector) -> Association:
    """Statistics of (n,) wrong against (n,) present over the samples of a dataset.

    Raises: ValueError if the lengths differ.
    """
    if wrong.shape != present.shape:
        raise ValueError(f"wrong has {wrong.shape} entries, present has {present.shape}")
    return associate_counts(
        int((wrong & present).sum()),
        int((wrong & ~present).sum()),
        int((~wrong & present).sum()),
        int((~wrong & ~present).sum()),
    )


def associate_counts(
    wrong_present: int, wrong_absent: int, right_present: int, right_absent: int
) -> Association:
    """Risk ratio with Katz's log interval, Cramer's V and one-sided Fisher p from the four counts.

    An empty cell is met by adding 0.5 to all four cells for the ratio and its interval (Haldane).
    """
    a, b, c, d = wrong_present, wrong_absent, right_present, right_absent
    ratio, interval = _risk_ratio(a, b, c, d)
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    cramers_v = abs(a * d - b * c) / math.sqrt(margins) if margins else None
    p = float(stats.hypergeom.sf(a - 1, a + b + c + d, a + c, a + b)) if margins else None
    return Association(a, b, c, d, ratio, interval, cramers_v, p)


def _risk_ratio(a: int, b: int, c: int, d: int) -> tuple[float | None, Interval | None]:
    if a + c == 0 or b + d == 0 or a + b == 0:
        return None, None
    shift = 0.5 if 0 in (a, b, c, d) else 0.0
    wp, wa = a + shift, b + shift
    n1, n0 = a + c + 2 * shift, b + d + 2 * shift
    ratio = (wp / n1) / (wa / n0)
    spread = Z95 * math.sqrt(max(1 / wp - 1 / n1 + 1 / wa - 1 / n0, 0.0))
    return ratio, Interval(ratio * math.exp(-spread), ratio * math.exp(spread))
