"""Sections beyond the findings: fact map, Evian's axes, captioners, planted errors.

Each function gives (fields of ReportData, sentence that stands for the section if there is nothing to show).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.parquet as pq

from core.report.data import Plot, Table
from core.report.svg import columns, dumbbells, scatter
from core.runs.files import read_json
from core.views.map_data import SIDE, MapData, has_map, map_data
from core.views.numbers import count, counted, decimal, share
from core.views.open_run import OpenRun
from core.views.planted import planted_view
from core.views.triplets import NAMES, Triplets, captioner_table, distributions, has_triplets, load_triplets

Found = tuple[dict[str, Any], str]
CLUSTERS_SHOWN = 10
KEPT_FROM = 3.0
MISSED_SHOWN = 5


def fact_map(run: OpenRun) -> Found:
    """The map of the sentences with the worst clusters named on it."""
    if not has_map(run, "facts"):
        return {}, "This run has no map of its sentences."
    data = map_data(run, "facts")
    if not data.n:
        return {}, "This run has no sentences to draw."
    places = data.places.astype(np.float64) / SIDE
    worst = [c for c in data.clusters if c.rank is not None][:CLUSTERS_SHOWN]
    labels = []
    for cluster in worst:
        inside = places[data.cluster == cluster.cluster_id] if data.cluster is not None else places[:0]
        if len(inside) and cluster.name:
            middle = np.median(inside, axis=0)
            labels.append((float(middle[0]), float(middle[1]), cluster.name))
    title = f"{counted(data.n, 'sentence')}; near = similar in meaning; red = judged wrong"
    drawn = scatter(places, data.wrong, np.isnan(data.alignment), _apart(labels), title)
    rows = tuple((str(c.rank), c.name or "–", count(c.size), decimal(c.mean_alignment)) for c in worst)
    table = Table(
        "The groups with the lowest mean alignment (0 = wrong, 1 = right)",
        ("rank", "what they say", "sentences", "mean alignment"), rows, (0, 2, 3),
    )  # fmt: skip
    return {"fact_map": Plot(title, drawn, table), "map_note": _map_note(data)}, ""


def _apart(labels: list[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Labels that do not lie on each other: later ones move down, or go if there is no room."""
    placed: list[tuple[float, float, str]] = []
    for x, y, said in labels:
        for shift in (0, 0.03, -0.03, 0.06, -0.06, 0.09):
            if all(abs(y + shift - b) > 0.028 or abs(x - a) > 0.22 for a, b, _ in placed):
                placed.append((x, y + shift, said))
                break
    return placed


def _map_note(data: MapData) -> str:
    said = (
        f"{counted(int(data.wrong.sum()), 'sentence')} judged wrong, "
        f"{counted(int(np.isnan(data.alignment).sum()), 'sentence')} not judged. The map is for looking "
        f"only; "
        "the groups were formed on the full vectors"
    )
    trust = data.summary.get("trustworthiness")
    return said + (f" (trustworthiness of the map {trust:.2f} of 1)." if isinstance(trust, float) else ".")


def evian(run: OpenRun) -> Found:
    """Distributions of the three axes, and what a selection would keep."""
    if not has_triplets(run):
        return {}, "This audit did not score the three axes of Evian (step evian)."
    t = load_triplets(run)
    plots = []
    for d in distributions(t, np.arange(len(t.sample_ids))):
        bars = [(str(i), n, "mild") for i, n in enumerate(d.counts, 1)]
        bars += [("no claim", d.n_default, "track"), ("not scored", d.n_unscored, "track")]
        rows = tuple((label, count(n)) for label, n, _ in bars)
        mean = f", mean {d.mean:.2f}" if d.mean is not None else ""
        title = f"{d.name}, 1 (bad) to 5 (good){mean}"
        plots.append(Plot(title, columns(bars, title), Table(title, ("score", "responses"), rows, (1,))))
    return {"evian": tuple(plots), "evian_note": _evian_note(t)}, ""


def _evian_note(t: Triplets) -> str:
    scored = t.overall[~np.isnan(t.overall)]
    kept = int((scored >= KEPT_FROM).sum())
    said = (
        f"Scored by ‘{t.model}’ on responses taken apart by ‘{t.tagger}’. "
        f"{count(kept)} of {counted(len(t.overall), 'response')} ({share(kept, len(t.overall))}) reach "
        f"an overall "
        f"score of {KEPT_FROM:g} and would be kept by a selection at that line; "
        f"{counted(len(t.overall) - len(scored), 'response')} could not be scored."
    )
    return said + (f" Baseline: {t.note}." if t.baseline and t.note else " Baseline." if t.baseline else "")


def captioners(run: OpenRun) -> Found:
    """Captioners side by side: share of sentences judged wrong and, where there, Evian's overall score."""
    samples, facts = run.stage("samples"), run.stage("facts")
    if samples is None or facts is None or run.stage("scores") is None:
        return {}, "This run keeps no scores to compare captioners by."
    names = [c or "" for c in _column(run, "samples", "captioner")]
    distinct = sorted({n for n in names if n})
    if len(distinct) < 2:
        only = f" (all by {distinct[0]})" if distinct else ""
        return {}, f"The captions name fewer than two captioners{only}, so there is nothing to compare."
    code = {name: i for i, name in enumerate(distinct)}
    of_sample = np.array([code.get(n, -1) for n in names])
    of_fact = of_sample[np.array(_column(run, "facts", "sample_index"))]
    value = np.array([np.nan if v is None else v for v in _column(run, "scores", "value")], np.float64)
    below = float(read_json(run.need_stage("scores") / "stage.json")["summary"].get("wrong_below", 0.5))
    judged = ~np.isnan(value)
    rows = []
    for name, i in code.items():
        mine = (of_fact == i) & judged
        n, wrong = int(mine.sum()), int((value[mine] < below).sum())
        rows.append((name, int((of_sample == i).sum()), n, wrong, wrong / n if n else None))
    rows.sort(key=lambda r: (r[4] is None, r[4] or 0.0, r[0]))
    shown = tuple((r[0], count(r[1]), count(r[2]), count(r[3]), share(r[3], r[2])) for r in rows)
    title = "Share of judged sentences that are wrong, percent; lower is better"
    table = Table(
        title, ("captioner", "captions", "sentences judged", "wrong", "share wrong"), shown, (1, 2, 3, 4)
    )
    top = max((100 * r[4] for r in rows if r[4] is not None), default=1.0) * 1.1 or 1.0
    drawn = dumbbells([(r[0], None if r[4] is None else 100 * r[4]) for r in rows], 0, top, title)
    found: dict[str, Any] = {
        "captioners_plot": Plot(title, drawn, table),
        "captioners_note": "Averages over all captions of each captioner; the images need not be the same.",
    }
    if has_triplets(run):
        found["captioners"] = (_triplet_table(load_triplets(run)),)
    return found, ""


def _triplet_table(t: Triplets) -> Table:
    rows = tuple(
        (r.captioner, count(r.n), decimal(r.overall), *(decimal(m) for m in r.means))
        for r in captioner_table(t)
    )
    axes = tuple(NAMES.values())
    return Table(
        "Evian's means, 1 to 5, higher is better",
        ("captioner", "responses", "overall", *axes),
        rows,
        (1, 2, 3, 4, 5),
    )


def planted(run: OpenRun) -> Found:
    """Recall of errors planted into these data, if that was measured for the present findings."""
    view = planted_view(run)
    if not view.rows:
        return {}, (
            "No errors were planted into these data, so how much this audit can see here was not measured "
            f"(`{view.command}` does). An error that is not listed may still be there."
        )
    rows = tuple(
        (r.strength, count(r.planted), r.first, r.in_five, r.shown, r.shown_interval, r.believed)
        for r in view.rows
    )
    columns = (
        "planted at", "errors", "found first", "among five", "shown", "95 % of shown", "and believed",
    )  # fmt: skip
    said = (
        "Known errors of several strengths were planted into copies of these captions, and the same audit "
        f"looked for them. {view.sentence}"
    )
    if view.missed:
        said += f" Not seen: {'; '.join(view.missed[:MISSED_SHOWN])}"
        said += f" and {len(view.missed) - MISSED_SHOWN} more." if len(view.missed) > MISSED_SHOWN else "."
    return {"planted": Table("Planted errors", columns, rows, (1, 2, 3, 4, 5, 6)), "planted_note": said}, ""


def _column(run: OpenRun, stage: str, name: str) -> list[Any]:
    found: list[Any] = []
    for part in sorted(run.need_stage(stage).glob("part-*.parquet")):
        found += pq.read_table(part, columns=[name], partitioning=None)[name].to_pylist()
    return found
