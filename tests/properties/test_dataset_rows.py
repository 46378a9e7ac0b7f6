"""No row is ever lost: every row is a sample, or listed, or both."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.dataset.cells import encodable, joined, objects_of, texts_of
from core.dataset.read_dataset import iter_rows, preview
from core.dataset.tables import iter_table_samples, samples_table
from core.domain.run import AuditConfig
from core.errors import AuditError

quick = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
surrogates = st.text(st.characters(), max_size=8) | st.just("half \ud83d")
captions = st.one_of(json_values, surrogates, st.just("A dog."))
records = st.fixed_dictionaries(
    {"caption": captions},
    optional={
        "id": st.one_of(st.sampled_from(["a", "b", 1]), json_values),
        "references": json_values,
        "objects": json_values,
        "instruction": json_values,
        "captioner": json_values,
        "note": st.one_of(json_values, surrogates),
    },
)
lines = st.one_of(
    records.map(lambda r: json.dumps(r).encode()),
    json_values.map(lambda v: json.dumps(v).encode()),
    st.binary(max_size=20).map(lambda raw: bytes(b for b in raw if b >= 32)),
)


def check(path, n_rows, on_bad_row):
    config = AuditConfig(captions=str(path), caption_column="caption", on_bad_row=on_bad_row)
    rows = list(iter_rows(config, None))
    assert len(rows) == n_rows
    assert [row.row for row in rows] == sorted({row.row for row in rows})
    for row in rows:
        assert row.sample is not None or row.problems
        assert all(p.kept == (row.sample is not None) and p.row == row.row for p in row.problems)
    samples = [row.sample for row in rows if row.sample is not None]
    assert len({s.sample_id for s in samples}) == len(samples)
    table = samples_table(samples, [row.row for row in rows if row.sample is not None])
    back = list(iter_table_samples(table))
    assert [(s.sample_id, s.caption, s.references, s.objects) for s in back] == [
        (s.sample_id, s.caption, s.references, s.objects) for s in samples
    ]
    seen = preview(config)
    assert len(seen.problems) == sum(len(row.problems) for row in rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rows")


@quick
@given(body=st.lists(lines, min_size=1, max_size=12), on_bad_row=st.sampled_from(["skip", "keep"]))
def test_jsonl_rows_add_up(folder, body, on_bad_row):
    path = Path(folder) / "a.jsonl"
    path.write_bytes(b'{"caption": "first"}\n' + b"\n".join(body))
    kept = [line.rstrip(b"\r\n") for line in body]
    check(path, 1 + sum(bool(line.strip()) for line in kept), on_bad_row)


@quick
@given(body=st.lists(records, min_size=1, max_size=12), on_bad_row=st.sampled_from(["skip", "keep"]))
def test_json_rows_add_up(folder, body, on_bad_row):
    path = Path(folder) / "a.json"
    path.write_text(json.dumps([{"caption": "first"}, *body], indent=1))
    check(path, 1 + len(body), on_bad_row)


@quick
@given(
    body=st.lists(st.lists(st.text(st.characters(codec="utf-8"), max_size=9), min_size=2, max_size=2)),
    delimiter=st.sampled_from([",", "\t", ";"]),
)
def test_csv_cells_come_back_as_written(folder, body, delimiter):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(["caption", "note"])
    writer.writerows([["A dog.", "x"], *body])
    path = Path(folder) / ("a.tsv" if delimiter == "\t" else "a.csv")
    path.write_bytes(out.getvalue().encode())
    config = AuditConfig(captions=str(path))
    rows = list(iter_rows(config, None))
    assert len(rows) == len(body) + 1
    for row, (caption, note) in zip(rows[1:], body, strict=True):
        if row.sample is not None and not caption.strip().startswith("["):
            assert row.sample.caption == caption
            assert row.sample.meta == {"note": note}


@quick
@given(raw=st.binary(max_size=300), name=st.sampled_from(["a.jsonl", "a.json", "a.csv", "a.tsv", "a"]))
def test_any_bytes_give_rows_or_one_sentence(folder, raw, name):
    path = Path(folder) / name
    path.write_bytes(raw)
    config = AuditConfig(captions=str(path))
    said = ""
    try:
        preview(config)
        list(iter_rows(config, None))
    except AuditError as e:
        said = e.sentence()
    assert "\n" not in said


@quick
@given(value=st.one_of(json_values, st.text(alphabet="[]'\", ab;{}:1\\", max_size=30)))
def test_cells_never_raise_and_give_text(value):
    texts, _ = texts_of(value)
    assert all(isinstance(t, str) and t.strip() for t in texts)
    names, complaint = objects_of(value)
    assert names is None or all(isinstance(n, str) and n.strip() for n in names)
    assert names is None or len(set(names)) == len(names)
    assert isinstance(complaint, str)


@quick
@given(value=st.one_of(surrogates, st.text(st.characters(categories=["Cs", "Lu", "So"]))))
def test_repaired_text_is_encodable_and_whole_text_unchanged(value):
    fixed = encodable(value)
    fixed.encode()
    try:
        value.encode()
    except UnicodeEncodeError:
        assert "\ufffd" in fixed or len(fixed) < len(value)
    else:
        assert fixed == value


@quick
@given(texts=st.lists(st.text(min_size=1).filter(str.strip)))
def test_joining_changes_no_word(texts):
    assert joined(texts).split() == " ".join(texts).split()
