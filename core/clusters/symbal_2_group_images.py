"""Group similar images of one fact cluster. Paper: Symbal 4.2, A.2 (spherical k-means, K by silhouette)."""

from __future__ import annotations

from collections.abc import Callable

from core.clusters.sweep_k import KSweep, sweep_k
from core.seams import FloatMatrix

MAX_IMAGE_CLUSTERS = 12
MEMBERS_A_CLUSTER = 8


def group_images(vectors: FloatMatrix, *, seed: int, name_of: Callable[[int], str] | None = None) -> KSweep:
    """Clusters of (n, d) unit image vectors of the images in C_text; labels (n,) int32.

    K from 2 to 12, with at least about eight images a cluster; fewer than 16 images are one cluster.
    name_of: what image i is, for messages. Raises DataError for vectors that cannot be grouped.
    """
    largest = min(MAX_IMAGE_CLUSTERS, len(vectors) // MEMBERS_A_CLUSTER)
    grid = list(range(2, largest + 1)) or [1]
    return sweep_k(vectors, k_grid=grid, seed=seed, name_of=name_of)
