"""q: how many of the findings at least this strong would be false, counting every (t, v) tested.

v is picked as the strongest of many features and t as one of many errors. Every pair that could have been
picked is therefore tested and enters the Benjamini-Hochberg adjustment, also those that are not shown.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse, stats

from core.findings.contrast import FeatureTable

BELIEVED_BELOW = 0.05
"""A finding with q at or above this is not to be believed yet."""
BoolVector = npt.NDArray[np.bool_]
IntVector = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """One-sided Fisher tests of one error t against every feature, counted in images.

    features: (m,) indices into the table's names, those whose counts could give p < 0.05 at all (seen
    from the margins alone, so leaving out the others is no selection). p: (m,).
    """

    features: IntVector
    p: npt.NDArray[np.float64]


def at_risk(wrong: BoolVector, table: FeatureTable, t: str) -> BoolVector:
    """(n,) samples in which t could be said wrongly: those that do not show t themselves.

    Where t is present the error cannot occur. Kept in, those samples would link t to every feature that
    shuns t, in captions dealt out at random too.
    """
    return np.asarray(table.known & (wrong | ~table.column(t)))


def by_image(
    wrong: BoolVector, table: FeatureTable, rows: BoolVector, images: IntVector
) -> tuple[BoolVector, sparse.csc_matrix]:
    """(wrong, present) with one row an image: any of its captions is wrong, shows the feature.

    images: (n,) number of each sample's image. Several captions of one image are one observation.
    """
    numbers, place = np.unique(images[rows], return_inverse=True)
    n_rows = int(rows.sum())
    gather = sparse.csr_matrix(
        (np.ones(n_rows, np.int32), (place, np.arange(n_rows))), (len(numbers), n_rows)
    )
    present = sparse.csc_matrix(gather @ table.present[rows])
    present.data[:] = 1
    return np.asarray(gather @ wrong[rows].astype(np.int32) > 0), present


def pair_tests(
    wrong: BoolVector, table: FeatureTable, images: IntVector, *, t: str, without: Collection[str]
) -> PairTests:
    """Test t against every feature but `without` (names of t itself)."""
    wrong_images, present = by_image(wrong, table, at_risk(wrong, table, t), images)
    n, n_wrong = len(wrong_images), int(wrong_images.sum())
    totals = np.asarray(present.sum(axis=0)).ravel().astype(np.int64)
    usable = (totals > 0) & ~np.isin(np.array(table.names), list(without))
    features = np.flatnonzero(usable) if n_wrong else np.zeros(0, np.int64)
    most = np.minimum(totals[features], n_wrong)
    could = stats.hypergeom.sf(most - 1, n, totals[features], n_wrong) < BELIEVED_BELOW
    features = features[could]
    together = np.asarray(present.T @ wrong_images.astype(np.int64)).ravel()[features]
    return PairTests(features, np.asarray(stats.hypergeom.sf(together - 1, n, totals[features], n_wrong)))


def benjamini_hochberg(p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(m,) q of (m,) p: the false discovery rate at which each would just be accepted."""
    return np.asarray(stats.false_discovery_control(np.clip(p, 0, 1), method="bh")) if len(p) else p
