"""The map and the list of its points as components: they get addresses and rows, and answer with choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from urllib.parse import quote, urlencode

import streamlit as st

from core.views.map_colours import Colouring
from core.views.map_data import MapData
from core.views.map_density import MANY
from core.views.map_selection import Filter, PointRow
from core.views.map_view import MapLabel
from core.views.numbers import NOTHING, decimal
from pages.parts.map_routes import plotly_address
from pages.parts.style import asset

_MAP = st.components.v2.component(
    "faultline_fact_map",
    html="""<div class="fl-map"><div class="fl-map-tools" role="toolbar" aria-label="Map tools"></div>
<div class="fl-map-plot" role="img" aria-label="Map; the list beside it holds the same points as text"></div>
<p class="fl-map-status" role="status"></p><div class="fl-map-tip" hidden></div>
<div class="fl-map-legend"></div></div>""",
    css=asset("fact_map.css"),
    js=asset("fact_map.js"),
    isolate_styles=False,
)
_LIST = st.components.v2.component(
    "faultline_fact_list",
    html="<table><thead></thead><tbody></tbody></table>",
    css=asset("fact_list.css"),
    js=asset("fact_list.js"),
)


def map_canvas(
    run_id: str,
    data: MapData,
    colouring: Colouring,
    version: str,
    shown: Filter,
    *,
    labels: Sequence[MapLabel],
    marks: Sequence[int],
    outlined: bool,
    key: str,
    on_picked: Callable[[], None],
) -> None:
    """Draw the map; what was picked is in st.session_state[key].

    version: of the colours. marks: points to ring, the first more strongly. outlined: a polygon is chosen
    and stays drawn.
    """
    base = f"/map/{quote(run_id, safe='')}/{data.kind}"
    filters = {
        "low": shown.low,
        "high": shown.high,
        "cluster": shown.cluster,
        "q": shown.text or None,
    }
    asked = {name: value for name, value in filters.items() if value is not None}
    _MAP(
        key=key,
        data={
            "plotly": plotly_address(),
            "places": f"{base}/xy?v={data.version}",
            "colours": f"{base}/colour/{colouring.by}?v={version}",
            "mask": f"{base}/mask?{urlencode({**asked, 'v': data.version})}" if asked else None,
            "texts": f"{base}/texts?v={data.version}",
            "density": (
                f"{base}/density/{colouring.by}?{urlencode({**asked, 'v': version})}"
                if data.n > MANY
                else None
            ),
            "title": colouring.title,
            "low": colouring.low,
            "high": colouring.high,
            "categories": [asdict(c) for c in colouring.categories],
            "light": list(colouring.light),
            "dark": list(colouring.dark),
            "labels": [asdict(label) for label in labels],
            "coloured_labels": colouring.by == "cluster",
            "marks": list(marks),
            "outlined": outlined,
        },
        on_picked_change=on_picked,
    )


def point_list(rows: Sequence[PointRow], *, what: str, label: str, key: str) -> int | None:
    """The points as a table; the id of the one just opened. what: "Sentence" or "Caption"."""
    by_meaning = any(row.similarity is not None for row in rows)
    first = (
        ("Nearness", "Cosine of the sentence vectors, 1 = same meaning", "number")
        if by_meaning
        else ("Alignment", "Higher = better aligned; – = not judged", "number")
    )
    result = _LIST(
        key=key,
        data={
            "label": label,
            "columns": [first, (what, "Click to see its image and what is near it", "")],
            "rows": [
                {
                    "point": row.point,
                    "text": row.text,
                    "value": decimal(row.similarity if by_meaning else row.value),
                    "wrong": row.wrong,
                    "from": " · ".join(
                        part
                        for part in (
                            row.sample_id,
                            row.captioner,
                            f"alignment {decimal(row.value) if row.value is not None else NOTHING}",
                        )
                        if part
                    ),
                }
                for row in rows
            ],
        },
        on_open_change=lambda: None,
    )
    opened = result.open
    return opened if isinstance(opened, int) and not isinstance(opened, bool) else None
