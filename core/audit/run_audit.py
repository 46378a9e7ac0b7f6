"""Run an audit from a captions file to findings.json; resumable, every finished part kept."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.domain.run import AuditConfig
from core.runs.cancel import CancelToken
from core.runs.events import EventLog
from core.runs.keys import tagged_hash
from core.runs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What the command line prints with --json."""

    run_id: str
    findings_path: str
    status: str
    n_samples: int
    n_facts: int
    n_unscored: int
    seconds: float


def run_id_of(config: AuditConfig, name: str) -> str:
    """The same command on the same file is the same run: asking again resumes it or answers from it.

    Looks at the file's size and time, not its bytes, so that a run has its folder at once; what is
    computed is keyed by content.
    """
    path = Path(config.captions)
    status = path.stat() if path.exists() else None
    seen = [status.st_size, status.st_mtime_ns] if status else []
    chosen = asdict(config)
    chosen["captions"] = str(path.resolve())
    chosen["images"] = str(Path(config.images).resolve()) if config.images else None
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "audit"
    return f"{slug}-{tagged_hash({'config': chosen, 'file': seen}, 'faultline-run')[:10]}"
