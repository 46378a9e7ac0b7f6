"""Stage stores: committed last, parts whole or absent, content decides the hash."""

import numpy as np
import pyarrow as pa
import pytest

from core.errors import RunError
from core.runs.parts import StageStore
from core.runs.query import connect, register
from core.runs.workspace import Workspace


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "w").create()


def table(*values):
    return pa.table({"x": list(values)})


def test_parts_come_back_in_order(workspace):
    store = StageStore(workspace, "facts", "k")
    store.write_table(1, table(3, 4))
    store.write_table(0, table(1, 2))
    store.commit({"n": 4})
    assert store.read_table()["x"].to_pylist() == [1, 2, 3, 4]
    assert store.record()["summary"] == {"n": 4}
    assert [p.name for p in store.part_paths()] == ["part-00000.parquet", "part-00001.parquet"]


def test_arrays_are_one_matrix(workspace):
    store = StageStore(workspace, "vectors", "k")
    rows = np.arange(12, dtype=np.float32).reshape(6, 2)
    store.write_array(0, rows[:4])
    assert np.array_equal(store.read_array(), rows[:4])
    store.write_array(1, rows[4:])
    assert np.array_equal(store.read_array(), rows)


def test_not_complete_before_commit(workspace):
    store = StageStore(workspace, "facts", "k")
    assert not store.is_complete
    store.write_table(0, table(1))
    assert not StageStore(workspace, "facts", "k").is_complete
    store.commit({})
    assert StageStore(workspace, "facts", "k").is_complete


def test_same_content_same_hash_whatever_the_key(workspace):
    hashes = []
    for key, values in (("a", (1, 2)), ("b", (1, 2)), ("c", (1, 3))):
        store = StageStore(workspace, "facts", key)
        store.write_table(0, table(*values))
        store.commit({"key": key})
        hashes.append(store.output_hash)
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize("kind", ["parquet", "npy"])
def test_a_cut_part_is_redone_not_trusted(workspace, kind):
    store = StageStore(workspace, "facts", "k")
    if kind == "parquet":
        store.write_table(0, table(*range(1000)))
    else:
        store.write_array(0, np.zeros((1000, 4), np.float32))
    path = store.part_paths()[0]
    path.write_bytes(path.read_bytes()[:-50])
    assert not StageStore(workspace, "facts", "k").has_part(0)
    assert not path.exists()


def test_leftovers_of_a_killed_writer_go_when_the_lock_is_held(workspace):
    store = StageStore(workspace, "facts", "k")
    store.write_table(0, table(1))
    leftover = store.path / ".tmp-part-00001.parquet-99"
    leftover.write_bytes(b"half")
    with store.lock():
        assert not leftover.exists()
        assert store.has_part(0)


def test_publish_moves_parts_to_the_key_of_their_content(workspace):
    for round_ in range(2):
        store = StageStore(workspace, "samples", "reading")
        store.write_table(0, table(1, 2))
        final = store.publish("content", {"round": round_})
        assert final.read_table()["x"].to_pylist() == [1, 2]
        assert not store.path.exists()
    assert final.record()["summary"] == {"round": 0}
    assert final.record()["key"] == "content"


def test_reading_what_is_not_there_is_a_sentence(workspace):
    store = StageStore(workspace, "facts", "none")
    with pytest.raises(RunError, match="no parts"):
        store.read_table()
    with pytest.raises(RunError, match="missing"):
        store.record()


def test_stages_can_be_queried(workspace):
    store = StageStore(workspace, "facts", "it's")
    store.write_table(0, table(1, 2))
    store.write_table(1, table(3))
    connection = connect()
    register(connection, "my facts", store)
    assert connection.execute('select sum(x) from "my facts"').fetchone() == (6,)
