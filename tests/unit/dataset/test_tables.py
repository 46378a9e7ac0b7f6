import datetime
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.dataset.tables import (
    PROBLEMS_SCHEMA,
    SAMPLES_SCHEMA,
    fingerprint,
    iter_table_samples,
    problem_at,
    problems_table,
    sample_at,
    samples_table,
    setting_of,
)
from core.domain.sample import ImageRef, RowProblem, Sample

SAMPLES = [
    Sample("a", "A dog.", ImageRef("x/a.jpg", "0" * 64, 4, 3), ("r1", "r2"), ("dog",), "q", "m", {"n": [1]}),
    Sample("b", "Zwei Wörter 猫", objects=()),
    Sample("c", "<script>\x00"),
]


def test_samples_and_problems_survive_a_parquet_file(tmp_path):
    table = samples_table(SAMPLES, [1, 2, 5])
    assert table.schema == SAMPLES_SCHEMA
    pq.write_table(table, tmp_path / "s.parquet")
    back = pq.read_table(tmp_path / "s.parquet")
    assert [sample_at(back, i) for i in range(3)] == SAMPLES
    assert list(iter_table_samples(back)) == SAMPLES
    assert back["row"].to_pylist() == [1, 2, 5]
    problem = RowProblem("f", 3, "no caption", "why", "v", True)
    listed = problems_table([problem])
    assert listed.schema == PROBLEMS_SCHEMA
    assert problem_at(listed, 0) == problem
    assert samples_table([], []).num_rows == problems_table([]).num_rows == 0


def test_meta_of_any_kind_becomes_json():
    meta = {
        "nan": float("nan"),
        "inf": [float("inf")],
        "day": datetime.date(2024, 5, 1),
        "é": {"k": (1, None)},
    }
    table = samples_table([Sample("a", "A", meta=meta)], [1])
    assert sample_at(table, 0).meta == {
        "nan": None,
        "inf": ["inf"],
        "day": "2024-05-01",
        "é": {"k": [1, None]},
    }


def test_fingerprint_is_of_content_and_order_not_of_paths_or_parts():
    table = samples_table(SAMPLES, [1, 2, 3])
    base = fingerprint([table])
    assert base == fingerprint([table.slice(0, 1), table.slice(1)])
    assert base == fingerprint([pa.concat_tables([table.slice(0, 2), table.slice(2)])])
    moved = [replace(SAMPLES[0], image=replace(SAMPLES[0].image, path="y/b.jpg"), meta={}), *SAMPLES[1:]]
    assert base == fingerprint([samples_table(moved, [7, 8, 9])])


@pytest.mark.parametrize(
    "changed",
    [
        {"caption": "A cat."},
        {"sample_id": "z"},
        {"references": ("r1r2",)},
        {"references": ("r2", "r1")},
        {"objects": None},
        {"objects": ("dog", "cat")},
        {"image": None},
        {"image": ImageRef("x/a.jpg", "1" * 64, 4, 3)},
    ],
)
def test_fingerprint_changes_with_the_content(changed):
    base = fingerprint([samples_table(SAMPLES, [1, 2, 3])])
    other = [replace(SAMPLES[0], **changed), *SAMPLES[1:]]
    assert fingerprint([samples_table(other, [1, 2, 3])]) != base
    assert fingerprint([samples_table(SAMPLES[::-1], [1, 2, 3])]) != base


def test_setting():
    plain, referenced, empty = (
        Sample("a", "A"),
        Sample("b", "B", references=("r",)),
        Sample("c", "C", objects=()),
    )

    def setting(*groups):
        return setting_of([samples_table(g, range(len(g))) for g in groups])

    assert setting([plain]) == "reference-free"
    assert setting([plain], [plain, referenced]) == "reference-based"
    assert setting([referenced], [plain, empty]) == "objects"
    assert setting([]) == "reference-free"
