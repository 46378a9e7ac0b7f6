"""Buttons for what other programs read on: each with a count, a preview, and the file when asked for."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import streamlit as st

from core.errors import AuditError
from core.export.annotations import write_coco, write_fiftyone, write_label_studio
from core.export.card import card_markdown
from core.export.corrected import export_corrected
from core.export.croissant import croissant_json
from core.export.drops import drop_list, input_of, plan_of
from core.export.tables import csv_bytes, drops_table, findings_json, verdicts_table
from core.views.findings import findings_of
from core.views.numbers import count
from core.views.open_run import OpenRun
from pages.parts.states import plain, show_error

PREVIEW_ROWS = 20
PREVIEW_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class Offer:
    """One export. preview: a table, or the beginning of a text. n: what the button counts."""

    key: str
    label: str
    n: int
    file_name: str
    hint: str
    make: Callable[[], bytes]
    preview: pa.Table | str


def export_panel(run: OpenRun) -> None:
    """All exports of a finished run; one that cannot be made says why and hides no other."""
    st.subheader("Exports")
    for make in (
        _corrected,
        _drops,
        _verdicts,
        _findings,
        _card,
        _croissant,
        _coco,
        _label_studio,
        _fiftyone,
    ):
        try:
            _show(make(run))
        except AuditError as error:
            show_error(error)


def _show(offer: Offer) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            f"{offer.label} ({count(offer.n)})",
            data=_caught(offer.make),
            file_name=offer.file_name,
            icon=":material/download:",
            key=f"export_{offer.key}",
            on_click="ignore",
            width=330,
        )
        with st.popover("Preview", key=f"preview_{offer.key}"):
            if isinstance(offer.preview, str):
                st.code(offer.preview[:PREVIEW_CHARACTERS] or "(nothing)", language=None, wrap_lines=True)
            else:
                st.dataframe(offer.preview, hide_index=True)
        st.caption(plain(offer.hint), width="stretch")


def _caught(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """What went wrong while a file is made stands in the file: a download cannot show anything else."""

    def made() -> bytes:
        try:
            return make()
        except AuditError as error:
            return f"{error.sentence()}\n".encode()

    return made


def _corrected(run: OpenRun) -> Offer:
    source, column = input_of(run)
    plan = plan_of(run)

    def make() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / source.name
            export_corrected(source, target, column, plan)
            return target.read_bytes()

    rows = [
        {"row": e.row, "was": e.caption[r.start : r.end], "becomes": r.text or "(taken out)", "by": r.by}
        for e in list(plan.edits.values())[:PREVIEW_ROWS]
        for r in e.revisions
    ]
    n = sum(len(e.revisions) for e in plan.edits.values())
    hint = "The captions file in its own format, with accepted revisions only"
    return Offer(
        "captions", "Corrected captions", n, _corrected_name(source), hint, make, pa.Table.from_pylist(rows)
    )


def _corrected_name(source: Path) -> str:
    stem, dot, ending = source.name.partition(".")
    return f"{stem}-corrected{dot}{ending}"


def _drops(run: OpenRun) -> Offer:
    table = drops_table(list(drop_list(run)))
    hint = "Sentences judged wrong that no accepted revision repairs, with the reason"
    name = f"{run.run_id}-drops.csv"
    return Offer(
        "drops", "Drop list", table.num_rows, name, hint, lambda: csv_bytes(table), table[:PREVIEW_ROWS]
    )


def _verdicts(run: OpenRun) -> Offer:
    table = verdicts_table(run)
    hint = "Every verdict with note, who and when; safe to open in a spreadsheet"
    name = f"{run.run_id}-verdicts.csv"
    return Offer(
        "verdicts", "Verdicts", table.num_rows, name, hint, lambda: csv_bytes(table), table[:PREVIEW_ROWS]
    )


def _findings(run: OpenRun) -> Offer:
    data = findings_json(run)
    hint, n = "Findings with their verdicts and provenance", len(findings_of(run))
    return Offer(
        "findings", "Findings, JSON", n, f"{run.run_id}-findings.json", hint, lambda: data, data.decode()
    )


def _card(run: OpenRun) -> Offer:
    text = card_markdown(run)
    hint, n = "Section “Known limitations” of a dataset card", len(findings_of(run))
    return Offer("card", "Dataset card", n, "known-limitations.md", hint, text.encode, text)


def _croissant(run: OpenRun) -> Offer:
    data = croissant_json(run)
    hint = "Croissant with responsible-AI fields; licence and address are to be filled in"
    return Offer("croissant", "Croissant", 1, "croissant.json", hint, lambda: data, data.decode())


def _coco(run: OpenRun) -> Offer:
    n = run.info.n_samples if run.count("n_images") else 0
    return _streamed(
        run, "coco", "COCO captions", n, "captions.json", lambda out: write_coco(run, out, plan_of(run).edits)
    )


def _label_studio(run: OpenRun) -> Offer:
    hint = "tasks.json"
    return _streamed(
        run, "ls", "Label Studio tasks", run.info.n_samples, hint, lambda out: write_label_studio(run, out)
    )


def _fiftyone(run: OpenRun) -> Offer:
    n = run.count("n_images")
    return _streamed(
        run,
        "fo",
        "FiftyOne labels",
        n,
        "labels.json",
        lambda out: write_fiftyone(run, out, plan_of(run).edits),
    )


def _streamed(
    run: OpenRun, key: str, label: str, n: int, name: str, write: Callable[[BinaryIO], int]
) -> Offer:
    def make() -> bytes:
        out = io.BytesIO()
        write(out)
        return out.getvalue()

    said = f"{run.dataset_name} for this tool, made when downloaded"
    return Offer(key, label, n, name, said, make, f"{label}: {count(n)} entries, made when downloaded.")
