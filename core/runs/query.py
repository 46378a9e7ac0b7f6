"""DuckDB over the parts of stages: in memory, one connection a caller."""

from __future__ import annotations

import duckdb

from core.runs.parts import StageStore


def connect() -> duckdb.DuckDBPyConnection:
    """An in-memory connection that leaves the machine usable: it may not touch the network."""
    return duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"})


def register(connection: duckdb.DuckDBPyConnection, name: str, store: StageStore) -> None:
    """Make the tables of a stage readable as view `name`."""
    paths = ", ".join("'" + str(p).replace("'", "''") + "'" for p in store.part_paths())
    quoted = '"' + name.replace('"', '""') + '"'
    connection.execute(f"CREATE OR REPLACE VIEW {quoted} AS SELECT * FROM read_parquet([{paths}])")
