"""Map stages for the finished run of audit_fixture: places, clusters, vectors, as the engine writes them."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pyarrow as pa

from core.audit.finding_tables import CLUSTERS_SCHEMA
from core.audit.text_stages import GROUPING_SCHEMA
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from tests.pages import audit_fixture

CURVE = [{"k": k, "silhouette": s, "objective": 1.0} for k, s in ((2, 0.3), (4, 0.5), (6, 0.4))]


def places_of(n, seed=1):
    """Four separate groups of places; the first fact of a sample and the second lie far apart."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0, 0], [8, 0], [8, 6], [0, 6]])
    return (centres[np.arange(n) % 4] + rng.normal(scale=0.6, size=(n, 2))).astype(np.float32)


def add_map(root, run_id="street-1a2b3c", *, n=60, images=True):
    """Add fact_map, fact_grouping, text_clusters, fact_vectors and, with images, image_map."""
    workspace = Workspace(root)
    n_facts, keys = 2 * n, {}

    def stage(name):
        keys[name] = hashlib.sha256(f"{run_id}{name}".encode()).hexdigest()
        return StageStore(workspace, name, keys[name])

    def drawn(n_points, note=""):
        return {
            "method": "umap",
            "n_points": n_points,
            "n_fitted": n_points - 5,
            "note": note,
            "trustworthiness": 0.953,
        }

    store = stage("fact_map")
    store.write_array(0, places_of(n_facts))
    store.commit(drawn(n_facts, "a note of the engine"))
    if images:
        store = stage("image_map")
        store.write_array(0, places_of(n, seed=2))
        store.commit(drawn(n))
    cluster = np.where(np.arange(n_facts) % 2 == 0, 0, 1 + (np.arange(n_facts) // 2) % 3)
    store = stage("fact_grouping")
    columns = [pa.array(range(n_facts), pa.int64()), pa.array(cluster, pa.int32())]
    store.write_table(0, pa.Table.from_arrays(columns, schema=GROUPING_SCHEMA))
    store.commit({"k": 4, "effective_k": 3, "curve": CURVE, "note": ""})
    store = stage("text_clusters")
    store.write_table(0, pa.Table.from_pylist(_clusters(n), schema=CLUSTERS_SCHEMA))
    store.commit({"n_clusters": 4, "errors": []})
    store = stage("fact_vectors")
    angle = np.linspace(0, 3, n_facts)
    store.write_array(0, np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)[:50])
    store.write_array(1, np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)[50:])
    store.commit({"space": "angles"})
    path = root / "runs" / run_id / "run.json"
    record = json.loads(path.read_text())
    record["stages"].update(keys)
    path.write_text(json.dumps(record))
    return run_id


def _clusters(n):
    rows = []
    for cluster in range(4):
        size = n if cluster == 0 else n // 3
        rows.append(
            {
                "cluster_id": cluster,
                "size": size,
                "n_scored": size if cluster else 0,
                "n_unscored": 0 if cluster else size,
                "mean_alignment": 0.1 * cluster + 0.2 if cluster else None,
                "low": None,
                "high": None,
                "rank": cluster or None,
                "excluded": None if cluster else "no scored member",
                "textual_facts": [audit_fixture.PAIRS[cluster - 1][0]] if cluster else [],
            }
        )
    return rows
