"""The two score distributions as one SVG in a page of its own: no script, no network.

Paper: Evian 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

WIDTH, HEIGHT, LEFT, FLOOR = 720, 300, 50, 250
COLOURS = {"clean": "#24618f", "defect": "#b3401b"}


def svg_of(report: Mapping[str, Any]) -> str:
    """Bars of clean and defective responses by overall score, as shares of each group."""
    d = report["distribution"]
    step = (WIDTH - LEFT - 20) / len(d["centre"])
    shares = {k: [v / max(1, sum(d[k])) for v in d[k]] for k in COLOURS}
    top = max([0.01, *(s for row in shares.values() for s in row)])
    parts = []
    for offset, (name, row) in enumerate(shares.items()):
        for i, share in enumerate(row):
            height = 200 * share / top
            x = LEFT + i * step + offset * step * 0.42
            title = f"{name}: {100 * share:.1f} % at {d['centre'][i]:.2f}"
            parts.append(
                f'<rect x="{x:.1f}" y="{FLOOR - height:.1f}" width="{step * 0.4:.1f}" height="{height:.1f}" '
                f'fill="{COLOURS[name]}"><title>{title}</title></rect>'
            )
    for i, centre in enumerate(d["centre"]):
        if abs(centre - round(centre)) < 0.01:
            x = LEFT + (i + 0.45) * step
            parts.append(f'<text x="{x:.1f}" y="{FLOOR + 18}" text-anchor="middle">{centre:.0f}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{FLOOR + 38}" text-anchor="middle">overall score</text>')
    for i, (name, colour) in enumerate(COLOURS.items()):
        parts.append(f'<rect x="{LEFT + 110 * i}" y="12" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + 18 + 110 * i}" y="23">{name} ({sum(d[name])})</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'font-family="sans-serif" font-size="13">{"".join(parts)}</svg>'
    )


def write_plot(report: Mapping[str, Any], path: Path) -> None:
    """Write the plot as HTML."""
    mark = " (embedded baseline)" if report.get("scores_are_baseline") else ""
    head = (
        f'<!doctype html><meta charset="utf-8"><title>Evian benchmark</title><h1>Evian benchmark{mark}</h1>'
    )
    path.write_text(f"{head}{svg_of(report)}\n", "utf-8")
