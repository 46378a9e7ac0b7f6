"""What the Captioners page shows: leaderboards with intervals, paired tests, what each gets wrong.

Paper: VNLI-Critique 4.2, A.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.audit.vnli_tables import factuality_of
from core.bench.vnli_compare import Paired, compare
from core.bench.vnli_leaderboard import CRITERIA, CRITERION_NAMES, Counts, Row, leaderboard
from core.domain.vnli import Factuality, binary
from core.errors import RunError
from core.runs.parts import StageStore
from core.views.axes import Bar
from core.views.numbers import p_value
from core.views.open_run import OpenRun
from core.views.vnli_sample import has_vnli

NO_CAPTIONER = "(no captioner)"
ERRORS_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Standing:
    """One captioner under one criterion. bar: on an axis of 0..1 in percent."""

    captioner: str
    rank: str
    value: str
    interval: str
    bar: Bar
    n_descriptions: int
    n_sentences: int


@dataclass(frozen=True, slots=True)
class ErrorMix:
    """What the critiques of one captioner name most. errors: (name, sentences, share of flagged ones)."""

    captioner: str
    n_flagged: int
    n_sentences: int
    n_unscored: int
    errors: tuple[tuple[str, int, float], ...]


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """Under one criterion: first minus second, in points of a percent."""

    criterion: str
    value: str
    interval: str
    p: str
    better: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two captioners on their shared images. lines: () if they share no judged image."""

    first: str
    second: str
    pair: Paired
    lines: tuple[DifferenceLine, ...]
    mcnemar: str


@dataclass(frozen=True, slots=True)
class Captioners:
    """All captioners of a run. counts: of each description; boards: by criterion, best first."""

    names: tuple[str, ...]
    counts: tuple[Counts, ...]
    boards: dict[str, tuple[Standing, ...]]
    mix: tuple[ErrorMix, ...]


def load_captioners(run: OpenRun) -> Captioners:
    """Leaderboards and error mix. Raises: RunError if the run judged no sentences."""
    if not has_vnli(run):
        raise RunError(
            "this run judged no sentences", where=run.run_id, remedy="audit with the step vnli (--steps vnli)"
        )
    samples = _store(run, "samples").read_table(["sample_id", "captioner", "image_sha256", "image_path"])
    names = [c or NO_CAPTIONER for c in samples["captioner"].to_pylist()]
    images = _images(run, samples.num_rows)
    right, judged, sentences, unscored = ([0] * samples.num_rows for _ in range(4))
    owner = _store(run, "facts").read_table(["sample_index"])["sample_index"].to_pylist()
    for row in _store(run, "factuality").read_table().to_pylist():
        sample = owner[row["fact_id"]]
        one = factuality_of(row)
        verdict = binary(one.verdict) if isinstance(one, Factuality) else None
        sentences[sample] += 1
        unscored[sample] += not isinstance(one, Factuality)
        judged[sample] += verdict is not None
        right[sample] += verdict is True
    counts = tuple(map(Counts, names, images, right, judged))
    rows = leaderboard(counts)
    named = _named(run, owner, names)
    mix = []
    for row in rows:
        own = [i for i, name in enumerate(names) if name == row.captioner]
        flagged, errors = named.get(row.captioner, (0, Counter()))
        mix.append(
            ErrorMix(
                row.captioner,
                flagged,
                sum(sentences[i] for i in own),
                sum(unscored[i] for i in own),
                tuple((e, n, n / flagged) for e, n in errors.most_common(ERRORS_SHOWN)),
            )
        )
    return Captioners(
        tuple(r.captioner for r in rows), counts, {c: _board(rows, c) for c in CRITERIA}, tuple(mix)
    )


def _store(run: OpenRun, stage: str) -> StageStore:
    return StageStore(run.workspace, stage, run.need_stage(stage).name)


def _images(run: OpenRun, n: int) -> list[str]:
    """What identifies the image of each sample: its bytes, else the name in the file's image column.

    A file audited without its images still says which captions are of one image.
    """
    table = _store(run, "samples").read_table(["sample_id", "image_sha256", "image_path", "meta"])
    shas, paths = table["image_sha256"].to_pylist(), table["image_path"].to_pylist()
    metas, ids = table["meta"].to_pylist(), table["sample_id"].to_pylist()
    return [shas[i] or paths[i] or _named_image(metas[i]) or f"row of {ids[i]}" for i in range(n)]


def _named_image(meta: object) -> str:
    try:
        record = json.loads(meta) if isinstance(meta, str) else meta
    except ValueError:
        return ""
    if not isinstance(record, dict):
        return ""
    found = next((record[k] for k in ("image", "image_path", "image_id", "file_name") if record.get(k)), "")
    return str(found)


def _named(run: OpenRun, owner: Sequence[int], names: Sequence[str]) -> dict[str, tuple[int, Counter[str]]]:
    """Per captioner: flagged sentences, and in how many of them the critique names what."""
    found: dict[str, tuple[int, Counter[str]]] = {}
    for row in _store(run, "critiques").read_table(["fact_id", "names"]).to_pylist():
        name = names[owner[row["fact_id"]]]
        flagged, counter = found.get(name, (0, Counter()))
        counter.update(dict.fromkeys(row["names"] or (), 1))
        found[name] = (flagged + 1, counter)
    return found


def _board(rows: Sequence[Row], criterion: str) -> tuple[Standing, ...]:
    ordered = sorted(rows, key=lambda r: (r.ranks[criterion] or len(rows) + 1, r.captioner))
    return tuple(
        Standing(
            r.captioner,
            "–" if (rank := r.ranks[criterion]) is None else str(rank),
            percent(r.values[criterion]),
            f"{percent(r.low[criterion])} to {percent(r.high[criterion])}",
            Bar(_hundred(r.values[criterion]), _hundred(r.low[criterion]), _hundred(r.high[criterion])),
            r.n_descriptions,
            r.n_sentences,
        )
        for r in ordered
    )


def comparison(found: Captioners, first: str, second: str) -> Comparison:
    """The paired comparison of two captioners."""
    pair = compare(found.counts, first, second)
    lines = []
    for criterion, one in pair.differences.items():
        if one is None:
            continue
        better = "no clear difference"
        if one.low > 0 or one.high < 0:
            better = f"{first if one.value > 0 else second} is better"
        lines.append(
            DifferenceLine(
                CRITERION_NAMES[criterion],
                f"{100 * one.value:+.1f}",
                f"{100 * one.low:+.1f} to {100 * one.high:+.1f}",
                p_value(one.p),
                better,
            )
        )
    return Comparison(first, second, pair, tuple(lines), p_value(pair.mcnemar_p))


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value


def percent(value: float | None) -> str:
    """A share as percent with one decimal."""
    return "–" if value is None else f"{100 * value:.1f} %"
