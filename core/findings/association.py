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


def clustered_interval(
    wrong: BoolVector, present: BoolVector, images: npt.NDArray[np.int64]
) -> Interval | None:
    """95 % interval of the risk ratio when several samples share an image; None if a margin is empty.

    images: (n,) number of each sample's image. The sandwich variance of the log ratio, summed by image, is
    used where it is wider than Katz's. With an empty cell: Katz after Haldane.
    """
    plain = associate(wrong, present)
    ratio = plain.risk_ratio
    cells = (plain.wrong_present, plain.wrong_absent, plain.right_present, plain.right_absent)
    if ratio is None or 0 in cells:
        return plain.risk_ratio_interval
    n1, n0 = cells[0] + cells[2], cells[1] + cells[3]
    risk1, risk0 = cells[0] / n1, cells[1] / n0
    share = np.where(present, (wrong - risk1) / (n1 * risk1), -(wrong - risk0) / (n0 * risk0))
    numbers, place = np.unique(images, return_inverse=True)
    sums = np.bincount(place, share)
    sandwich = float((sums**2).sum()) * len(numbers) / max(len(numbers) - 1, 1)
    katz = 1 / cells[0] - 1 / n1 + 1 / cells[1] - 1 / n0
    spread = Z95 * math.sqrt(max(sandwich, katz))
    return Interval(ratio * math.exp(-spread), ratio * math.exp(spread))


def risk_ratio(wrong_present: int, present: int, wrong_absent: int, absent: int) -> float | None:
    """P(wrong | present) / P(wrong | absent); 0.5 is added to all cells if one is empty."""
    right = (present - wrong_present, absent - wrong_absent)
    return _risk_ratio(wrong_present, wrong_absent, *right)[0]


def _risk_ratio(a: int, b: int, c: int, d: int) -> tuple[float | None, Interval | None]:
    if a + c == 0 or b + d == 0 or a + b == 0:
        return None, None
    shift = 0.5 if 0 in (a, b, c, d) else 0.0
    wp, wa = a + shift, b + shift
    n1, n0 = a + c + 2 * shift, b + d + 2 * shift
    ratio = (wp / n1) / (wa / n0)
    spread = Z95 * math.sqrt(max(1 / wp - 1 / n1 + 1 / wa - 1 / n0, 0.0))
    return ratio, Interval(ratio * math.exp(-spread), ratio * math.exp(spread))
