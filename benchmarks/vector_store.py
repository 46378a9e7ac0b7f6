"""Vectors as .npy files (what a stage writes), beside DuckDB's FLOAT[384] column."""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.harness import Row, main, seconds, versus
from benchmarks.vectors import mixture
from core.runs.parts import StageStore
from core.runs.workspace import Workspace

ROUNDS = 3


def arrow(rows: np.ndarray) -> pa.Table:
    flat = pa.array(rows.ravel())
    return pa.table({"vector": pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])})


def run(quick: bool) -> Iterator[Row]:
    rows, _ = mixture(50_000 if quick else 200_000, 384, 100)
    times: dict[str, list[float]] = {name: [] for name in ("write", "read", "peer write", "peer read")}
    for turn in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            store = StageStore(Workspace(Path(folder)), "vectors", f"{turn:064d}")
            file = str(Path(folder) / "vectors.duckdb")

            def write_ours(store: StageStore = store) -> None:
                store.write_array(0, rows)

            def write_theirs(file: str = file) -> None:
                with duckdb.connect(file) as database:
                    database.execute(f"CREATE TABLE v (vector FLOAT[{rows.shape[1]}])")
                    database.register("vectors", arrow(rows))
                    database.execute("INSERT INTO v SELECT * FROM vectors")
                _sync(file)

            def read_theirs(file: str = file) -> float:
                with duckdb.connect(file, read_only=True) as database:
                    vectors = database.sql("SELECT vector FROM v").to_arrow_table()["vector"]
                flat = np.concatenate([chunk.values.to_numpy() for chunk in vectors.chunks])
                return float(flat.reshape(-1, 384).sum())

            times["write"].append(seconds(write_ours))
            times["peer write"].append(seconds(write_theirs))
            times["read"].append(seconds(lambda store=store: float(store.read_array().sum())))
            times["peer read"].append(seconds(read_theirs))
    middle = {name: statistics.median(values) for name, values in times.items()}
    size = f"{len(rows) // 1000}k x 384"
    yield versus(f"write {size} vectors", middle["write"], middle["peer write"], 15.0, "DuckDB FLOAT[384]")
    yield versus(f"read {size} vectors", middle["read"], middle["peer read"], 1.0, "DuckDB FLOAT[384]")


def _sync(file: str) -> None:
    """As our writer does: the bytes are on the disk when the write has ended."""
    handle = os.open(file, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


if __name__ == "__main__":
    main(run, "vector_store")
