"""Configuration and state of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.domain.finding import VisualFeatureRule

RunState = Literal["running", "finished", "cancelled", "failed", "interrupted"]
OnBadRow = Literal["skip", "keep"]
Step = Literal["symbal", "evian", "vnli"]
STEPS: tuple[Step, ...] = ("symbal", "evian", "vnli")
"""The three systems an audit can run."""


@dataclass(frozen=True, slots=True)
class AuditConfig:
    """All that a user chooses for an audit. Paths are as given; they never enter a key.

    captions: file to audit. images: folder image paths are relative to, None = no images.
    *_column: column names; None = found by usual names (objects and references are used only if
        named so, or given). vocabulary: closed object vocabulary; () = union of the object lists.
    on_bad_row: "skip" drops rows whose image is missing or broken, "keep" audits their text.
    steps: the systems to run, in any order.
    entailment_threshold: a sentence is entailed from this probability on (VNLI-Critique), 0..1.
    """

    captions: str
    images: str | None = None
    name: str | None = None
    caption_column: str | None = None
    image_column: str | None = None
    id_column: str | None = None
    references_column: str | None = None
    objects_column: str | None = None
    instruction_column: str | None = None
    captioner_column: str | None = None
    vocabulary: tuple[str, ...] = ()
    preset: str = "embedded"
    top_k: int = 10
    seed: int = 0
    visual_feature_rule: VisualFeatureRule = "contrast"
    on_bad_row: OnBadRow = "skip"
    steps: tuple[Step, ...] = ("symbal",)
    entailment_threshold: float = 0.5


@dataclass(frozen=True, slots=True)
class StageRecord:
    """One stage of a run as shown to people. seconds: wall time of this run's work on it."""

    name: str
    key: str
    from_cache: bool
    n_parts: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run as listed. progress: 0..1 of the current stage, None if unknown."""

    run_id: str
    name: str
    state: RunState
    preset: str
    setting: str
    n_samples: int
    n_facts: int
    n_unscored: int
    started: str
    seconds: float
    stage: str
    progress: float | None
    message: str
