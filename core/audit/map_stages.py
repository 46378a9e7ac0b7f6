"""Stages that give maps their places: of the facts and of the images. For drawing only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import numpy.typing as npt

from core.audit.context import Audit, Stage
from core.audit.image_stages import image_name
from core.audit.text_stages import fact_name
from core.embeddings.project_umap import project_umap
from core.embeddings.trustworthiness import trustworthiness
from core.runs.parts import StageStore
from core.seams import FloatMatrix


def fact_map_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Places of all facts, (n_facts, 2) float32 in fact order."""
    clusters = audit.stores["fact_grouping"].read_table(["cluster"])["cluster"].to_numpy()
    rows = audit.stores["fact_vectors"].read_array()
    return _map(audit, store, rows, np.asarray(clusters), partial(fact_name, audit))


def image_map_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Places of all distinct images, (n_images, 2) float32 in the order of the image vectors."""
    rows = audit.stores["image_vectors"].read_array()
    return _map(audit, store, rows, None, partial(image_name, audit, np.arange(len(rows))))


def _map(
    audit: Audit,
    store: StageStore,
    rows: FloatMatrix,
    groups: npt.NDArray[np.integer] | None,
    name_of: Callable[[int], str],
) -> Mapping[str, object]:
    audit.cancel.raise_if_requested()
    drawn = project_umap(rows, seed=audit.config.seed, groups=groups, name_of=name_of)
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
