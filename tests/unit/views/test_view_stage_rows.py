"""Rows come back by position from any part; what is missing is said."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import RunError
from core.views.stage_rows import n_rows, rows_at, rows_where


def write(folder, sizes):
    folder.mkdir()
    first = 0
    for part, size in enumerate(sizes):
        numbers = list(range(first, first + size))
        table = pa.table({"n": numbers, "word": [f"w{n % 3}" for n in numbers]})
        pq.write_table(table, folder / f"part-{part:05}.parquet")
        first += size
    (folder / "stage.json").write_text(json.dumps({}))
    return folder


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(0, 6), min_size=1, max_size=5), data=st.data())
def test_rows_come_in_the_order_asked_for(tmp_path_factory, sizes, data):
    folder = write(tmp_path_factory.mktemp("s") / "stage", sizes)
    total = sum(sizes)
    asked = data.draw(st.lists(st.integers(0, total - 1), max_size=8)) if total else []
    assert [row["n"] for row in rows_at(folder, ("n",), asked)] == asked
    assert n_rows(folder) == total


def test_only_the_parts_asked_for_are_read(tmp_path):
    folder = write(tmp_path / "stage", [3, 3, 3])
    assert n_rows(folder) == 9
    (folder / "part-00002.parquet").write_bytes(b"damaged")
    assert rows_at(folder, ("n",), [4, 0]) == [{"n": 4}, {"n": 0}]
    with pytest.raises(RunError, match="part of a finished stage is damaged"):
        rows_at(folder, ("n",), [8])


@pytest.mark.parametrize("index", [-1, 9])
def test_a_position_outside_is_an_error(tmp_path, index):
    folder = write(tmp_path / "stage", [9])
    with pytest.raises(RunError, match="fewer rows"):
        rows_at(folder, ("n",), [index])


def test_an_unfinished_stage_is_an_error(tmp_path):
    folder = write(tmp_path / "stage", [2])
    (folder / "stage.json").unlink()
    with pytest.raises(RunError, match="missing or damaged"):
        rows_at(folder, ("n",), [0])


def test_rows_by_value(tmp_path):
    folder = write(tmp_path / "stage", [4, 4])
    assert rows_where(folder, ("n",), "word", "w1")["n"].to_pylist() == [1, 4, 7]
