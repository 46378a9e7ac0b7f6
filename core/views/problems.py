"""The rows of a dataset that were left out or changed, with file, row and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import shorten
from core.views.numbers import counted
from core.views.open_run import OpenRun
from core.views.stage_rows import n_rows, rows_at

MOST_ROWS = 500
_COLUMNS = ("file", "row", "kind", "reason", "value", "kept")


@dataclass(frozen=True, slots=True)
class ProblemsView:
    """total: all problems. kinds: each kind with its count, of the rows shown. rows: the first ones."""

    total: int
    kinds: tuple[str, ...]
    rows: tuple[Mapping[str, object], ...]


def problems_view(run: OpenRun) -> ProblemsView:
    """The problems of a run, none before the data are read. Raises RunError if they cannot be read."""
    folder = run.stage("problems")
    if folder is None:
        return ProblemsView(0, (), ())
    total = n_rows(folder)
    found = rows_at(folder, _COLUMNS, range(min(total, MOST_ROWS)))
    kinds = Counter(row["kind"] for row in found)
    rows = tuple(
        {
            "File": row["file"],
            "Row": row["row"],
            "Problem": row["kind"],
            "Reason": row["reason"],
            "Seen": shorten(row["value"] or ""),
            "Kept": "yes" if row["kept"] else "left out",
        }
        for row in found
    )
    return ProblemsView(total, tuple(f"{counted(n, kind, kind)}" for kind, n in kinds.most_common()), rows)
