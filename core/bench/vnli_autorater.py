"""The AutoRater: an audit's factuality verdicts on a labelled file, ranked and compared with the labels.

Departs: sentences are judged as the audit splits captions; a labelled sentence that holds several of the
audit's gets the verdict of its worst one. How many differ is in the report. Paper: VNLI-Critique 4.2, A.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.audit.run_audit import run_audit
from core.audit.vnli_tables import factuality_of
from core.bench.vnli_classification import agreement, by_error_type, classification
from core.bench.vnli_compare import all_pairs
from core.bench.vnli_items import Description, LabelledSentence
from core.bench.vnli_leaderboard import Counts, correlations, leaderboard
from core.bench.vnli_read import read_file
from core.domain.judgement import Unscored
from core.domain.run import AuditConfig
from core.domain.vnli import Factuality, FactualityJudgement, binary
from core.errors import ConfigError
from core.runs.files import replacing
from core.runs.keys import tagged_hash
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from core.runs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class BenchConfig:
    """data: the labelled file. images: folder its image paths are relative to, None = text only.

    references: False leaves the file's references out. threshold: entailed from this probability on.
    """

    data: Path
    form: str
    images: Path | None = None
    preset: str = "embedded"
    references: bool = True
    objects: bool = True
    threshold: float = 0.5
    seed: int = 0


def run_bench(
    config: BenchConfig, workspace: Workspace, on_event: Callable[[dict[str, Any]], None] = lambda e: None
) -> dict[str, Any]:
    """The report, as plain data. The audit behind it is resumed or answered from its parts."""
    items = read_file(config.data, config.form)
    path = write_items(items, config, workspace.create())
    given = items_given(items, config)
    if not given:
        raise ConfigError(
            "there is nothing to compare the sentences with: no images, no references and no objects",
            where=config.data.name, remedy="give --images",
        )  # fmt: skip
    audit = AuditConfig(
        captions=str(path), images=str(config.images) if config.images else None, name="vnli bench",
        caption_column="caption", image_column="image" if config.images else None, id_column="id",
        references_column="references" if "references" in given else None,
        objects_column="objects" if "objects" in given else None,
        captioner_column="captioner", preset=config.preset, seed=config.seed, on_bad_row="keep",
        steps=("vnli",), entailment_threshold=config.threshold,
    )  # fmt: skip
    result = run_audit(audit, workspace, on_event=on_event)
    stores = {
        name: StageStore(workspace, name, key)
        for name, key in read_manifest(workspace, result.run_id)["stages"].items()
    }
    judged, differing = verdicts_of(items, stores)
    summary = {name: stores[name].record()["summary"] for name in ("factuality", "revisions")}
    return {
        "run_id": result.run_id,
        "data": config.data.name,
        "format": config.form,
        "preset": config.preset,
        "compared_with": given,
        "critic": summary["factuality"]["model"],
        "threshold": config.threshold,
        "sentences_split_otherwise": differing,
        "revisions": summary["revisions"],
        **report_of(items, judged, config.seed),
    }


def items_given(items: Sequence[Description], config: BenchConfig) -> list[str]:
    """What the critic can compare with, of "images", "references", "objects"."""
    found = ["images"] if config.images else []
    if config.references and any(d.references for d in items):
        found.append("references")
    if config.objects and any(d.objects is not None for d in items):
        found.append("objects")
    return found


def write_items(items: Sequence[Description], config: BenchConfig, workspace: Workspace) -> Path:
    """The descriptions as JSONL in the workspace, under a name of their content."""
    lines = []
    for one in items:
        record: dict[str, Any] = {"id": one.item_id, "caption": one.caption, "captioner": one.captioner}
        if config.images:
            record["image"] = one.image or None
        if config.references and one.references:
            record["references"] = list(one.references)
        if config.objects and one.objects is not None:
            record["objects"] = list(one.objects)
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    text = "".join(lines)
    folder = workspace.folder(workspace.root / "bench" / "vnli")
    path = Path(folder) / f"{tagged_hash({'items': text}, 'faultline-bench')[:16]}.jsonl"
    if not path.is_file():
        with replacing(path) as stream:
            stream.write(text.encode())
    return path


def verdicts_of(
    items: Sequence[Description], stores: Mapping[str, StageStore]
) -> tuple[list[list[FactualityJudgement]], int]:
    """Per description, a judgement for each labelled sentence; and how many of them are split otherwise."""
    facts = stores["facts"].read_table(["sample_id", "start", "end"]).to_pylist()
    found = stores["factuality"].read_table().to_pylist()
    captions = stores["samples"].read_table(["sample_id", "caption"]).to_pylist()
    read = {row["sample_id"]: row["caption"] for row in captions}
    by_sample: dict[str, list[tuple[int, int, FactualityJudgement]]] = {}
    for fact, row in zip(facts, found, strict=True):
        by_sample.setdefault(fact["sample_id"], []).append((fact["start"], fact["end"], factuality_of(row)))
    judged, differing = [], 0
    for item in items:
        offset = item.caption.find(read.get(item.item_id, "\x00"))
        parts = by_sample.get(item.item_id, []) if offset >= 0 else []
        row_judged = []
        for s in item.sentences:
            over = [(a, b, j) for a, b, j in parts if a + offset < s.end and b + offset > s.start]
            differing += [(a + offset, b + offset) for a, b, _ in over] != [(s.start, s.end)]
            row_judged.append(worst(j for _, _, j in over))
        judged.append(row_judged)
    return judged, differing


def worst(parts: Iterable[FactualityJudgement]) -> FactualityJudgement:
    """The judgement of the part least supported; unscored parts count only if there is nothing else."""
    known = list(parts)
    scored = [p for p in known if isinstance(p, Factuality) and p.p_entailment is not None]
    if scored:
        return min(scored, key=lambda p: p.p_entailment or 0.0)
    unscored = [p for p in known if isinstance(p, Unscored)]
    rest: list[FactualityJudgement] = [*unscored, *known]
    return rest[0] if rest else Unscored("no sentence", "the audit found no sentence here")


def report_of(
    items: Sequence[Description], judged: Sequence[Sequence[FactualityJudgement]], seed: int
) -> dict[str, Any]:
    """Leaderboards of the critic and of the labels, their correlations, and the sentence-level figures."""
    labelled = [s for d in items for s in d.sentences]
    flat = [j for row in judged for j in row]
    rated = [_counts(d, [_right(j) for j in row]) for d, row in zip(items, judged, strict=True)]
    truth = [_counts(d, [s.right for s in d.sentences]) for d in items]
    both = [
        [s.right if _right(j) is not None else None for s, j in zip(d.sentences, row, strict=True)]
        for d, row in zip(items, judged, strict=True)
    ]
    board, truth_board = leaderboard(rated, seed), leaderboard(truth, seed)
    same = leaderboard([_counts(d, rights) for d, rights in zip(items, both, strict=True)], seed)
    return {
        "n_descriptions": len(items),
        "n_images": len({_image(d) for d in items}),
        "n_sentences": len(flat),
        "verdicts": _tally(flat),
        "leaderboard": [asdict(r) for r in board],
        "labels_leaderboard": [asdict(r) for r in truth_board],
        "labels_leaderboard_judged_sentences": [asdict(r) for r in same],
        "correlation": correlations(board, truth_board),
        "correlation_judged_sentences": correlations(board, same),
        "sentences": classification(labelled, flat),
        "sentences_by_captioner": _by_captioner(items, judged),
        "error_types": by_error_type(labelled, flat),
        "agreement": agreement(labelled),
        "pairs": [asdict(p) for p in all_pairs(rated, seed)],
        "pairs_by_labels": [asdict(p) for p in all_pairs(truth, seed)],
    }


def _by_captioner(
    items: Sequence[Description], judged: Sequence[Sequence[FactualityJudgement]]
) -> dict[str, dict[str, Any]]:
    groups: dict[str, tuple[list[LabelledSentence], list[FactualityJudgement]]] = {}
    for item, row in zip(items, judged, strict=True):
        sentences, found = groups.setdefault(item.captioner, ([], []))
        sentences += item.sentences
        found += row
    return {name: classification(*group) for name, group in sorted(groups.items())}


def _right(one: FactualityJudgement) -> bool | None:
    return binary(one.verdict) if isinstance(one, Factuality) else None


def _image(one: Description) -> str:
    return one.image or f"row {one.item_id}"


def _counts(one: Description, rights: Sequence[bool | None]) -> Counts:
    known = [r for r in rights if r is not None]
    return Counts(one.captioner, _image(one), sum(known), len(known))


def _tally(judged: Iterable[FactualityJudgement]) -> dict[str, int]:
    found = Counter(j.verdict if isinstance(j, Factuality) else f"unscored: {j.reason}" for j in judged)
    return dict(sorted(found.items()))
