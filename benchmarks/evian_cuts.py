"""S_V's cuts against people: where do alignments of the embedded scorers go over from 1 to 2 to 5?

Data: ../shared/data/flickr8k_expert (three experts rate a caption from 1 to 4, read here as 1..5 in equal
steps) and, as a check on machine captions that no cut was fitted to, ../shared/data/hat.jsonl. The cuts are
those of the highest quadratic weighted kappa on one random half of the images; the other half is held out.
The references and the pictures are scored by two audits in WORKSPACE (minutes, and kept there).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.audit.run_audit import run_audit
from core.bench.evian_report import roc_auc
from core.domain.run import AuditConfig
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from core.scores.evian_baseline import REFERENCE_SCALE, STANDARD_SCALE, AlignmentScale, round_half_up

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SEED = 0
STEPS = 120
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def kappa(a: Ints, b: Ints) -> float:
    """Quadratic weighted kappa of two gradings 1..5."""
    seen = np.zeros((5, 5))
    np.add.at(seen, (a - 1, b - 1), 1)
    apart = (np.arange(5)[:, None] - np.arange(5)) ** 2
    chance = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    return float(1 - (apart * seen).sum() / (apart * chance).sum())


def graded(alignment: Floats, cuts: tuple[float, ...]) -> Ints:
    """1..5 by the cuts."""
    return 1 + np.searchsorted(cuts, alignment, side="right").astype(np.int64)


def fit_cuts(alignment: Floats, people: Ints, start: tuple[float, ...]) -> tuple[float, ...]:
    """The ascending cuts of the highest kappa, by turns over a grid of quantiles."""
    grid = np.unique(np.quantile(alignment, np.linspace(0.01, 0.99, STEPS)).round(3)).tolist()
    best, value = list(start), kappa(graded(alignment, start), people)
    better = True
    while better:
        better = False
        for place in range(4):
            for cut in grid:
                tried = [*best[:place], cut, *best[place + 1 :]]
                if any(a >= b for a, b in pairwise(tried)):
                    continue
                found = kappa(graded(alignment, tuple(tried)), people)
                if found > value + 1e-9:
                    best, value, better = tried, found, True
    return tuple(best)


def halves(images: list[str]) -> npt.NDArray[np.bool_]:
    """True for the captions of a random half of the images."""
    names = sorted(set(images))
    random.Random(SEED).shuffle(names)
    first = set(names[: len(names) // 2])
    return np.array([name in first for name in images], np.bool_)


def alignments(config: AuditConfig, workspace: Workspace) -> Floats:
    """Mean alignment of the sentences of each row, NaN = unscored, in the order of the file."""
    run = run_audit(config, workspace)
    stages = read_manifest(workspace, run.run_id)["stages"]
    stores = {name: StageStore(workspace, name, stages[name]) for name in ("samples", "facts", "scores")}
    row = stores["samples"].read_table(["row"])["row"].to_numpy()
    sample = stores["facts"].read_table(["sample_index"])["sample_index"].to_numpy()
    value = stores["scores"].read_table(["value"])["value"].to_numpy(zero_copy_only=False).astype(float)
    scored = ~np.isnan(value)
    total = np.bincount(sample[scored], weights=value[scored], minlength=len(row))
    n = np.bincount(sample[scored], minlength=len(row))
    found = np.full(int(row.max()), np.nan)
    found[row - 1] = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    return found


def report(
    name: str, alignment: Floats, people: Floats, fitted: npt.NDArray[np.bool_], scale: AlignmentScale
) -> None:
    """Print the cuts that fit best, and how the cuts in use grade either half."""
    whole = np.array([round_half_up(p) for p in people], np.int64)
    known = ~np.isnan(alignment)
    cuts = fit_cuts(alignment[known & fitted], whole[known & fitted], scale.cuts)
    print(f"{name}: best cuts on the first half {cuts}; in use {scale.cuts}")
    for half, rows in (("first half", known & fitted), ("held out", known & ~fitted)):
        scored = np.array([round_half_up(scale.score(a)) for a in alignment[rows]], np.int64)
        off = np.abs(scored - whole[rows])
        agreed = kappa(scored, whole[rows])
        print(
            f"  {half}: n {rows.sum()}, kappa {agreed:.3f}, equal {(off == 0).mean():.3f}, "
            f"at most 1 off {(off <= 1).mean():.3f}, mean distance {np.abs(scored - people[rows]).mean():.2f}"
        )


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def written(path: Path, rows: list[dict[str, Any]], *names: str) -> str:
    path.write_text("".join(json.dumps({k: r[k] for k in names}) + "\n" for r in rows), "utf-8")
    return str(path)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evian_cuts")
    parser.add_argument("workspace", type=Path)
    folder: Path = parser.parse_args().workspace
    if not (DATA / "flickr8k_expert").is_dir():
        print("skipped: ../shared/data/flickr8k_expert is missing")
        return 0
    workspace = Workspace(folder)
    workspace.create()
    pictures = DATA / "flickr8k_expert"
    rows = rows_of(pictures / "ratings.jsonl")
    people = np.array([1 + (np.mean(r["ratings"]) - 1) * 4 / 3 for r in rows])
    fitted = halves([r["image"] for r in rows])
    with_references = written(folder / "rated.jsonl", rows, "image", "caption", "references")
    without = written(folder / "rated-images.jsonl", rows, "image", "caption")
    free = AuditConfig(captions=without, images=str(pictures), steps=("evian",))
    against = AuditConfig(captions=with_references, references_column="references", steps=("evian",))
    report("references", alignments(against, workspace), people, fitted, REFERENCE_SCALE)
    report("images", alignments(free, workspace), people, fitted, STANDARD_SCALE)
    hat = rows_of(DATA / "hat.jsonl")
    machine = written(folder / "hat.jsonl", hat, "caption", "references")
    config = AuditConfig(captions=machine, references_column="references", steps=("evian",))
    alignment = alignments(config, workspace)
    wrong = np.array([r["contains_hallucination"] for r in hat], np.bool_) & ~np.isnan(alignment)
    scores = np.array([round_half_up(REFERENCE_SCALE.score(a)) for a in alignment], float)
    right = ~wrong & ~np.isnan(alignment)
    auc = roc_auc(scores[right], scores[wrong])
    print(
        f"hat: {right.sum()} captions without and {wrong.sum()} with a hallucinated word, mean S_V "
        f"{scores[right].mean():.2f} and {scores[wrong].mean():.2f}, AUC {auc:.3f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
