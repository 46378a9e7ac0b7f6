"""Fact map: where do the wrong sentences lie, and what do they say?"""

from __future__ import annotations

import streamlit as st

from core.errors import AuditError
from core.views.findings import dataset_facts
from core.views.map_colours import By, colour_codes, ways_to_colour
from core.views.map_data import KINDS, MapData, has_map, map_data
from core.views.map_selection import Filter, filter_mask, inside, polygon_of, select
from core.views.map_view import cluster_labels, colour_version, curve_view, map_captions
from core.views.numbers import when
from core.views.open_run import OpenRun, open_run
from pages.parts.html import esc
from pages.parts.map_canvas import map_canvas
from pages.parts.map_controls import choose_colour, choose_filter, choose_kind, remember
from pages.parts.map_curve import curve_chart
from pages.parts.map_panel import near_facts, point_panel, selection_panel, selection_title
from pages.parts.session import chosen_run, finished_runs, go
from pages.parts.starting import resume
from pages.parts.states import plain, show_error
from pages.parts.workspace import open_workspace


def choose_run(run_id: str) -> None:
    """A menu of the finished runs, when there is a choice."""
    names = {info.run_id: f"{info.name}, {when(info.started)}" for info in finished_runs()}
    if len(names) < 2 or run_id not in names:
        return

    def switch() -> None:
        st.query_params["run"] = st.session_state["map_run"]
        for name in ("cluster", "fact", "q"):
            remember(name, None)

    st.session_state["map_run"] = run_id
    st.selectbox(
        "Run",
        list(names),
        format_func=names.__getitem__,
        key="map_run",
        on_change=switch,
        label_visibility="collapsed",
        width=320,
    )


def heading(run: OpenRun) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.html(
            f'<h1 class="fl-title">Fact map</h1><p class="fl-facts">{esc(run.dataset_name)} · '
            f"{esc(' · '.join(dataset_facts(run)))}</p>",
            width="content",
        )
        choose_run(run.run_id)


def no_map(run: OpenRun) -> None:
    """An older run, or one that is not done."""
    if run.info.state != "finished":
        st.write("This run is not finished, so its map is not drawn yet.")
        if st.button("See its progress", type="primary"):
            go("run", run=run.run_id)
        return
    st.write("This run has no map: it was made before maps were. Resume the run to draw its map.")
    if st.button("Resume", type="primary", key="map_resume"):
        resume(run.run_id)


class Focus:
    """What is chosen on one map: an outline or a point. The point is kept in the address."""

    def __init__(self, run: OpenRun, data: MapData) -> None:
        self.key = f"map_{run.run_id}_{data.kind}"
        self.page_key = f"map_page_{run.run_id}_{data.kind}"
        self.n = data.n

    def picked(self) -> None:
        """Take over what the map sent."""
        value = st.session_state[self.key].get("picked")
        found = value if isinstance(value, dict) else {}
        st.session_state.pop(self.page_key, None)
        st.session_state.pop(f"{self.key}_polygon", None)
        remember("fact", None)
        if found.get("kind") == "polygon" and polygon_of(found.get("polygon")) is not None:
            st.session_state[f"{self.key}_polygon"] = found["polygon"]
        if found.get("kind") == "point" and isinstance(found.get("id"), int):
            self.open_point(found["id"])

    def open_point(self, point: int) -> None:
        remember("fact", str(point))

    def close(self) -> None:
        remember("fact", None)

    @property
    def polygon(self) -> object:
        return st.session_state.get(f"{self.key}_polygon")

    @property
    def point(self) -> int | None:
        text = st.query_params.get("fact", "")
        if text.isascii() and text.isdigit() and len(text) < 12 and int(text) < self.n:
            return int(text)
        remember("fact", None)
        return None


def map_side(run: OpenRun, data: MapData, by: By, shown: Filter, focus: Focus, near: tuple[int, ...]) -> None:
    """The map with how it was made, and the curve of K."""
    _, colouring = colour_codes(run, data, by)
    map_canvas(
        run.run_id,
        data,
        colouring,
        colour_version(run, data, by),
        shown,
        labels=cluster_labels(data, shown.cluster),
        marks=near,
        outlined=focus.polygon is not None,
        key=focus.key,
        on_picked=focus.picked,
    )
    st.caption(plain(" ".join(map_captions(run, data.kind))))
    curve = curve_view(run) if data.kind == "facts" else None
    if curve is not None:
        with st.container(border=True):
            curve_chart(curve)


def chosen_side(run: OpenRun, data: MapData, shown: Filter, focus: Focus) -> None:
    """What the filters and the outline leave, worst first."""
    mask = filter_mask(run, data, shown)
    polygon = polygon_of(focus.polygon)
    if polygon is not None:
        mask &= inside(data, polygon)
    chosen = select(run, data, mask)
    title = selection_title(
        data, outlined=polygon is not None, filtered=not shown.is_empty, n=len(chosen.ids)
    )
    if polygon is None and shown.is_empty:
        near = " and what is near it in meaning" if data.kind == "facts" else ""
        st.caption(f"Draw around points to select them; click one to see it{near}.")
    selection_panel(run, data, chosen, title, focus.open_point)


def page() -> None:
    run_id = chosen_run(finished_runs())
    if run_id is None:
        st.title("Fact map")
        st.write("No audit has finished yet, so there is nothing to draw.")
        if st.button("Run an audit", type="primary"):
            go("run")
        return
    run = open_run(open_workspace(), run_id)
    heading(run)
    kinds = [kind for kind in KINDS if has_map(run, kind)]
    if not kinds or run.info.state != "finished":
        no_map(run)
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="map_controls"):
        data = map_data(run, choose_kind(kinds))
        if not data.n:
            st.write("This run has no point to draw.")
            return
        by = choose_colour(ways_to_colour(run, data))
        shown = choose_filter(run, data)
    focus = Focus(run, data)
    point = focus.point
    near = near_facts(run, data, point) if point is not None else ()
    left, right = st.columns([31, 20], gap="medium")
    with left:
        rings = () if point is None else (point, *(i for i, _ in near))
        map_side(run, data, by, shown, focus, rings)
    with right:
        try:
            if point is not None:
                point_panel(run, data, point, near, focus.open_point, focus.close)
            else:
                chosen_side(run, data, shown, focus)
        except AuditError as error:
            show_error(error)


page()
