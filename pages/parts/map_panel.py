"""Beside the map: what the chosen points say, and one point with what is near it in meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

import numpy as np
import streamlit as st

from core.views.map_data import MapData
from core.views.map_selection import Ids, Selection, image_strip, nearest, point_rows
from core.views.numbers import count, counted, decimal
from core.views.open_run import OpenRun
from pages.parts.html import esc
from pages.parts.map_canvas import point_list
from pages.parts.session import go
from pages.parts.states import plain

ROWS_A_PAGE = 25
IMAGES = 10
LINKS = 4

OpenPoint = Callable[[int], None]


def selection_panel(
    run: OpenRun, data: MapData, chosen: Selection, title: str, open_point: OpenPoint
) -> None:
    """Numbers, findings, images and texts of the chosen points, worst first."""
    is_facts = data.kind == "facts"
    st.html(_numbers_html(chosen, title, "wrong" if is_facts else "with a wrong sentence"))
    if not len(chosen.ids):
        st.caption("No point is inside. Draw a larger outline, or widen the filters.")
        return
    _finding_links(run, chosen)
    if strip := strip_html(run.run_id, data, chosen.ids):
        st.html(strip)
    _pages(run, data, chosen, open_point)


def _finding_links(run: OpenRun, chosen: Selection) -> None:
    with st.container(horizontal=True, gap="small", key="map_findings"):
        for link in chosen.findings[:LINKS]:
            if st.button(
                f"{plain(link.title)} :gray[{count(link.n)}]",
                key=f"finding_{link.finding_id}",
                help=f"Open this finding; {counted(link.n, 'point')} here "
                f"{'is' if link.n == 1 else 'are'} in its cluster of sentences",
            ):
                go("finding", run=run.run_id, finding=link.finding_id)


def _numbers_html(chosen: Selection, title: str, wrong: str) -> str:
    judged = f"of {count(chosen.n_scored)} judged"
    return (
        f'<h2 class="fl-map-title">{esc(title)}</h2>'
        f'<dl class="fl-map-numbers">'
        f'<div title="How well the sentences fit their images"><dt>Mean alignment</dt>'
        f"<dd>{esc(chosen.mean_alignment)}</dd><small>higher = better</small></div>"
        f"<div><dt>{esc(wrong.capitalize())}</dt><dd>{esc(chosen.share_wrong)}</dd>"
        f"<small>{judged}</small></div></dl>"
    )


def _pages(run: OpenRun, data: MapData, chosen: Selection, open_point: OpenPoint) -> None:
    n_pages = -(-len(chosen.ids) // ROWS_A_PAGE)
    key = f"map_page_{run.run_id}_{data.kind}"
    page = min(int(st.session_state.get(key, 0)), n_pages - 1)
    start = page * ROWS_A_PAGE
    rows = point_rows(run, data, chosen.ids[start : start + ROWS_A_PAGE].tolist())
    what = "Sentence" if data.kind == "facts" else "Caption"
    opened = point_list(rows, what=what, label=f"{what}s, worst aligned first", key="map_list")
    if opened is not None:
        open_point(opened)
        st.rerun()
    if n_pages > 1:

        def turn(to: int) -> None:
            st.session_state[key] = to

        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Back", disabled=page == 0, on_click=turn, args=(page - 1,), key="map_back")
            st.button("More", disabled=page == n_pages - 1, on_click=turn, args=(page + 1,), key="map_more")
            last = min(start + ROWS_A_PAGE, len(chosen.ids))
            st.caption(f"{count(start + 1)} to {count(last)} of {count(len(chosen.ids))}", width="content")


def point_panel(
    run: OpenRun,
    data: MapData,
    point: int,
    near: Sequence[tuple[int, float]],
    open_point: OpenPoint,
    close: Callable[[], None],
) -> None:
    """One fact or image: its text, its picture, and the facts nearest in meaning."""
    (row,) = point_rows(run, data, [point])
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        what = "Sentence" if data.kind == "facts" else "Image"
        st.html(f'<h2 class="fl-map-title">{what} {count(point)}</h2>', width="content")
        st.button("Close", key="map_close", type="tertiary", icon=":material/close:", on_click=close)
    value = "not judged" if row.value is None else decimal(row.value)
    shown = f"<p>{esc(row.text)}</p>"
    facts = [f"Alignment {value}, higher = better aligned", f"sample {row.sample_id}", row.captioner]
    st.html(
        f'<div class="fl-map-point{" fl-map-wrong" if row.wrong else ""}">{shown}'
        f'<p class="fl-facts">{esc(" · ".join(f for f in facts if f))}</p></div>'
    )
    if strip := strip_html(run.run_id, data, np.array([point], np.int64), big=True):
        st.html(strip)
    if data.kind != "facts":
        return
    st.markdown("**Nearest in meaning**, one line for each different sentence")
    if not near:
        st.caption("This run has no other sentence.")
        return
    rows = point_rows(run, data, [i for i, _ in near], [s for _, s in near])
    opened = point_list(rows, what="Sentence", label="Sentences nearest in meaning", key="map_near")
    if opened is not None:
        open_point(opened)
        st.rerun()


def near_facts(run: OpenRun, data: MapData, point: int) -> tuple[tuple[int, float], ...]:
    """Facts nearest in meaning; () for images and for runs without sentence vectors."""
    if data.kind != "facts" or run.stage("fact_vectors") is None:
        return ()
    return nearest(run, data, point)


def strip_html(run_id: str, data: MapData, ids: Ids, *, big: bool = False) -> str:
    """The first distinct images of these points, each a link to its large form; "" without images."""
    pictures = []
    for sha, point in image_strip(data, ids, IMAGES):
        source = f"/thumb/{quote(run_id, safe='')}/{sha}"
        pictures.append(
            f'<a href="{source}?w=1024" target="_blank" rel="noopener"><img src="{source}" loading="lazy" '
            f'decoding="async" alt="Image of point {count(point)}"></a>'
        )
    if not pictures:
        return ""
    return f'<div class="fl-map-strip{" fl-map-big" if big else ""}">{"".join(pictures)}</div>'


def selection_title(data: MapData, *, outlined: bool, filtered: bool, n: int) -> str:
    """What the panel shows, in words."""
    what = counted(n, "sentence" if data.kind == "facts" else "image")
    if outlined:
        return f"{what} inside the outline"
    return f"{what} that pass the filters" if filtered else f"All {what}"
