"""The benchmark: inject, audit clean and defective responses alike, report. Paper: Evian 4, 5.2, 5.4."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from core.audit.evian_tables import expected_array, score_arrays
from core.audit.run_audit import run_audit
from core.bench.evian_defects import ChatInjector, Defect
from core.bench.evian_offline import OfflineInjector
from core.bench.evian_report import discrimination
from core.dataset.image_index import ImageIndex
from core.dataset.images import open_image
from core.dataset.read_dataset import iter_samples
from core.domain.chat import ImageInput
from core.domain.evian import AxisScore, Decomposition, EvianItem
from core.domain.judgement import Unscored
from core.domain.run import AuditConfig
from core.domain.sample import RowProblem, Sample
from core.errors import DataError
from core.models.embedded.evian_tagger import RuleTagger
from core.models.registry import Models, load_preset
from core.runs.files import read_json, replacing
from core.runs.keys import tagged_hash
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from core.scores.evian_baseline import scale_of
from core.scores.evian_triplet import score_triplets
from core.seams import ChatModel

ITEMS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class BenchConfig:
    """audit: file, images, columns, preset and workspace options as for an audit. n: samples taken."""

    audit: AuditConfig
    n: int
    seed: int = 0


def run_bench(
    config: BenchConfig, workspace: Workspace, on_event: Callable[[dict[str, Any]], None] = lambda e: None
) -> dict[str, Any]:
    """The report. Every sample enters twice: as it is, and with one defect; both go through one audit."""
    preset = load_preset(config.audit.preset)
    models = Models(preset, calls_dir=workspace.create().root / "calls", open_image=open_image)
    samples = take_samples(config, workspace)
    chat: ChatModel | None = models.chat("decomposer_chat") if models.has_chat("decomposer_chat") else None
    injected = inject([s.caption for s in samples], chat, config.seed)
    defects = [d for d in injected if isinstance(d, Defect)]
    if not defects:
        raise DataError("no defect could be planted in any response", where=config.audit.captions)
    items = items_of(samples, injected)
    path = write_items(items, workspace)
    audit = replace(
        config.audit, captions=str(path), steps=("evian",), name="evian bench", caption_column="caption",
        image_column="image" if config.audit.images else None, id_column="id", captioner_column=None,
        instruction_column=None,
        references_column="references" if any(s.references for s in samples) else None,
        objects_column="objects" if any(s.objects is not None for s in samples) else None,
    )  # fmt: skip
    result = run_audit(audit, workspace, on_event=on_event)
    stores = _stores(workspace, result.run_id)
    report = _report(items, stores, models, audit)
    reasons = [d.reason for d in injected if isinstance(d, Unscored)]
    baseline = stores["triplets"].record()["summary"]["model"]["baseline"]
    return {
        "run_id": result.run_id,
        "items": str(path),
        "preset": config.audit.preset,
        "seed": config.seed,
        "injector": "offline word tables (heuristic)" if chat is None else chat.identity.name,
        "scores_are_baseline": bool(baseline),
        "not_injected": {r: reasons.count(r) for r in sorted(set(reasons))},
        **report,
    }


def take_samples(config: BenchConfig, workspace: Workspace) -> list[Sample]:
    """A random n of the file's samples, by reservoir: memory of n samples."""
    images = Path(config.audit.images).expanduser().absolute() if config.audit.images else None
    audit = replace(config.audit, images=str(images) if images else None)
    workspace.create()
    index = ImageIndex(images, workspace.root / "image-index") if images else None
    rng = random.Random(config.seed)
    taken: list[Sample] = []
    try:
        found = (s for s in iter_samples(audit, index) if not isinstance(s, RowProblem) and s.caption.strip())
        for i, sample in enumerate(found):
            if len(taken) < config.n:
                taken.append(sample)
            elif (j := rng.randrange(i + 1)) < config.n:
                taken[j] = sample
    finally:
        if index is not None:
            index.close()
    if not taken:
        raise DataError("the file has no sample to plant a defect in", where=config.audit.captions)
    return taken


def inject(texts: Sequence[str], chat: ChatModel | None, seed: int) -> list[Defect | Unscored]:
    """One defect a text: by the chat model in three stages, or offline from word tables."""
    if chat is not None:
        return ChatInjector(chat, seed).inject(texts)
    tagger = RuleTagger()
    tagged = tagger.tag(texts)
    reasons = [not isinstance(s, Unscored) and any(x.tag == "INFER" for x in s) for s in tagged]
    return OfflineInjector(seed).inject(texts, tagger.entities(texts), reasons)


def items_of(samples: Sequence[Sample], injected: Sequence[Defect | Unscored]) -> list[dict[str, Any]]:
    """Records of clean responses and of their defects; a sample without defect is left out."""
    items = []
    for i, (sample, defect) in enumerate(zip(samples, injected, strict=True)):
        if isinstance(defect, Unscored):
            continue
        common: dict[str, Any] = {
            "image": sample.image.path if sample.image else None,
            "references": list(sample.references),
            "objects": None if sample.objects is None else list(sample.objects),
            "instruction": sample.instruction,
            "sample_id": sample.sample_id,
        }
        items.append({"id": f"{i}-clean", "caption": sample.caption, "subtype": "", **common})
        changed: dict[str, Any] = {"original": defect.original, "changed": [defect.start, defect.stop]}
        items.append(
            {"id": f"{i}-defect", "caption": defect.text, "subtype": defect.subtype, **changed, **common}
        )
    return items


def write_items(items: Sequence[Mapping[str, Any]], workspace: Workspace) -> Path:
    """The benchmark's items as JSONL in the workspace, under a name of their content."""
    folder = workspace.folder(workspace.root / "bench" / "evian")
    text = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
    path = Path(folder) / f"{tagged_hash({'items': text}, 'faultline-bench')[:16]}.jsonl"
    if not path.is_file():
        with replacing(path) as stream:
            stream.write(text.encode())
    return path


def _stores(workspace: Workspace, run_id: str) -> dict[str, StageStore]:
    stages = read_manifest(workspace, run_id)["stages"]
    return {name: StageStore(workspace, name, key) for name, key in stages.items()}


def _report(
    items: Sequence[Mapping[str, Any]], stores: Mapping[str, StageStore], models: Models, audit: AuditConfig
) -> dict[str, Any]:
    triplets = stores["triplets"].read_table()
    ids = triplets["sample_id"].to_pylist()
    by_id = {item["id"]: item for item in items}
    subtypes = [by_id[i]["subtype"] for i in ids]
    place = {name: k for k, name in enumerate(ids)}
    pairs = [
        (place[name], place[name.replace("-clean", "-defect")])
        for name in ids
        if name.endswith("-clean") and name.replace("-clean", "-defect") in place
    ]
    scores, defaulted = score_arrays(triplets)
    return discrimination(
        scores,
        expected_array(triplets),
        defaulted,
        np.array([bool(s) for s in subtypes], np.bool_),
        subtypes,
        np.asarray(pairs, np.int64).reshape(-1, 2),
        undecomposed(stores, models, audit),
    )


def undecomposed(
    stores: Mapping[str, StageStore], models: Models, audit: AuditConfig
) -> np.ndarray[Any, Any]:
    """(n,) S_V of the whole response, tags and distillation left out: the ablation "w/o decomposition"."""
    samples = stores["samples"].read_table(["sample_id", "caption", "image_path", "image_sha256"])
    chat: ChatModel | None = models.chat("auditor_chat") if models.has_chat("auditor_chat") else None
    if chat is None:
        return _mean_alignment(stores, samples)
    found: list[float] = []
    rows = iter(samples.to_pylist())
    while batch := list(islice(rows, ITEMS_AT_ONCE)):
        items = [
            EvianItem(
                r["sample_id"], Decomposition(r["caption"], (), r["caption"], r["caption"], r["caption"])
            )
            for r in batch
        ]
        images = [
            (ImageInput(Path(audit.images or "") / r["image_path"], r["image_sha256"]),)
            if r["image_sha256"]
            else ()
            for r in batch
        ]
        scored = [t.image_text_consistency for t in score_triplets(items, images, chat)]
        found += [float(s.value) if isinstance(s, AxisScore) else np.nan for s in scored]
    return np.asarray(found, np.float64)


def _mean_alignment(stores: Mapping[str, StageStore], samples: pa.Table) -> np.ndarray[Any, Any]:
    """The baseline's: mean alignment of all sentences on the scale of S_V."""
    index = stores["facts"].read_table(["sample_index"])["sample_index"].to_numpy()
    value = stores["scores"].read_table(["value"])["value"].to_numpy(zero_copy_only=False).astype(np.float64)
    scored = ~np.isnan(value)
    n = samples.num_rows
    total = np.bincount(index[scored], weights=value[scored], minlength=n)
    count = np.bincount(index[scored], minlength=n)
    scorer = read_json(stores["scores"].path / "stage.json")["summary"]["scorer"]["name"]
    scale = scale_of(scorer)
    mean = [t / c if c else np.nan for t, c in zip(total, count, strict=True)]
    return np.asarray([scale.score(m) if not np.isnan(m) else np.nan for m in mean], np.float64)
