"""Triplets: which responses are good on all three axes, which are not, and which to keep?"""

from __future__ import annotations

import streamlit as st

from core.domain.evian import AXIS_SYMBOLS
from core.findings.evian_selection import Weights
from core.views.numbers import count
from core.views.open_run import OpenRun, open_run
from core.views.triplet_export import export_name, export_selection
from core.views.triplet_sample import sample_view
from core.views.triplets import (
    NAMES,
    Rows,
    Selection,
    Triplets,
    captioner_table,
    cell,
    distributions,
    filter_rows,
    has_triplets,
    load_triplets,
    select,
    sorted_rows,
)
from pages.parts.session import chosen_run, finished_runs, go
from pages.parts.states import plain
from pages.parts.style import ASSETS
from pages.parts.triplet_parts import (
    captioners_html,
    distribution_html,
    sample_html,
    scatter_html,
    selection_html,
)
from pages.parts.workspace import open_workspace

ROWS_SHOWN = 500
SCORE_COLUMNS = ("Consistency", "Coherence", "Accuracy")


def choose_run() -> OpenRun | None:
    """The run in the address if it has triplets, else the newest that has."""
    workspace = open_workspace()
    runs = [info for info in finished_runs() if has_triplets(open_run(workspace, info.run_id))]
    if not runs:
        return None
    run_id = chosen_run(runs)
    if run_id not in {info.run_id for info in runs}:
        run_id = runs[0].run_id
    if len(runs) > 1:
        ids = [info.run_id for info in runs]
        names = {info.run_id: f"{info.name} · {info.preset}" for info in runs}
        picked = st.selectbox("Run", ids, index=ids.index(run_id), format_func=names.__getitem__)
        if picked != run_id:
            run_id = picked
            st.query_params["run"] = picked
            st.query_params.pop("sample", None)
    return open_run(workspace, str(run_id))


def filters(t: Triplets) -> tuple[Triplets, Rows]:
    """Captioners, range and weights of the overall score, and whether an axis without a claim counts."""
    names = sorted(set(t.captioners))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect("Captioners", names, placeholder="All captioners", key="captioners")
        low, high = st.slider("Overall score", 1.0, 5.0, (1.0, 5.0), 0.1, key="range")
        counted = st.toggle(
            "Count “no claim” as 2",
            value=True,
            key="count_default",
            help="A response without inference (or knowledge) gets 2 on that axis by rule. Off: the overall "
            "score is the mean of the other axes, so that it costs nothing.",
        )
        weights = weights_of()
    if not weights:
        st.warning(
            "With every weight 0 there is no overall score. The axes count alike until one is above 0."
        )
    elif len(set(weights)) > 1:
        parts = " + ".join(
            f"{w:g} {symbol}" for w, symbol in zip(weights, AXIS_SYMBOLS.values(), strict=True)
        )
        st.caption(f"Overall score = ({plain(parts)}) / {sum(weights):g}")
    t = t.weighted(Weights(*weights), counted)
    return t, filter_rows(t, chosen, low, high)


def weights_of() -> tuple[float, ...]:
    """Weights of the axes in the overall score, in the order of AXES; empty if all are 0."""
    with st.popover("Weights", help="How much each axis counts in the overall score. 0 leaves it out."):
        weights = tuple(
            st.number_input(f"{name} ({AXIS_SYMBOLS[axis]})", 0.0, 10.0, 1.0, 0.5, key=f"weight_{axis}")
            for axis, name in NAMES.items()
        )
    return weights if any(weights) else ()


def scores_panel(t: Triplets, rows: Rows) -> None:
    """Distributions per axis, and means by captioner."""
    for part, column in zip(distributions(t, rows), st.columns(3, gap="medium"), strict=True):
        column.html(distribution_html(part))
    st.html(captioners_html(captioner_table(t, rows)))


def table_panel(t: Triplets, rows: Rows) -> None:
    """Samples by overall score; a click opens one."""
    order = st.segmented_control("Order", ["Worst first", "Best first"], default="Worst first", key="order")
    shown = sorted_rows(t, rows, worst_first=order != "Best first", limit=ROWS_SHOWN)
    event = st.dataframe(
        {
            "Sample": [t.sample_ids[i] for i in shown],
            "Captioner": [t.captioners[i] for i in shown],
            "Overall": [
                None if t.overall[i] != t.overall[i] else round(float(t.overall[i]), 2) for i in shown
            ],
            **{name: [cell(t, int(i), k) for i in shown] for k, name in enumerate(SCORE_COLUMNS)},
        },
        column_config={
            "Overall": st.column_config.NumberColumn(format="%.2f"),
            **{n: st.column_config.TextColumn(alignment="right") for n in SCORE_COLUMNS},
        },
        hide_index=True,
        height=420,
        on_select="rerun",
        selection_mode="single-row",
        key="samples",
    )
    picked = event.selection.rows
    if picked and picked[0] < len(shown):
        st.query_params["sample"] = t.sample_ids[shown[picked[0]]]
    if len(rows) > len(shown):
        st.caption(f"The first {count(len(shown))} of {count(len(rows))}.")


def selection_panel(run: OpenRun, t: Triplets, rows: Rows) -> None:
    """Which responses to keep, and the file of them."""
    with st.container(border=True, key="selection"):
        st.markdown("**Keep the best**, from the responses shown")
        mode = st.segmented_control(
            "Rule", ["Best N", "At least"], default="Best N", key="rule", label_visibility="collapsed"
        )
        stratify = False
        if mode == "At least":
            threshold = st.slider("Overall score of at least", 1.0, 5.0, 3.0, 0.1, key="threshold")
            chosen = select(t, rows, threshold=threshold)
        else:
            most = max(1, len(rows))
            n = st.slider("How many", 0, most, min(most, max(1, len(rows) // 2)), key="top_n")
            stratify = st.checkbox("The same share of each captioner", key="stratify")
            chosen = select(t, rows, n=n, stratify=stratify)
        st.html(selection_html(chosen))
        download(run, t, chosen)


def download(run: OpenRun, t: Triplets, chosen: Selection) -> None:
    """The kept rows in the format of the input, made when asked for."""
    numbers = [int(r) for r in t.row[chosen.kept]]
    st.download_button(
        f"Download {count(len(numbers))} rows",
        data=lambda: export_selection(run, numbers),
        file_name=export_name(run),
        icon=":material/download:",
        disabled=not numbers,
        key="download",
    )


def page() -> None:
    st.html(ASSETS / "triplets.css")
    st.title("Triplets")
    run = choose_run()
    if run is None:
        st.write("No finished run has triplets. Audit a file with the step *evian*.")
        if st.button("Run audit", type="primary"):
            go("run")
        return
    t = load_triplets(run)
    where = f"{plain(run.dataset_name)} · {count(len(t.sample_ids))} responses · scored by {plain(t.model)}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(where, width="content")
        if t.baseline:
            st.badge("Baseline", icon=":material/science:", color="orange", help=plain(t.note))
    if t.baseline and t.note:
        st.caption(plain(t.note[0].upper() + t.note[1:] + "."))
    t, rows = filters(t)
    if not len(rows):
        st.write("No response fits these filters.")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        scores_panel(t, rows)
        table_panel(t, rows)
    with right:
        st.html(scatter_html(t, rows))
        selection_panel(run, t, rows)
    sample_id = st.query_params.get("sample")
    if sample_id:
        st.html(sample_html(run.run_id, sample_view(run, t, sample_id), baseline=t.baseline))


page()
