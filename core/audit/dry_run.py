"""What an audit will ask of chat models, counted before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.audit.context import Audit, Stage
from core.audit.run_audit import absolute, check_setting, default_name, make_models, make_stage
from core.audit.source_stage import read_source
from core.audit.table import STAGES
from core.dataset.read_dataset import open_dataset
from core.domain.chat import PlannedCalls
from core.domain.run import AuditConfig
from core.errors import AuditError
from core.models.registry import load_preset
from core.runs.cancel import CancelToken
from core.runs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class DryRun:
    """What was counted. n_samples: rows that will be audited; calls: one entry a stage and role."""

    n_samples: int
    n_problems: int
    setting: str
    calls: tuple[PlannedCalls, ...]


def dry_run(
    config: AuditConfig,
    workspace: Workspace,
    *,
    on_event: Callable[[dict[str, Any]], None] = lambda event: None,
    stages: Sequence[Stage] = STAGES,
) -> DryRun:
    """Count the calls of an audit. No server is needed, and no run is left behind.

    The data is read, and the stages that questions are made from run (sentences, for a scorer); what
    they make is kept for the audit. Raises: AuditError as the audit would.
    """
    config = absolute(config)
    preset = load_preset(config.preset)
    dataset = open_dataset(config)
    cancel = CancelToken(workspace.create().root)

    def emit(kind: str, **fields: Any) -> None:
        on_event({"kind": kind, **fields})

    audit = Audit(config, workspace, make_models(preset, workspace, cancel), cancel, emit)
    read_source(audit, dataset, config.name or default_name(Path(config.captions)))
    check_setting(audit)
    asked = [stage for stage in stages if set(stage.steps) & set(config.steps)]
    planned = [stage for stage in asked if stage.plan is not None and stage.needed(audit)]
    for stage in needed_for_plan(planned, stages):
        if stage.needed(audit):
            make_stage(audit, stage)
    calls = [call for stage in planned if stage.plan is not None for call in stage.plan(audit)]
    assert audit.dataset is not None
    return DryRun(audit.dataset.n_samples, audit.dataset.n_problems, audit.setting, tuple(calls))


def needed_for_plan(planned: Sequence[Stage], stages: Sequence[Stage]) -> list[Stage]:
    """The stages the plans are made from and their inputs, in the order they run.

    Raises: AuditError if one of them would itself ask a chat model.
    """
    by_name = {stage.name: stage for stage in stages}
    wanted: set[str] = set()
    waiting = [name for stage in planned for name in stage.plan_inputs]
    while waiting:
        name = waiting.pop()
        if name in wanted or name not in by_name:
            continue
        if by_name[name].plan is not None:
            raise AuditError("the calls of a stage cannot be counted before another asks", where=name)
        wanted.add(name)
        waiting.extend(by_name[name].inputs)
    return [stage for stage in stages if stage.name in wanted]
