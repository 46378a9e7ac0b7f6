"""A run opened for reading: its record, its findings and where its stages lie."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.domain.run import RunInfo
from core.errors import RunError
from core.labels.verdicts import LabelStore
from core.runs.manifest import run_info
from core.runs.workspace import Workspace

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True, slots=True)
class OpenRun:
    """info: the state as people see it. record: run.json. findings: findings.json, None before the end."""

    workspace: Workspace
    info: RunInfo
    record: Mapping[str, Any]
    findings: Mapping[str, Any] | None

    @property
    def run_id(self) -> str:
        return self.info.run_id

    @property
    def folder(self) -> Path:
        return Path(self.workspace.run_dir(self.run_id))

    @property
    def fingerprint(self) -> str:
        """Hash of the samples; verdicts belong to it. "" while the data are being read."""
        return str(self._dataset.get("fingerprint") or "")

    @property
    def dataset_name(self) -> str:
        return str(self._dataset.get("name") or self.info.name)

    @property
    def image_root(self) -> Path | None:
        root = self.record.get("image_root")
        return Path(root) if root else None

    def count(self, name: str) -> int:
        """A number of the dataset record, such as n_images or n_problems; 0 if it is not known yet."""
        value = self._dataset.get(name)
        return value if isinstance(value, int) else 0

    def stage(self, name: str) -> Path | None:
        """Folder of a stage's parts, None if this run has no such stage (yet)."""
        key = (self.record.get("stages") or {}).get(name)
        return Path(self.workspace.stage_dir(name, key)) if key else None

    def need_stage(self, name: str) -> Path:
        """As `stage`; raises RunError if there is none."""
        folder = self.stage(name)
        if folder is None:
            raise RunError(
                f"this run has no {name!r} yet", where=self.run_id, remedy="wait for it, or resume it"
            )
        return folder

    @property
    def _dataset(self) -> Mapping[str, Any]:
        value = self.record.get("dataset")
        return value if isinstance(value, Mapping) else {}


def open_run(workspace: Workspace, run_id: str) -> OpenRun:
    """Open a run. Raises RunError if there is none of this id or its record cannot be read."""
    if not is_run_id(run_id) or not (folder := Path(workspace.run_dir(run_id))).is_dir():
        raise RunError(
            "there is no such run in this workspace", value=run_id, remedy="choose one on the overview"
        )
    info = run_info(workspace, run_id)
    record = _read_json(folder / "run.json") or {}
    findings = _read_json(folder / "findings.json") if info.state == "finished" else None
    return OpenRun(workspace, info, record, findings)


def is_run_id(text: str) -> bool:
    """Whether this can be the id of a run: one plain folder name."""
    return _RUN_ID.fullmatch(text) is not None and ".." not in text


def labels_of(workspace: Workspace, fingerprint: str) -> LabelStore:
    """The verdicts on a dataset; shared by all its runs."""
    return LabelStore(Path(workspace.labels_dir(fingerprint)))


def _read_json(path: Path) -> Mapping[str, Any] | None:
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as e:
        raise RunError("a file of this run is damaged", where=str(path), value=str(e)) from None
    if not isinstance(value, dict):
        raise RunError("a file of this run is damaged", where=str(path), remedy="resume the run")
    return value
