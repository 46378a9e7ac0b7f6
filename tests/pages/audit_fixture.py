"""A workspace with runs in every state, written file by file as the engine writes it.

The captions are made up; scores, evidence and the numbers of findings.json follow from them.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, ImageDraw

from core.dataset.tables import PROBLEMS_SCHEMA, SAMPLES_SCHEMA
from core.findings.association import associate_counts

FACTS_SCHEMA = pa.schema(
    [
        ("fact_id", pa.int64()),
        ("sample_index", pa.int32()),
        ("sample_id", pa.string()),
        ("position", pa.int32()),
        ("text", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
    ]
)
CONCEPT = pa.struct(
    [("text", pa.string()), ("head", pa.string()), ("start", pa.int32()), ("end", pa.int32())]
)
CONCEPTS_SCHEMA = pa.schema([("fact_id", pa.int64()), ("concepts", pa.list_(CONCEPT))])
SCORES_SCHEMA = pa.schema(
    [
        ("fact_id", pa.int64()),
        ("value", pa.float64()),
        ("explanation", pa.string()),
        ("raw", pa.string()),
        ("unsupported", pa.list_(pa.string())),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)
EVIDENCE_SCHEMA = pa.schema(
    [
        ("finding_id", pa.string()),
        ("sample_index", pa.int32()),
        ("fact_id", pa.int64()),
        ("wrong", pa.bool_()),
        ("feature_present", pa.bool_()),
    ]
)
FINGERPRINT = "f" * 64
SCRIPT = "<script>window.__injected = 1</script>"
PAIRS = (("handbag", "bus"), ("chair", "tv"), ("mouse", "keyboard"))
"""(t, v) of the three findings, in rank order."""


def finding_id(t, v):
    return hashlib.sha256(f"{t}|{v}".encode()).hexdigest()[:16]


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def draw_image(folder, name, colour):
    """A small JPEG; returns (path, sha256)."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (480, 360), colour)
    ImageDraw.Draw(image).ellipse((140, 90, 340, 290), fill=tuple(255 - c for c in colour))
    image.save(path, "JPEG")
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def make_samples(images, n):
    """n samples; sample i speaks of pair i % 3, v is in every second one, t is wrong as is_wrong says."""
    rows = []
    for i in range(n):
        t, v = PAIRS[i % 3]
        has_v = (i // 3) % 2 == 0
        opening = SCRIPT + " " if i == 0 else ""
        caption = (
            f"{opening}The picture shows a busy place in daylight. There is a red {t} near the middle of it."
        )
        if i % 4 == 0:
            caption += " " + "Further back, people walk past shops and trees. " * 6
        sha = path = None
        if images is not None:
            path = f"scene/{i:03}.jpg"
            _, sha = draw_image(images, path, ((37 * i) % 200 + 30, (91 * i) % 200 + 30, (53 * i) % 200 + 30))
        objects = (["person"] + ([v] if has_v else [])) + ([] if is_wrong(i) else [t])
        rows.append(
            {
                "sample_id": f"s{i:03}",
                "row": i + 1,
                "caption": caption,
                "image_path": path,
                "image_sha256": sha,
                "image_width": 480 if sha else None,
                "image_height": 360 if sha else None,
                "references": [f"A {v} stands there."] if has_v else [],
                "objects": objects,
                "instruction": None,
                "captioner": "scripted",
                "meta": "{}",
            }
        )
    return rows


def is_wrong(i):
    """Whether sample i says its t wrongly: often with v, seldom without."""
    has_v = (i // 3) % 2 == 0
    return i % 5 != 4 if has_v else i % 5 == 0


def make_facts(samples):
    """Two sentences a sample: the first unscored, the second about t."""
    facts, concepts, scores = [], [], []
    for i, sample in enumerate(samples):
        t, _ = PAIRS[i % 3]
        text = f"There is a red {t} near the middle of it."
        first_end = sample["caption"].index(" There is a red")
        spans = [(0, first_end), (first_end + 1, first_end + 1 + len(text))]
        for k, (start, end) in enumerate(spans):
            fact_id = len(facts)
            sentence = sample["caption"][start:end]
            facts.append([fact_id, i, sample["sample_id"], k, sentence, start, end])
            at = sentence.find(t)
            found = [{"text": f"red {t}", "head": t, "start": at - 4, "end": at + len(t)}] if k else []
            concepts.append([fact_id, found])
            scores.append(_score(fact_id, t, k, is_wrong(i)))
    return facts, concepts, scores


def _score(fact_id, t, k, wrong):
    if not k:
        return [
            fact_id,
            None,
            "",
            "",
            [],
            "no judged concept",
            "the sentence names nothing of the vocabulary",
        ]
    said = f"not in the object list: {t}" if wrong else f"in the object list: {t}"
    return [fact_id, 0.0 if wrong else 1.0, said, "", [t] if wrong else [], None, None]


def make_evidence(n):
    rows = []
    for pair, (t, v) in enumerate(PAIRS):
        members = [i for i in range(n) if i % 3 == pair]
        ordered = sorted(members, key=lambda i: not is_wrong(i))
        rows += [[finding_id(t, v), i, 2 * i + 1, is_wrong(i), (i // 3) % 2 == 0] for i in ordered]
    return rows


def make_findings(n, samples):
    findings = []
    for rank, (t, v) in enumerate(PAIRS, 1):
        members = [i for i in range(n) if i % 3 == rank - 1]
        cells = [
            sum(is_wrong(i) is w and ((i // 3) % 2 == 0) is p for i in members)
            for w, p in ((True, True), (True, False), (False, True), (False, False))
        ]
        mean = 1 - (cells[0] + cells[1]) / len(members)
        findings.append(
            {
                "finding_id": finding_id(t, v),
                "rank": rank,
                "textual_fact": {
                    "text": t,
                    "candidates": [
                        {"text": t, "weight": cells[0] + cells[1]},
                        {"text": "place", "weight": 2},
                    ],
                },
                "visual_feature": {
                    "text": v,
                    "candidates": [{"text": v, "weight": 4.2}, {"text": "person", "weight": 0.4}],
                    "rule": "contrast",
                    "presence_from": "objects",
                },
                "text_cluster": {
                    "id": rank,
                    "size": len(members),
                    "n_scored": len(members),
                    "n_unscored": 0,
                    "mean_alignment": mean,
                    "interval": {"low": max(0, mean - 0.15), "high": min(1, mean + 0.15), "level": 0.95},
                },
                "image_cluster": None,
                "association": asdict(associate_counts(*cells)),
                "example_sample_ids": [
                    samples[i]["sample_id"] for i in members if is_wrong(i) and (i // 3) % 2 == 0
                ][:5],
            }
        )
    return findings


def write_stage(root, stage, key, schema, rows, parts=2):
    """A finished stage of a few parts."""
    folder = root / "stages" / stage / key
    folder.mkdir(parents=True)
    size = max(1, -(-len(rows) // parts))
    for part, start in enumerate(range(0, max(1, len(rows)), size)):
        chunk = rows[start : start + size]
        if chunk and isinstance(chunk[0], dict):
            table = pa.Table.from_pylist(chunk, schema=schema)
        else:
            columns = list(zip(*chunk, strict=True)) or [[] for _ in schema]
            table = pa.Table.from_arrays(
                [pa.array(list(c), f.type) for c, f in zip(columns, schema, strict=True)], schema=schema
            )
        pq.write_table(table, folder / f"part-{part:05}.parquet")
    write_json(folder / "stage.json", {"stage": stage, "key": key, "n_parts": parts, "summary": {}})


def write_run(root, run_id, state, *, stages=None, message="", minutes_ago=5, dataset=None, image_root=None):
    """A run record as the engine writes it; "running" without a claim on it shows as interrupted."""
    started = datetime.now(UTC) - timedelta(minutes=minutes_ago)
    record = {
        "run_id": run_id,
        "name": run_id.rsplit("-", 1)[0],
        "state": state,
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "dataset": dataset or {"name": run_id.rsplit("-", 1)[0]},
        "image_root": str(image_root) if image_root else None,
        "preset": "embedded",
        "scorer": SCORER,
        "stages": stages or {},
        "started": started.isoformat(timespec="seconds"),
        "seconds": 12.5,
        "message": message,
    }
    folder = root / "runs" / run_id
    write_json(folder / "run.json", record)
    return folder


SCORER = {"name": "objects-match", "baseline": True, "approximate": ""}


def write_finished(root, run_id="street-1a2b3c", *, n=60, images=True):
    """A finished run with three findings."""
    image_root = root.parent / "images" if images else None
    samples = make_samples(image_root, n)
    facts, concepts, scores = make_facts(samples)
    keys = {s: hashlib.sha256(f"{run_id}{s}".encode()).hexdigest() for s in STAGES}
    write_stage(root, "samples", keys["samples"], SAMPLES_SCHEMA, samples)
    problem = {
        "file": "captions.jsonl",
        "row": 61,
        "kind": "no caption",
        "reason": "the caption is empty",
        "value": "",
        "kept": False,
    }
    write_stage(root, "problems", keys["problems"], PROBLEMS_SCHEMA, [problem], parts=1)
    write_stage(root, "facts", keys["facts"], FACTS_SCHEMA, facts, parts=3)
    write_stage(root, "concepts", keys["concepts"], CONCEPTS_SCHEMA, concepts, parts=4)
    write_stage(root, "scores", keys["scores"], SCORES_SCHEMA, scores, parts=3)
    write_stage(root, "findings", keys["findings"], EVIDENCE_SCHEMA, make_evidence(n), parts=3)
    dataset = {
        "name": "street",
        "fingerprint": FINGERPRINT,
        "n_samples": n,
        "n_facts": 2 * n,
        "n_images": n if images else 0,
        "n_problems": 1,
        "n_unscored": n,
        "setting": "objects",
    }
    folder = write_run(root, run_id, "finished", stages=keys, dataset=dataset, image_root=image_root)
    findings = {
        "run_id": run_id,
        "dataset": {k: dataset[k] for k in ("name", "n_samples", "n_facts", "setting")},
        "preset": "embedded",
        "scorer": SCORER,
        "findings": make_findings(n, samples),
    }
    write_json(folder / "findings.json", findings)
    write_events(folder, finished_events())
    return run_id


STAGES = ("samples", "problems", "facts", "concepts", "scores", "findings")


def finished_events():
    events = [{"kind": "run_started"}, {"kind": "columns", "message": "captions from 'caption'"}]
    for stage in STAGES:
        events.append({"kind": "stage_started", "stage": stage, "n_total": 60})
        events.append(
            {"kind": "stage_finished", "stage": stage, "from_cache": stage == "facts", "seconds": 1.2}
        )
    return [*events, {"kind": "run_finished"}]


def running_events(n_done=30):
    return [
        {"kind": "run_started"},
        {"kind": "stage_finished", "stage": "samples", "from_cache": False, "seconds": 2.0},
        {"kind": "stage_started", "stage": "facts", "n_total": 60},
        {"kind": "progress", "stage": "facts", "n_done": n_done, "n_total": 60, "unit": "captions"},
    ]


def write_events(folder, events):
    now = datetime.now(UTC).isoformat()
    lines = [json.dumps({"seq": i + 1, "time": now, **e}) + "\n" for i, e in enumerate(events)]
    (folder / "events.jsonl").write_text("".join(lines))


def write_captions(path, n=8):
    """A small captions file with objects and images that are not there."""
    rows = [
        {"image": f"{i}.jpg", "caption": f"A dog number {i} on a sofa.", "labels": ["dog"], "model": "m"}
        for i in range(n)
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path
