"""Does a finding hold on images it was not found on? v is chosen on one half, looked at on the other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from core.domain.finding import Effect, Replication
from core.findings.association import risk_ratio
from core.findings.contrast import FeatureTable, contrast_features
from core.findings.false_discovery import at_risk, by_image

MIN_WRONG = 5
"""Images with the error needed in each half."""
MIN_PRESENT = 5
"""Images with v needed in each half."""
LEVEL = 0.05

BoolVector = npt.NDArray[np.bool_]
IntVector = npt.NDArray[np.int64]


def halves(images: IntVector, seed: int) -> BoolVector:
    """(n,) True for samples whose image falls into the first random half of the images."""
    numbers, place = np.unique(images, return_inverse=True)
    first = np.zeros(len(numbers), bool)
    first[np.random.default_rng(seed).permutation(len(numbers))[: len(numbers) // 2]] = True
    return np.asarray(first[place])


def replicate(
    wrong: BoolVector,
    table: FeatureTable,
    images: IntVector,
    first_half: BoolVector,
    *,
    t: str,
    v: str,
    without: Collection[str],
) -> tuple[bool | None, Replication | None]:
    """(replicated, the half that shows it best); (None, None) where a half has too few images to tell.

    Each half in turn discovers its own v and the other half tests it (one-sided Fisher exact test). The
    finding replicates if a half discovers this v and the other confirms it at 0.05 / 2, so that chance
    alone passes at most one time in twenty.
    """
    rows = at_risk(wrong, table, t)
    shown = table.column(v)
    for half in (first_half, ~first_half):
        inside = rows & half
        n_wrong = len(np.unique(images[inside & wrong]))
        n_present = len(np.unique(images[inside & shown]))
        if n_wrong < MIN_WRONG or n_present < MIN_PRESENT:
            return None, None
    tries = [
        found
        for half in (first_half, ~first_half)
        if (found := _one_way(wrong, table, images, rows & half, rows & ~half, without)) is not None
    ]
    if not tries:
        return False, None
    best = min(tries, key=lambda r: (r.feature != v, r.p))
    return best.feature == v and best.p < LEVEL / 2, best


def _one_way(
    wrong: BoolVector,
    table: FeatureTable,
    images: IntVector,
    discover: BoolVector,
    held_out: BoolVector,
    without: Collection[str],
) -> Replication | None:
    chosen = contrast_features(wrong, replace(table, known=discover), without=without).candidates
    if not chosen:
        return None
    feature = chosen[0].text
    here, _ = _effect(wrong, table, discover, images, feature)
    there, p = _effect(wrong, table, held_out, images, feature)
    return Replication(feature, here, there, p)


def _effect(
    wrong: BoolVector, table: FeatureTable, rows: BoolVector, images: IntVector, feature: str
) -> tuple[Effect, float]:
    wrong_images, matrix = by_image(wrong, table, rows, images)
    present = matrix[:, table.names.index(feature)].toarray()[:, 0] > 0
    n, n_wrong, n_present = len(present), int(wrong_images.sum()), int(present.sum())
    both = int((wrong_images & present).sum())
    cells = (both, n_present, n_wrong - both, n - n_present)
    return Effect(*cells, risk_ratio(*cells)), float(stats.hypergeom.sf(both - 1, n, n_present, n_wrong))
