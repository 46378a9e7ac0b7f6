"""The rows a selection by Evian's overall score keeps. Paper: Evian 3.4."""

from __future__ import annotations

import numpy as np

from core.views.open_run import OpenRun
from core.views.triplets import load_triplets, select


def selected_rows(run: OpenRun, threshold: float) -> frozenset[int]:
    """Rows of the input whose overall score is at least `threshold`, 1..5; unscored rows are not kept.

    Raises RunError if the run scored no triplets.
    """
    t = load_triplets(run)
    kept = select(t, np.arange(len(t.sample_ids)), threshold=threshold).kept
    return frozenset(int(row) for row in t.row[kept])
