"""Tables the finding stages read and write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.audit.context import Audit
from core.audit.summary_stages import said_wrongly
from core.domain.cluster import Cluster
from core.domain.finding import Finding, TextualFact

CLUSTERS_SCHEMA = pa.schema(
    [
        ("cluster_id", pa.int32()),
        ("size", pa.int32()),
        ("n_scored", pa.int32()),
        ("n_unscored", pa.int32()),
        ("mean_alignment", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("rank", pa.int32()),
        ("excluded", pa.string()),
        ("textual_facts", pa.list_(pa.string())),
    ]
)
IMAGES_SCHEMA = pa.schema([("text_cluster", pa.int32()), ("image_row", pa.int64()), ("cluster", pa.int32())])
EVIDENCE_SCHEMA = pa.schema(
    [
        ("finding_id", pa.string()),
        ("sample_index", pa.int32()),
        ("fact_id", pa.int64()),
        ("wrong", pa.bool_()),
        ("feature_present", pa.bool_()),
    ]
)
EVIDENCE_LIMIT = 2000


@dataclass(slots=True)
class Facts:
    """Arrays over all facts. said_wrongly: fact id -> names it says wrongly (misaligned facts only).

    wrong_below: a fact with alignment below counts as wrong.
    """

    sample: npt.NDArray[np.int64]
    cluster: npt.NDArray[np.int64]
    alignment: npt.NDArray[np.float64]
    names: list[list[str]]
    said_wrongly: dict[int, list[str]]
    wrong_below: float

    def aligned(self) -> list[tuple[int, int, list[str]]]:
        """(sample index, fact id, names) of the facts that do not count as wrong."""
        ids = np.flatnonzero(self.alignment >= self.wrong_below)
        return [(int(self.sample[i]), int(i), self.names[i]) for i in ids]

    @classmethod
    def read(cls, audit: Audit) -> Facts:
        scores = audit.stores["scores"].read_table(["value", "unsupported"])
        concepts = audit.stores["concepts"].read_table()["concepts"].to_pylist()
        names = [sorted({n for c in cell or () for n in (c["text"], c["head"])}) for cell in concepts]
        alignment = np.array([np.nan if v is None else v for v in scores["value"].to_pylist()], np.float64)
        below = audit.summary("scores")["wrong_below"]
        unsupported = scores["unsupported"].to_pylist()
        said = {
            int(i): unsupported[i] or [c["text"] for c in concepts[i] or ()]
            for i in np.flatnonzero(alignment < below)
        }
        sample = audit.stores["facts"].read_table(["sample_index"])["sample_index"]
        grouping = audit.stores["fact_grouping"].read_table()["cluster"]
        return cls(
            np.asarray(sample.to_numpy(), np.int64),
            np.asarray(grouping.to_numpy(), np.int64),
            alignment,
            names,
            said_wrongly(audit, said),
            below,
        )


def clusters_table(clusters: Sequence[Cluster], named: Mapping[int, Sequence[TextualFact]]) -> pa.Table:
    rows = [
        {
            "cluster_id": c.cluster_id,
            "size": c.size,
            "n_scored": c.n_scored,
            "n_unscored": c.n_unscored,
            "mean_alignment": c.mean_alignment,
            "low": c.interval.low if c.interval else None,
            "high": c.interval.high if c.interval else None,
            "rank": c.rank,
            "excluded": c.excluded,
            "textual_facts": [t.text for t in named[c.cluster_id]],
        }
        for c in clusters
    ]
    return pa.Table.from_pylist(rows, schema=CLUSTERS_SCHEMA)


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding as it stands in findings.json."""
    return {
        "finding_id": finding.finding_id,
        "rank": finding.rank,
        "textual_fact": asdict(finding.textual_fact),
        "visual_feature": asdict(finding.visual_feature),
        "text_cluster": _cluster_json(finding.text_cluster),
        "image_cluster": _cluster_json(finding.image_cluster) if finding.image_cluster else None,
        "association": asdict(finding.association),
        "example_sample_ids": list(finding.example_sample_ids),
    }


def _cluster_json(cluster: Cluster) -> dict[str, Any]:
    fields = asdict(cluster)
    return {"id": fields.pop("cluster_id"), **fields}
