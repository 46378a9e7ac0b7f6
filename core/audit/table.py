"""The table of stages: one walk, each room once."""

from __future__ import annotations

from core.audit.context import Audit, Stage
from core.audit.evian_stages import EVIAN_STAGES
from core.audit.finding_stages import FINDING_STAGES
from core.audit.image_stages import IMAGE_STAGES
from core.audit.map_stages import MAP_STAGES
from core.audit.score_stage import SCORE_STAGE
from core.audit.text_stages import TEXT_STAGES
from core.audit.vnli_stages import VNLI_STAGES
from core.runs.keys import tagged_hash

STAGES: tuple[Stage, ...] = (
    *TEXT_STAGES,
    *IMAGE_STAGES,
    SCORE_STAGE,
    *FINDING_STAGES,
    *MAP_STAGES,
    *EVIAN_STAGES,
    *VNLI_STAGES,
)
"""After `samples` and `problems` (core.audit.source_stage), in the order they run."""


def stage_key(audit: Audit, stage: Stage) -> str:
    """Key of a stage's output: what went in, and all that decides what comes out.

    Inputs enter by the hash of their output, so an input computed anew with the same result changes
    nothing. Batch size, threads, paths and names do not enter.
    """
    inputs = {name: audit.stores[name].output_hash for name in stage.inputs if name in audit.stores}
    parts = {
        "stage": stage.name,
        "version": stage.version,
        "params": dict(stage.params(audit)),
        "inputs": inputs,
    }
    return tagged_hash(parts, "faultline-stage")


def versions() -> dict[str, int]:
    """Version of every stage, for the key of a run."""
    return {stage.name: stage.version for stage in STAGES}
