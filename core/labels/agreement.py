"""Agreement of annotators beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain


def krippendorff_alpha(units: Iterable[Sequence[Hashable | None]]) -> float | None:
    """Krippendorff's alpha for nominal values: 1 = full agreement, 0 = as by chance, below 0 = worse.

    units: the values each unit got, one an annotator in any order, None = not judged. Units with fewer than
    two values say nothing. None if there are no such units, or only one value was ever given (nothing could
    have differed). Source: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), nominal metric.
    """
    counted = [Counter(v for v in values if v is not None) for values in units]
    pairable = [c for c in counted if c.total() > 1]
    totals = Counter(chain.from_iterable(c.elements() for c in pairable))
    n = totals.total()
    expected = n * n - sum(k * k for k in totals.values())
    if not expected:
        return None
    differing = sum((c.total() ** 2 - sum(k * k for k in c.values())) / (c.total() - 1) for c in pairable)
    return 1.0 - (n - 1) * differing / expected
