"""The silhouette-K curve: how many clusters the sentences fall into."""

from __future__ import annotations

from dataclasses import asdict

import pyarrow as pa
import streamlit as st

from core.views.map_view import CurveView
from pages.parts.states import plain


def curve_chart(view: CurveView) -> None:
    """Silhouette over K, the chosen K marked, with what it means."""
    st.markdown(f"**How many clusters?** &ensp;{plain(view.title)}")
    x = {
        "field": "k",
        "type": "quantitative",
        "title": "K, number of clusters",
        "scale": {"zero": False, "nice": True},
    }
    y = {
        "field": "silhouette",
        "type": "quantitative",
        "title": "silhouette",
        "scale": {"zero": False},
    }
    tooltip = [
        {"field": "k", "title": "K"},
        {"field": "silhouette", "title": "Silhouette", "format": ".4f"},
    ]
    chosen = [{"filter": "datum.chosen"}]
    st.vega_lite_chart(
        pa.Table.from_pylist([asdict(p) for p in view.points]),
        {
            "height": 190,
            "layer": [
                {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {"x": x, "y": y}},
                {
                    "mark": {"type": "circle", "size": 45, "opacity": 1},
                    "encoding": {"x": x, "y": y, "tooltip": tooltip},
                },
                {
                    "transform": chosen,
                    "mark": {"type": "point", "size": 170, "strokeWidth": 2.5, "color": "#c4521f"},
                    "encoding": {"x": x, "y": y, "tooltip": tooltip},
                },
                {
                    "transform": chosen,
                    "mark": {"type": "text", "dy": 20, "fontSize": 12, "color": "#c4521f", "align": "right"},
                    "encoding": {"x": x, "y": y, "text": {"value": f"chosen: {view.k}"}},
                },
            ],
        },
        width="stretch",
        key="map_curve",
    )
    for line in view.lines:
        st.caption(plain(line))
