"""Colours of a map: one byte a point, and what the bytes mean in the light and the dark theme.

Safe for colour-blind readers: orange against blue for alignment, the palette of Okabe and Ito for groups.
A low code is drawn above a high one, so that the worst stays visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.errors import DataError
from core.views.findings import finding_target, findings_of, verdict_of
from core.views.map_data import MapData
from core.views.numbers import decimal
from core.views.open_run import OpenRun, labels_of
from core.views.stage_rows import rows_where

By = Literal["alignment", "cluster", "verdict", "captioner"]
LABELS: dict[By, str] = {
    "alignment": "Alignment",
    "cluster": "Worst clusters",
    "verdict": "Verdict",
    "captioner": "Captioner",
}
UNSCORED = 255
REST = 254
TOP = 254
"""Highest code of the alignment scale, which shares it with REST of the group scales."""
N_GROUPS = 6
VERDICTS = ("confirmed", "rejected", "unsure", "disputed", "open")

Codes = npt.NDArray[np.uint8]
_RAMPS = {False: ("#b3401b", "#cdbfae", "#24618f"), True: ("#f08b5f", "#5f6670", "#6fb0e0")}
_GREYS = {False: ("#a9b1b9", "#c9cfd6"), True: ("#5d6771", "#434d57")}
_GROUPS = {
    False: ("#d55e00", "#0072b2", "#009e73", "#c0609a", "#d09000", "#3f9fd8"),
    True: ("#ff8a3d", "#5aa9e6", "#2fc49a", "#e59ac5", "#f0b840", "#8ad0ff"),
}


@dataclass(frozen=True, slots=True)
class Category:
    """One line of the legend. n: points of it."""

    code: int
    name: str
    n: int


@dataclass(frozen=True, slots=True)
class Colouring:
    """How points are coloured. low, high: ends of the alignment scale in words, "" for groups.

    categories: groups of the legend, worst or most frequent first. light, dark: 256 colours by code.
    """

    by: By
    title: str
    low: str
    high: str
    categories: tuple[Category, ...]
    light: tuple[str, ...]
    dark: tuple[str, ...]


def ways_to_colour(run: OpenRun, data: MapData) -> tuple[By, ...]:
    """What this map can be coloured by."""
    ways: list[By] = ["alignment"]
    if data.cluster is not None and data.clusters:
        ways.append("cluster")
    if data.kind == "facts" and run.findings is not None and run.stage("findings") is not None:
        ways.append("verdict")
    if len(data.captioners) > 1:
        ways.append("captioner")
    return tuple(ways)


def colour_codes(run: OpenRun, data: MapData, by: str) -> tuple[Codes, Colouring]:
    """(n,) codes and their meaning. Raises DataError if the map cannot be coloured by this."""
    if by not in ways_to_colour(run, data):
        raise DataError(f"the map of {data.kind} cannot be coloured by this", value=by)
    if by == "cluster":
        return _by_cluster(data)
    if by == "verdict":
        return _by_verdict(run, data)
    if by == "captioner":
        return _by_captioner(data)
    return _by_alignment(data)


def alignment_range(data: MapData) -> tuple[float, float]:
    """Ends of the scale: the 1st and 99th percentile, or all values where those are the same."""
    values = data.alignment[~np.isnan(data.alignment)]
    if not len(values):
        return 0.0, 1.0
    low, high = (float(v) for v in np.percentile(values, (1, 99)))
    if low == high:
        low, high = float(values.min()), float(values.max())
    return low, high


def _by_alignment(data: MapData) -> tuple[Codes, Colouring]:
    low, high = alignment_range(data)
    scored = ~np.isnan(data.alignment)
    part = (data.alignment - low) / ((high - low) or 1.0) if high > low else np.ones(data.n)
    codes = np.full(data.n, UNSCORED, np.uint8)
    codes[scored] = np.rint(np.clip(part[scored], 0, 1) * TOP).astype(np.uint8)
    n_unscored = int(data.n - scored.sum())
    rest = (Category(UNSCORED, "not judged", n_unscored),) if n_unscored else ()
    title = "Alignment, higher = better aligned"
    return codes, Colouring(
        "alignment", title, decimal(low), decimal(high), rest, _ramp(dark=False), _ramp(dark=True)
    )


def _by_cluster(data: MapData) -> tuple[Codes, Colouring]:
    assert data.cluster is not None
    worst = [c for c in data.clusters if c.rank is not None][:N_GROUPS]
    code_of = np.full(int(data.cluster.max(initial=-1)) + 2, REST, np.uint8)
    for code, ranked in enumerate(worst):
        code_of[ranked.cluster_id] = code
    codes = code_of[data.cluster]
    names = [f"{c.rank}. {c.name or 'no name'}" for c in worst]
    return codes, _groups("cluster", "Worst clusters of similar sentences", codes, names, "other clusters")


def _by_verdict(run: OpenRun, data: MapData) -> tuple[Codes, Colouring]:
    """Facts that say a finding's t wrongly, by the verdict on the finding."""
    codes = np.full(data.n, REST, np.uint8)
    statuses = labels_of(run.workspace, run.fingerprint).statuses() if run.fingerprint else {}
    for finding in reversed(findings_of(run)):
        verdict, _ = verdict_of(statuses.get(finding_target(finding["finding_id"])))
        rows = rows_where(
            run.need_stage("findings"), ("fact_id", "wrong"), "finding_id", finding["finding_id"]
        )
        ids = np.asarray(rows["fact_id"].to_numpy(), np.int64)
        wrong = np.asarray(rows["wrong"].to_numpy(), bool)
        codes[ids[wrong]] = VERDICTS.index(verdict) if verdict in VERDICTS else VERDICTS.index("open")
    names = [v.capitalize() if v != "open" else "No verdict yet" for v in VERDICTS]
    return codes, _groups("verdict", "Wrong sentences of findings, by verdict", codes, names, "of no finding")


def _by_captioner(data: MapData) -> tuple[Codes, Colouring]:
    codes = np.full(data.n, UNSCORED, np.uint8)
    codes[data.captioner >= 0] = REST
    for code in range(min(N_GROUPS, len(data.captioners))):
        codes[data.captioner == code] = code
    names = list(data.captioners[:N_GROUPS])
    return codes, _groups("captioner", "Captioner", codes, names, "other captioners")


def _groups(by: By, title: str, codes: Codes, names: Sequence[str], rest: str) -> Colouring:
    counts = np.bincount(codes, minlength=256)
    lines = [Category(code, name, int(counts[code])) for code, name in enumerate(names) if counts[code]]
    if counts[REST]:
        lines.append(Category(REST, rest, int(counts[REST])))
    if counts[UNSCORED]:
        lines.append(Category(UNSCORED, "not said", int(counts[UNSCORED])))
    return Colouring(by, title, "", "", tuple(lines), _palette(dark=False), _palette(dark=True))


def _ramp(*, dark: bool) -> tuple[str, ...]:
    """Low to high in codes 0..TOP, then grey for the unscored."""
    low, middle, high = (np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in _RAMPS[dark])
    at = np.linspace(0, 2, TOP + 1)[:, None]
    mixed = np.where(at <= 1, low + (middle - low) * at, middle + (high - middle) * (at - 1))
    return (*(f"#{r:02x}{g:02x}{b:02x}" for r, g, b in np.rint(mixed).astype(int)), _GREYS[dark][0])


def _palette(*, dark: bool) -> tuple[str, ...]:
    unscored, rest = _GREYS[dark]
    return (*_GROUPS[dark], *([rest] * (UNSCORED - N_GROUPS)), unscored)
