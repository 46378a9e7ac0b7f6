"""The selected subset comes back in the format it was read from, every column kept."""

import csv
import gzip
import io
import json
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.dataset.source import open_source
from core.domain.run import AuditConfig
from core.errors import DataError
from core.runs.config_file import write_config
from core.views.triplet_export import export_name, export_selection

ROWS = [
    {"caption": f"A dog, number {i}; “so”", "own": f"x{i}", "image": f"{i}.jpg", "n": str(i)}
    for i in range(5)
]


def run_on(folder, path):
    write_config(folder / "config.toml", AuditConfig(captions=str(path)))
    return SimpleNamespace(folder=folder)


def written_csv(delimiter):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(ROWS[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(ROWS)
    return text.getvalue().encode()


def lines_of(rows):
    return "".join(json.dumps(r) + "\n" for r in rows).encode()


def parquet_bytes():
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), buffer)
    return buffer.getvalue()


FILES = {
    "a.jsonl": lambda: lines_of(ROWS),
    "a.jsonl.gz": lambda: gzip.compress(lines_of(ROWS)),
    "a.json": lambda: json.dumps(ROWS).encode(),
    "a.csv": lambda: written_csv(","),
    "a.tsv": lambda: written_csv("\t"),
    "a.parquet": parquet_bytes,
}


def read_back(name, data):
    if name.endswith("parquet"):
        return pq.read_table(io.BytesIO(data)).to_pylist()
    text = data.decode()
    if name.endswith(("csv", "tsv")):
        return list(csv.DictReader(io.StringIO(text), delimiter="\t" if name.endswith("tsv") else ","))
    if name.endswith("json"):
        return json.loads(text)
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kept", [[0], [1, 4], [4, 1, 3], [0, 1, 2, 3, 4], []])
def test_the_kept_rows_come_back_whole_and_in_order(tmp_path, name, kept):
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    numbers = [row[0] for row in open_source(path).rows()]  # as the samples of an audit have them
    run = run_on(tmp_path, path)
    found = read_back(export_name(run), export_selection(run, [numbers[k] for k in kept]))
    assert found == [ROWS[k] for k in sorted(kept)]


def test_the_name_says_what_it_is(tmp_path):
    for name, expected in (
        ("a.b.jsonl", "a.b-selected.jsonl"),
        ("a.jsonl.gz", "a-selected.jsonl"),
        ("a.parquet", "a-selected.parquet"),
    ):
        assert export_name(run_on(tmp_path, tmp_path / name)) == expected


def test_an_input_that_is_gone_is_one_sentence(tmp_path):
    with pytest.raises(DataError):
        export_selection(run_on(tmp_path, tmp_path / "gone.jsonl"), [1])
