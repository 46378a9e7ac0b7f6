"""The rule-based tagger against people: which parts of an answer are analytical (FaithScore's annotation).

Data: ../shared/data/faithscore.jsonl; without it there is nothing to measure. The word lists were tuned
on the first half printed; the second half was not looked at.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.domain.evian import TagSpan
from core.models.embedded.evian_cues import MARKERS
from core.models.embedded.evian_tagger import RuleTagger

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "faithscore.jsonl"
SEED = 0


@dataclass(frozen=True, slots=True)
class Figures:
    """Of the analytical parts. n: parts judged; n_analytical: those that people call analytical."""

    precision: float
    recall: float
    f1: float
    n: int
    n_analytical: int


def measure(rows: list[dict[str, Any]], *, markers: bool = True) -> Figures:
    """A part counts as tagged when most of its letters are. markers: count bare connectives too."""
    tagged = RuleTagger().tag([row["answer"] for row in rows])
    hit = said = true = n = 0
    for row, spans in zip(rows, tagged, strict=True):
        assert isinstance(spans, tuple)
        position = 0
        for part, descriptive in row["descriptive"].items():
            at = row["answer"].find(part, position)
            at = at if at >= 0 else row["answer"].find(part)
            if at < 0:
                continue
            position = at + len(part)
            if not markers and MARKERS.match(part):
                continue
            predicted = _covered(spans, at, at + len(part), row["answer"]) > 0.5
            hit += predicted and not descriptive
            said += predicted
            true += not descriptive
            n += 1
    precision, recall = hit / max(1, said), hit / max(1, true)
    return Figures(precision, recall, 2 * precision * recall / max(1e-9, precision + recall), n, true)


def _covered(spans: tuple[TagSpan, ...], start: int, stop: int, text: str) -> float:
    letters = [i for i in range(start, stop) if text[i].isalnum()]
    inside = sum(any(s.start <= i < s.stop for s in spans) for i in letters)
    return inside / max(1, len(letters))


def halves(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(tuning half, held-out half), a random half of the answers each."""
    order = list(range(len(rows)))
    random.Random(SEED).shuffle(order)
    cut = len(rows) // 2
    return [rows[i] for i in sorted(order[:cut])], [rows[i] for i in sorted(order[cut:])]


def main() -> int:
    if not DATA.is_file():
        print("skipped: ../shared/data/faithscore.jsonl is missing")
        return 0
    rows = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    tuning, held_out = halves(rows)
    for name, part in (("tuning half", tuning), ("held-out half", held_out)):
        for markers in (True, False):
            f = measure(part, markers=markers)
            what = "all parts" if markers else "without bare connectives"
            print(
                f"{name}, {what}: precision {f.precision:.3f} recall {f.recall:.3f} F1 {f.f1:.3f} "
                f"({f.n_analytical} analytical of {f.n})"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
