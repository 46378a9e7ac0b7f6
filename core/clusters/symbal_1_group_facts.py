"""Group semantically similar facts. Paper: Symbal 4.1, A.1 (spherical k-means, K by silhouette)."""

from __future__ import annotations

from collections.abc import Callable

from core.clusters.sweep_k import KSweep, sweep_k
from core.seams import FloatMatrix


def group_facts(
    vectors: FloatMatrix,
    *,
    seed: int,
    on_progress: Callable[[int, int], None] | None = None,
    name_of: Callable[[int], str] | None = None,
) -> KSweep:
    """Clusters of (n, d) unit fact vectors; labels (n,) int32.

    on_progress: called with (K done, K in all) as the sweep goes on; may raise to stop it.
    name_of: what fact i belongs to, for messages. Raises DataError for vectors that cannot be grouped.
    """
    return sweep_k(vectors, seed=seed, on_progress=on_progress, name_of=name_of)
