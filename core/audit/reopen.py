"""A finished run as an audit again: its configuration, its models and its finished stages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.audit.context import Audit
from core.audit.run_audit import make_models
from core.domain.sample import Columns, DatasetSummary
from core.errors import RunError
from core.models.registry import load_preset
from core.runs.cancel import CancelToken
from core.runs.config_file import read_config
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from core.runs.workspace import Workspace


def reopen(workspace: Workspace, run_id: str, emit: Any = lambda kind, **fields: None) -> Audit:
    """The audit of a finished run, with all its stages to read. Nothing of the run is changed.

    Raises: RunError if there is no such run, it is not finished, or one of its stages is gone.
    """
    record = read_manifest(workspace, run_id)
    if record["state"] != "finished":
        raise RunError(
            "the run is not finished", where=run_id, value=record["state"],
            remedy="wait for it, or resume it",
        )  # fmt: skip
    folder = workspace.run_dir(run_id)
    config = read_config(folder / "config.toml")
    cancel = CancelToken(folder)
    audit = Audit(config, workspace, make_models(load_preset(config.preset), workspace, cancel), cancel, emit)
    audit.dataset = _dataset(record["dataset"], run_id)
    for name, key in record["stages"].items():
        store = StageStore(workspace, name, key)
        if not store.is_complete:
            raise RunError("a stage of the run is gone", where=run_id, value=name, remedy="resume the run")
        audit.stores[name] = store
    audit.columns = audit.dataset.columns
    return audit


def _dataset(fields: Mapping[str, Any], run_id: str) -> DatasetSummary:
    known = {f: fields[f] for f in DatasetSummary.__slots__ if f in fields}
    try:
        return DatasetSummary(**{**known, "columns": Columns(**fields["columns"])})
    except (KeyError, TypeError) as error:
        raise RunError(
            "the run was made by another version", where=run_id, remedy="resume the run"
        ) from error
