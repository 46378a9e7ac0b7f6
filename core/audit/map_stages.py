"""Stages that give maps their places: of the facts and of the images. For drawing only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from core.audit.context import Audit, Stage
from core.embeddings.project_umap import project_umap
from core.embeddings.trustworthiness import trustworthiness
from core.runs.parts import StageStore
from core.seams import FloatMatrix


def fact_map_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Places of all facts, (n_facts, 2) float32 in fact order."""
    clusters = audit.stores["fact_grouping"].read_table(["cluster"])["cluster"].to_numpy()
    return _map(audit, store, audit.stores["fact_vectors"].read_array(), np.asarray(clusters))


def image_map_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Places of all distinct images, (n_images, 2) float32 in the order of the image vectors."""
    return _map(audit, store, audit.stores["image_vectors"].read_array(), None)


def _map(
    audit: Audit, store: StageStore, rows: FloatMatrix, groups: npt.NDArray[np.integer] | None
) -> Mapping[str, object]:
    audit.cancel.raise_if_requested()
    drawn = project_umap(rows, seed=audit.config.seed, groups=groups)
    store.write_array(0, drawn.places)
    return {
        "method": drawn.method,
        "n_points": len(drawn.places),
        "n_fitted": drawn.n_fitted,
        "note": drawn.note,
        "trustworthiness": trustworthiness(rows, drawn.places) if len(rows) else None,
    }


def _seed(audit: Audit) -> Mapping[str, object]:
    return {"seed": audit.config.seed}


MAP_STAGES = (
    Stage("fact_map", 1, ("fact_vectors", "fact_grouping"), _seed, fact_map_work),
    Stage("image_map", 1, ("image_vectors",), _seed, image_map_work, lambda audit: audit.has_images),
)
