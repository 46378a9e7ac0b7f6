"""What every stage of an audit gets to work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from core.domain.chat import PlannedCalls
from core.domain.run import AuditConfig, Step
from core.domain.sample import Columns, DatasetSummary
from core.models.registry import Models
from core.runs.cancel import CancelToken
from core.runs.parts import StageStore
from core.runs.workspace import Workspace


class Emit(Protocol):
    """Writes one event of the run."""

    def __call__(self, kind: str, **fields: Any) -> None: ...


@dataclass(slots=True)
class Audit:
    """One run in progress. stores: finished stages by name.

    computed: whether this invocation had to compute anything.
    """

    config: AuditConfig
    workspace: Workspace
    models: Models
    cancel: CancelToken
    emit: Emit
    columns: Columns | None = None
    dataset: DatasetSummary | None = None
    stores: dict[str, StageStore] = field(default_factory=dict)
    computed: bool = False

    @property
    def image_root(self) -> Path | None:
        return Path(self.config.images) if self.config.images else None

    @property
    def setting(self) -> str:
        assert self.dataset is not None, "the samples stage comes first"
        return self.dataset.setting

    @property
    def scorer_kind(self) -> str:
        """The preset's scorer, else what the data calls for: "objects", "references" or "embedding"."""
        by_data = {"objects": "objects", "reference-based": "references", "reference-free": "embedding"}
        return self.models.preset.scorer or by_data[self.setting]

    @property
    def unit_scores(self) -> bool:
        """Whether alignments are in 0..1 (an embedding scorer's are standardised or cosines)."""
        return self.scorer_kind != "embedding"

    @property
    def has_images(self) -> bool:
        return self.dataset is not None and self.dataset.n_images > 0

    def summary(self, stage: str) -> Mapping[str, Any]:
        """What a finished stage wrote beside its parts."""
        summary: Mapping[str, Any] = self.stores[stage].record()["summary"]
        return summary


@dataclass(frozen=True, slots=True)
class Stage:
    """One row of the table of stages.

    version: raised when the same input gives another output. inputs: stages whose output this one
    reads. params: the parameters and model identities that affect the output (they enter the key).
    work: writes the missing parts and returns the stage's summary. needed: False skips the stage.
    steps: the systems that use the stage; it runs when one of them is asked for.
    plan: what the stage will ask of chat models, made from `plan_inputs` (stages, all of them without
    chat models) before it runs; None = it asks nothing.
    """

    name: str
    version: int
    inputs: tuple[str, ...]
    params: Callable[[Audit], Mapping[str, object]]
    work: Callable[[Audit, StageStore], Mapping[str, object]]
    needed: Callable[[Audit], bool] = lambda audit: True
    steps: tuple[Step, ...] = ("symbal",)
    plan: Callable[[Audit], Sequence[PlannedCalls]] | None = None
    plan_inputs: tuple[str, ...] = ()
