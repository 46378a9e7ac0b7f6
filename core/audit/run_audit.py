"""Run an audit from a captions file to findings.json; every finished part is kept and never redone."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.audit.chat_scoring import check_scoring
from core.audit.context import Audit, Stage
from core.audit.source_stage import read_source
from core.audit.table import STAGES, stage_key
from core.dataset.images import open_image
from core.dataset.read_dataset import OpenDataset, open_dataset
from core.domain.run import STEPS, AuditConfig, RunState
from core.domain.vnli import DEFAULT_THRESHOLD
from core.errors import AuditCancelledError, AuditError, ConfigError, ServerDownError
from core.models.calls import counts_json
from core.models.registry import Models, Preset, load_preset
from core.runs.cancel import CancelToken
from core.runs.config_file import write_config
from core.runs.events import EventLog
from core.runs.files import read_json, write_json
from core.runs.keys import tagged_hash
from core.runs.manifest import MANIFEST, claim_run, finish_run, start_run, update_run
from core.runs.parts import StageStore
from core.runs.workspace import Workspace

OnEvent = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What the command line prints with --json. seconds: of this invocation."""

    run_id: str
    findings_path: str
    status: str
    n_samples: int
    n_facts: int
    n_unscored: int
    seconds: float


def run_id_of(config: AuditConfig, name: str) -> str:
    """The same command on the same file is the same run: asking again resumes it or answers from it.

    Looks at the file's size and time, not at its bytes, so that a run has its folder at once; what is
    computed is keyed by content.
    """
    path = Path(config.captions)
    status = path.stat() if path.exists() else None
    seen = [status.st_size, status.st_mtime_ns] if status else []
    asked = asdict(config)
    if config.steps == ("symbal",):  # runs from before there was a choice keep their names
        del asked["steps"]
    if config.entailment_threshold == DEFAULT_THRESHOLD:
        del asked["entailment_threshold"]
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "audit"
    return f"{slug}-{tagged_hash({'config': asked, 'file': seen}, 'faultline-run')[:10]}"


def absolute(config: AuditConfig) -> AuditConfig:
    """The config with absolute paths, so that a run can be resumed from any folder."""
    images = str(Path(config.images).expanduser().absolute()) if config.images else None
    return replace(config, captions=str(Path(config.captions).expanduser().absolute()), images=images)


def run_audit(
    config: AuditConfig,
    workspace: Workspace,
    *,
    on_event: OnEvent = lambda event: None,
    on_run_id: Callable[[str], None] = lambda run_id: None,
    handle_signals: bool = False,
) -> AuditResult:
    """Run or resume the audit `config` asks for.

    on_event: gets every event as it is logged. on_run_id: called once, before the work begins.
    Raises: AuditError for what the user can mend, AuditCancelledError when asked to stop. A mistake
    seen in the head of the file or in the options leaves no run behind.
    """
    config = absolute(config)
    preset = load_preset(config.preset)
    Models(preset).check_keys()
    if config.top_k < 1:
        raise ConfigError("top-k must be at least 1", value=config.top_k)
    if not 0.0 < config.entailment_threshold <= 1.0:
        raise ConfigError(
            "the entailment threshold is a probability", value=config.entailment_threshold,
            remedy="give a number above 0 and up to 1",
        )  # fmt: skip
    if unknown := [step for step in config.steps if step not in STEPS] or not config.steps:
        raise ConfigError("unknown step", value=unknown, remedy=f"choose of {', '.join(STEPS)}")
    dataset = open_dataset(config)
    name = config.name or default_name(Path(config.captions))
    run_id = run_id_of(config, name)
    run_dir = workspace.create().folder(workspace.run_dir(run_id))
    with claim_run(run_dir):
        log = EventLog(run_dir / "events.jsonl")
        cancel = CancelToken(run_dir)
        cancel.clear()
        if handle_signals:
            cancel.on_signals()

        def emit(kind: str, **fields: Any) -> None:
            on_event(log.emit(kind, **fields))

        audit = Audit(config, workspace, make_models(preset, workspace, cancel), cancel, emit)
        earlier = _earlier_seconds(run_dir)
        write_config(run_dir / "config.toml", config)
        start_run(run_dir, _first_manifest(audit, run_id, name))
        on_run_id(run_id)
        return _guarded(audit, run_dir, dataset, name, earlier)


def make_models(preset: Preset, workspace: Workspace, cancel: CancelToken) -> Models:
    """The preset's models as stages use them: answers kept in the workspace, a cancel noticed."""
    calls = workspace.root / "calls"
    return Models(preset, calls_dir=calls, open_image=open_image, check=cancel.raise_if_requested)


def _earlier_seconds(run_dir: Path) -> float:
    """Seconds on record of a run that finished before, 0 if it did not."""
    try:
        known = read_json(run_dir / MANIFEST)
    except AuditError:
        return 0.0
    return float(known.get("seconds", 0.0)) if known.get("state") == "finished" else 0.0


def default_name(path: Path) -> str:
    """ "captions.jsonl" says little: the folder's name then stands in front."""
    stem = path.name.split(".")[0]
    return f"{path.parent.name}-{stem}" if stem in {"captions", "data", "metadata"} else stem


def _first_manifest(audit: Audit, run_id: str, name: str) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "name": name,
        "preset": audit.config.preset,
        "image_root": audit.config.images,
        "dataset": {"name": name},
        "scorer": {},
        "stages": {},
    }


def _guarded(audit: Audit, run_dir: Path, dataset: OpenDataset, name: str, earlier: float) -> AuditResult:
    """Run the stages; whatever happens, run.json ends in a true state.

    earlier: seconds the run took before; they stay on record when all comes from the cache.
    """
    began = time.monotonic()

    def end(state: RunState, kind: str, message: str = "") -> None:
        seconds = time.monotonic() - began
        if not audit.computed and earlier:
            seconds = earlier
        finish_run(run_dir, state, message=message, seconds=seconds)
        audit.emit(kind, message=message, seconds=round(seconds, 3))

    try:
        result = _run(audit, run_dir, dataset, name, began)
    except AuditCancelledError as error:
        end("cancelled", "run_cancelled", error.sentence())
        raise
    except ServerDownError as error:
        end("interrupted", "run_interrupted", error.sentence())
        raise
    except AuditError as error:
        end("failed", "run_failed", error.sentence())
        raise
    except Exception as error:
        (run_dir / "fault.txt").write_text(traceback.format_exc())
        end("failed", "run_failed", f"a fault of Faultline: {error!r}; the details are in fault.txt")
        raise
    end("finished", "run_finished")
    return result


def _run(audit: Audit, run_dir: Path, dataset: OpenDataset, name: str, began: float) -> AuditResult:
    audit.emit("run_started", run_id=run_dir.name, name=name)
    audit.emit("columns", message=dataset.description)
    started = time.monotonic()
    audit.emit("stage_started", stage="samples", n_total=0)
    cached = read_source(audit, dataset, name)
    _stage_done(audit, run_dir, "samples", cached, started)
    check_setting(audit)
    findings_path = run_dir / "findings.json"
    for stage in STAGES:
        if set(stage.steps) & set(audit.config.steps) and stage.needed(audit):
            _run_stage(audit, run_dir, stage)
        # Before the maps: a run that is stopped while they are drawn has its findings.
        if stage.name == "findings" and "findings" in audit.stores:
            write_json(findings_path, _findings_file(audit, run_dir.name))
    if "findings" not in audit.stores:  # an audit without Symbal
        write_json(findings_path, _findings_file(audit, run_dir.name))
    for role, chat in audit.models.chats.items():
        for note in chat.degradation:
            audit.emit("warning", message=f"{role} ({chat.identity.name}): {note}")
    counts = _dataset_json(audit)
    seconds = round(time.monotonic() - began, 3)
    return AuditResult(
        run_dir.name,
        str(findings_path),
        "finished",
        counts["n_samples"],
        counts["n_facts"],
        counts["n_unscored"],
        seconds,
    )


def check_setting(audit: Audit) -> None:
    """Refuse what cannot be scored before any work, and say what is not as asked."""
    if audit.setting == "reference-free" and not audit.has_images:
        raise ConfigError(
            "there is nothing to compare the captions with: no references, no objects and no images",
            remedy="give --references, --objects or --images",
        )
    check_scoring(audit)
    if audit.config.objects_column and audit.setting != "objects":
        message = f"no row has a list in column {audit.config.objects_column!r}; judged {audit.setting}"
        audit.emit("warning", message=message)
    assert audit.dataset is not None
    if audit.dataset.n_problems:
        audit.emit(
            "warning",
            message=f"{audit.dataset.n_problems} of {audit.dataset.n_rows} rows have a problem; "
            "they are listed with file, row and reason on the run's page",
        )


def _run_stage(audit: Audit, run_dir: Path, stage: Stage) -> None:
    """Find the stage's output or make the parts that are missing, and put it on record."""
    began = time.monotonic()
    cached = make_stage(audit, stage)
    _stage_done(audit, run_dir, stage.name, cached, began)


def make_stage(audit: Audit, stage: Stage) -> bool:
    """Find the stage's output or make the parts that are missing; True if it was there."""
    audit.cancel.raise_if_requested()
    store = StageStore(audit.workspace, stage.name, stage_key(audit, stage))
    cached = store.is_complete
    audit.emit("stage_started", stage=stage.name, n_total=0)
    if not cached:
        with store.lock():
            cached = store.is_complete
            if not cached:
                store.commit(stage.work(audit, store))
    audit.stores[stage.name] = store
    return cached


def _stage_done(audit: Audit, run_dir: Path, name: str, cached: bool, began: float) -> None:
    fields: dict[str, Any] = {
        "stages": {stage: store.key for stage, store in audit.stores.items()},
        "dataset": _dataset_json(audit),
    }
    if "scores" in audit.stores:
        fields["scorer"] = audit.summary("scores")["scorer"]
    if audit.models.chats:
        fields["calls"] = counts_json(audit.models.chats)
    audit.computed = audit.computed or not cached
    update_run(run_dir, **fields)
    audit.emit("stage_finished", stage=name, from_cache=cached, seconds=round(time.monotonic() - began, 3))


def _dataset_json(audit: Audit) -> dict[str, Any]:
    """The dataset as run.json and findings.json name it; counts known so far, else 0."""
    assert audit.dataset is not None
    fields = asdict(audit.dataset)
    fields["n_facts"] = audit.summary("facts")["n_facts"] if "facts" in audit.stores else 0
    fields["n_unscored"] = audit.summary("scores")["n_unscored"] if "scores" in audit.stores else 0
    return fields


def _findings_file(audit: Audit, run_id: str) -> dict[str, Any]:
    scores = audit.summary("scores") if "scores" in audit.stores else {}
    done = {
        name: audit.summary(name) if name in audit.stores else {} for name in ("fact_grouping", "findings")
    }
    return {
        "run_id": run_id,
        "dataset": _dataset_json(audit),
        "preset": audit.config.preset,
        "steps": list(audit.config.steps),
        "scorer": scores.get("scorer", {}),
        "wrong_below": scores.get("wrong_below"),
        "k": done["fact_grouping"].get("k"),
        "findings": done["findings"].get("findings", []),
    }
