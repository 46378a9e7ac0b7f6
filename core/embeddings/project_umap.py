"""Places of rows on a two-dimensional map. For drawing only: clustering never sees them.

UMAP (umap-learn's layout) on an exact neighbour graph, with fewer epochs for many rows; above 20,000
different rows a stratified sample is laid out and the rest placed beside it. Where UMAP cannot work, the two
leading principal components, and the map says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.embeddings.fuzzy_graph import fuzzy_graph
from core.embeddings.neighbours import nearest_rows, self_first
from core.embeddings.place_rest import place_beside, spread_copies, stratified_sample
from core.seams import FloatMatrix
from core.vectors.leading_directions import projected
from core.vectors.row_blocks import BlockPool, checked_rows, equal_rows

NEIGHBOURS = 15
MIN_DISTANCE = 0.1
FEWEST_FOR_UMAP = 12
"""Below, a neighbourhood of a few rows is all rows, and UMAP's graph says nothing the rows do not."""
FIT_ROWS = 20_000
EPOCHS = ((1_000, 400), (5_000, 200), (FIT_ROWS, 100))
"""(rows up to, epochs). The layout is the cost; see benchmarks/umap_epochs in benchmarks/umap_map.py."""
EXACT_ROWS = 12_000
SEARCH_DIMENSIONS = 64
PLACING_NEIGHBOURS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """places: (n, 2) float32, finite; the axes have no unit. method: what drew them.

    n_fitted: different rows that were laid out; the others were placed beside them. note: what an analyst
    should know, "" if nothing.
    """

    places: FloatMatrix
    method: Literal["umap", "pca"]
    n_fitted: int
    note: str


def project_umap(
    rows: npt.NDArray[np.floating],
    *,
    seed: int = 0,
    groups: npt.NDArray[np.integer] | None = None,
    fit_rows: int = FIT_ROWS,
    epochs: int | None = None,
    threads: int | None = None,
    name_of: Callable[[int], str] | None = None,
) -> Projection:
    """Map (n, d) unit rows; the same for a seed at any number of threads.

    groups: (n,) cluster of each row; the sample of a large map takes from each in proportion.
    fit_rows: different rows to lay out at most. epochs: of the layout; default by number of rows.
    name_of: what row i belongs to, for messages.
    Raises DataError for rows that are not unit vectors; no rows give an empty map.
    """
    if rows.shape[0] == 0:
        return Projection(np.zeros((0, 2), np.float32), "pca", 0, "there is nothing to draw")
    with BlockPool(threads) as pool:
        full, _ = checked_rows(rows, pool, name_of)
        first, copies = equal_rows(full)
        distinct = full if len(first) == len(full) else full[first]
        few_groups = np.zeros(len(first), np.int64) if groups is None else np.asarray(groups)[first]
        drawn = _drawn(distinct, few_groups, seed, fit_rows, epochs, pool)
    return Projection(spread_copies(drawn.places, copies, first), drawn.method, drawn.n_fitted, drawn.note)


def _drawn(
    rows: FloatMatrix,
    groups: npt.NDArray[np.integer],
    seed: int,
    fit_rows: int,
    epochs: int | None,
    pool: BlockPool,
) -> Projection:
    """The map of different rows."""
    n = len(rows)
    if n < FEWEST_FOR_UMAP or rows.shape[1] < 2:
        why = "in one dimension" if rows.shape[1] < 2 else f"{n} different vectors"
        return _by_components(rows, f"drawn by principal components: {why}")
    generator = np.random.default_rng(seed)
    sample = stratified_sample(groups, fit_rows, generator)
    reduced = projected(rows, SEARCH_DIMENSIONS, generator, pool) if n > EXACT_ROWS else None
    fitted = rows if len(sample) == n else rows[sample]
    few = None if reduced is None else reduced[sample]
    places = _laid_out(fitted, few, seed, epochs or _default_epochs(len(sample)), pool)
    if places is None:
        return _by_components(rows, "drawn by principal components: UMAP found no layout")
    if len(sample) == n:
        return Projection(places, "umap", n, "")
    rest = np.setdiff1d(np.arange(n), sample, assume_unique=True)
    search = None if reduced is None or few is None else (reduced[rest], few)
    found = nearest_rows(rows[rest], fitted, PLACING_NEIGHBOURS, pool, search)
    everything = np.empty((n, 2), np.float32)
    everything[sample] = places
    everything[rest] = place_beside(found, places, generator)
    note = f"{len(sample):,} of {n:,} different vectors laid out, the rest placed beside their nearest"
    return Projection(everything, "umap", len(sample), note)


def _default_epochs(n: int) -> int:
    return next((epochs for most, epochs in EPOCHS if n <= most), EPOCHS[-1][1])


def _laid_out(
    rows: FloatMatrix, reduced: FloatMatrix | None, seed: int, epochs: int, pool: BlockPool
) -> FloatMatrix | None:
    """(n, 2) by umap-learn's layout from the principal components, None if it is not finite."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tensorflow is not installed; n_jobs is one for a seed
        from umap.umap_ import find_ab_params, simplicial_set_embedding

    k = min(NEIGHBOURS, len(rows) - 1)
    both = None if reduced is None else (reduced, reduced)
    graph = fuzzy_graph(self_first(nearest_rows(rows, rows, k, pool, both)))
    start = _components(rows if reduced is None else reduced)
    if min(np.ptp(start, axis=0)) <= 0:
        return None
    a, b = find_ab_params(1.0, MIN_DISTANCE)
    random = np.random.RandomState(seed % 2**32)
    places, _ = simplicial_set_embedding(
        None, graph, 2, 1.0, a, b, 1.0, 5, epochs, start, random, "cosine", {}, False, {}, False
    )
    return np.asarray(places, np.float32) if np.isfinite(places).all() else None


def _components(rows: FloatMatrix) -> FloatMatrix:
    """(n, 2) on the two leading principal components (0 where there is none); signs are fixed."""
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    vectors = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :2]
    vectors *= np.where(vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])] < 0, -1, 1)
    places = np.zeros((len(rows), 2), np.float32)
    places[:, : vectors.shape[1]] = centred @ vectors
    return places


def _by_components(rows: FloatMatrix, note: str) -> Projection:
    return Projection(_components(rows), "pca", len(rows), note)
