"""Make the missing parts of a stage on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from core.runs.cancel import CancelToken
from core.runs.parts import StageStore

Part: TypeAlias = "pa.Table | np.ndarray[Any, np.dtype[Any]]"


class EmitEvent(Protocol):
    def __call__(self, kind: str, **fields: Any) -> None: ...


def run_parts(
    store: StageStore,
    n_items: int,
    part_size: int,
    make_part: Callable[[int, int], Part],
    *,
    cancel: CancelToken,
    emit: EmitEvent,
    unit: str,
) -> None:
    """Call make_part(start, stop) for every part that is not there yet, in order, and write it.

    Part i holds items i * part_size .. (i + 1) * part_size; an empty stage gets one empty part, so
    that its schema is known. Progress is emitted at once (with what was found) and after each part.
    Raises: AuditCancelledError between two parts.
    """
    n_parts = max(1, -(-n_items // part_size))
    done = sum(min(part_size, n_items - i * part_size) for i in range(n_parts) if store.has_part(i))
    emit("progress", stage=store.stage, n_done=done, n_total=n_items, unit=unit)
    for index in range(n_parts):
        if store.has_part(index):
            continue
        cancel.raise_if_requested()
        start, stop = index * part_size, min((index + 1) * part_size, n_items)
        part = make_part(start, stop)
        if isinstance(part, pa.Table):
            store.write_table(index, part)
        else:
            store.write_array(index, part)
        done += stop - start
        emit("progress", stage=store.stage, n_done=done, n_total=n_items, unit=unit)
