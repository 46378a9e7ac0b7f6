"""The controls of the map, kept in the page's address."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.views.map_colours import LABELS, By
from core.views.map_data import KINDS, Kind, MapData
from core.views.map_selection import MAX_TEXT, Filter
from core.views.numbers import count
from core.views.open_run import OpenRun

KIND_LABELS: dict[Kind, str] = {"facts": "Facts", "images": "Images"}


def remember(name: str, value: str | None) -> None:
    """Keep a choice in the address; None takes it out."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def choose_kind(kinds: Sequence[Kind]) -> Kind:
    """Facts or images; a run without images has no choice."""
    asked = st.query_params.get("kind")
    first = next((k for k in kinds if k == asked), kinds[0])
    if len(kinds) < 2:
        return first
    chosen = st.segmented_control(
        "Map of",
        list(kinds),
        default=first,
        format_func=KIND_LABELS.__getitem__,
        key="map_kind",
        required=True,
        width="content",
    )
    kind = next((k for k in KINDS if k == chosen), first)
    remember("kind", kind if kind != kinds[0] else None)
    return kind


def choose_colour(ways: Sequence[By]) -> By:
    """What the points are coloured by."""
    asked = st.query_params.get("colour")
    index = next((i for i, way in enumerate(ways) if way == asked), 0)
    chosen = st.selectbox(
        "Colour by", list(ways), index=index, format_func=LABELS.__getitem__, key="map_colour", width=170
    )
    way = chosen if chosen in ways else ways[0]
    remember("colour", way if way != ways[0] else None)
    return way


def choose_filter(run: OpenRun, data: MapData) -> Filter:
    """Cluster, range of alignment, and words."""
    cluster = _cluster(run, data)
    low, high = _range(run, data)
    asked = (st.query_params.get("q") or "")[:MAX_TEXT]
    text = st.text_input(
        "Contains",
        value=asked,
        max_chars=MAX_TEXT,
        key=f"map_q_{run.run_id}",
        placeholder="words of a sentence",
        icon=":material/search:",
        width=210,
        help="Sentences that contain these words, in any case. "
        "For sentences near in meaning, click a point or a line of the list.",
    )
    text = (text or "").strip()
    remember("q", text or None)
    return Filter(low, high, cluster, text)


def _cluster(run: OpenRun, data: MapData) -> int | None:
    if data.cluster is None or not data.clusters:
        remember("cluster", None)
        return None
    names = {
        c.cluster_id: (f"{c.rank}. " if c.rank else "") + f"{c.name or 'no name'} ({count(c.size)})"
        for c in data.clusters
    }
    asked = st.query_params.get("cluster", "")
    options = list(names)
    index = next((i for i, c in enumerate(options) if str(c) == asked), None)
    chosen = st.selectbox(
        "Cluster",
        options,
        index=index,
        format_func=lambda c: names.get(c, str(c)),
        placeholder="all, worst first",
        key=f"map_cluster_{run.run_id}",
        width=220,
        help="Clusters of similar sentences, the worst aligned first, by what they say wrongly.",
    )
    remember("cluster", None if chosen is None else str(chosen))
    return chosen if chosen in names else None


def _range(run: OpenRun, data: MapData) -> tuple[float | None, float | None]:
    values = data.alignment[~np.isnan(data.alignment)]
    if not len(values) or values.min() == values.max():
        return None, None
    low, high = float(np.floor(values.min() * 100) / 100), float(np.ceil(values.max() * 100) / 100)
    start, stop = st.slider(
        "Alignment",
        low,
        high,
        (low, high),
        step=0.01,
        key=f"map_range_{run.run_id}_{data.kind}",
        width=190,
        help="Higher = better aligned. A narrower range leaves out what was not judged.",
    )
    if (start, stop) == (low, high):
        return None, None
    return float(start), float(stop)
