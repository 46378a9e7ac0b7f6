"""What a map of 200,000 points weighs on the wire, beside Plotly with float64 arrays and hover strings.

Ours: places as uint16, alignment as uint8, the row as the point's id; texts are asked for by id when the
pointer is over a point.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go

from benchmarks.harness import Row, in_turns, main
from core.views.map_colours import _by_alignment
from core.views.map_data import MapData, quantise
from core.views.map_view import places_bytes

GOALS = {"smaller": 12.0, "MB": 1.7, "ms": 50.0}


def data_of(places: np.ndarray, alignment: np.ndarray) -> MapData:
    n = len(places)
    whole = quantise(places)
    nothing = np.zeros(n, np.int64)
    return MapData(
        "facts",
        "",
        {},
        whole,
        nothing,
        alignment,
        alignment < 0.5,
        None,
        nothing,
        nothing,
        (),
        nothing,
        (),
        (),
    )


def run(quick: bool) -> Iterator[Row]:
    n = 50_000 if quick else 200_000
    rng = np.random.default_rng(0)
    places = rng.normal(0, 5, (n, 2)).astype(np.float32)
    alignment = np.where(rng.random(n) < 0.05, np.nan, rng.random(n))
    texts = [f"A man in a red shirt rides a bicycle past shop number {i} on a wet street." for i in range(n)]

    def ours() -> int:
        data = data_of(places, alignment)
        return len(places_bytes(data)) + len(_by_alignment(data)[0].tobytes())

    def peer() -> int:
        marker = {"color": alignment.tolist()}
        x, y = (places[:, axis].astype(np.float64).tolist() for axis in (0, 1))
        return len(go.Figure(go.Scattergl(x=x, y=y, marker=marker, text=texts, mode="markers")).to_json())

    mine, theirs = ours(), peer()
    took, other = in_turns(ours, peer, 3)
    size = f"map of {n // 1000}k"
    megabytes = f"{mine / 1e6:.2f} MB", f"Plotly: {theirs / 1e6:.1f} MB"
    yield Row(f"{size}, times smaller", theirs / mine, GOALS["smaller"], *megabytes)
    yield Row(f"{size}, MB", mine / 1e6, GOALS["MB"], *megabytes, at_most=True)
    milliseconds = f"{took * 1e3:.0f} ms", f"Plotly: {other * 1e3:,.0f} ms"
    yield Row(f"{size}, build and serialise, ms", took * 1e3, GOALS["ms"], *milliseconds, at_most=True)


if __name__ == "__main__":
    main(run, "map_transport")
