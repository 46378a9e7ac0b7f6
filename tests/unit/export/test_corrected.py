"""Corrected captions: only accepted revisions change, in every format, everything else byte for byte."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dataset.source import open_source
from core.domain.sample import RowProblem
from core.errors import ConfigError, DataError
from core.export.changes import Plan, Revision, RowEdit, check_spans, revised
from core.export.corrected import export_corrected
from core.export.json_text import edit_json

CAPTION = 'A man, "Bob", waits. He holds a handbag — red. It rains.'
SENTENCE = "He holds a handbag — red."
NEW = 'He holds a "bag".'
WANTED = CAPTION.replace(SENTENCE, NEW)


def edit(row, caption=CAPTION, sentence=SENTENCE, new=NEW):
    start = caption.index(sentence)
    return RowEdit(row, f"s{row}", caption, (Revision(start, start + len(sentence), new, "ann", "2026"),))


def plan(*edits, **more):
    return Plan({e.row: e for e in edits}, **more)


def read(path):
    rows = [r for r in open_source(path).rows() if not isinstance(r, RowProblem)]
    return [dict(record) for _, record in rows]


def test_jsonl_changes_one_text_and_no_other_byte(tmp_path):
    lines = [
        b'{"image": "1.jpg",   "caption": "A dog."}\r\n',
        b"\n",
        b'{ "z" : 1.50, "caption" :"A man, \\"Bob\\", waits. He holds a handbag \\u2014 red. It rains.", '
        b'"t": "\\u00e9\xc3\xa9" }\n',
        b"not json\n",
        b'{"caption": "last", "n": 1e5}',
    ]
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"\xef\xbb\xbf" + b"".join(lines))
    done = export_corrected(source, target, "caption", plan(edit(3)))
    expected = list(lines)
    expected[2] = lines[2].replace(b"He holds a handbag \\u2014 red.", b'He holds a \\"bag\\".')
    assert target.read_bytes() == b"\xef\xbb\xbf" + b"".join(expected)
    assert (done.n_rows, done.n_changed, done.n_revisions, done.failed) == (4, 1, 1, [])
    assert json.loads(target.read_bytes().splitlines()[2])["caption"] == WANTED


def test_nothing_accepted_is_the_same_bytes(tmp_path):
    names = {
        "a.jsonl": b'{"caption":"x"}\n\n{"caption": "y"}',
        "b.csv": b'\xef\xbb\xbfcaption;n\r\n"a ""b""\n c";1\r\n\r\nd;"2"',
        "c.tsv": b"caption\tn\nx\t1",
        "d.json": b' [ {"caption" : "x"} ,\n{"caption":"y"}]\n\n',
        "e.json": b'{"info": {"a": [1, 2]}, "annotations": [ {"caption": "x"}], "images" : []}  ',
    }
    for name, data in names.items():
        source, target = tmp_path / name, tmp_path / f"out-{name}"
        source.write_bytes(data)
        export_corrected(source, target, "caption", Plan())
        assert target.read_bytes() == data, name


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_changes_one_cell(tmp_path, delimiter):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    quoted = '"' + CAPTION.replace('"', '""') + '"'
    text = 'id,caption,note\r\na,"x\ny",plain\r\n'.replace(",", delimiter)
    text += f'b,{quoted},"it\'s"\r\n'.replace(f",{quoted},", f"{delimiter}{quoted}{delimiter}")
    text += "c,plain words,=1+1\r\n\r\nd,zz,x".replace(",", delimiter)
    source.write_bytes(text.encode())
    edits = plan(edit(4), edit(5, "plain words", "words", "w,o;r\td"))
    done = export_corrected(source, target, "caption", edits)
    expected = text.replace(quoted, '"' + WANTED.replace('"', '""') + '"').replace(
        "plain words", '"plain w,o;r\td"'
    )
    assert target.read_bytes().decode() == expected
    assert done.n_changed == 2
    assert [r["caption"] for r in read(target)] == ["x\ny", WANTED, "plain w,o;r\td", "zz"]


def test_parquet_keeps_schema_metadata_groups_and_other_columns(tmp_path):
    schema = pa.schema(
        [
            pa.field("caption", pa.large_string()),
            pa.field("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
            pa.field("x", pa.float32(), metadata={b"unit": b"m"}),
        ],
        metadata={b"huggingface": b"{}"},
    )
    rows = [
        {
            "caption": CAPTION if i == 6 else f"c{i}",
            "image": {"bytes": bytes([i]), "path": f"{i}.jpg"},
            "x": i / 3,
        }
        for i in range(10)
    ]
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), source, row_group_size=4, compression="zstd")
    done = export_corrected(source, target, "caption", plan(edit(7)))
    rows[6]["caption"] = WANTED
    found = pq.read_table(target)
    assert found.equals(pa.Table.from_pylist(rows, schema=schema))
    assert found.schema.equals(schema, check_metadata=True)
    metadata = pq.read_metadata(target)
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [4, 4, 2]
    assert metadata.row_group(0).column(0).compression == "ZSTD"
    assert (done.n_rows, done.n_changed) == (10, 1)


def turns(answer):
    return [
        {"from": "human", "value": "<image>\nWhat is it?"},
        {"from": "gpt", "value": "It is a bus."},
        {"from": "human", "value": "More"},
        {"from": "gpt", "value": answer},
    ]


def test_conversations_change_the_turn_that_said_it(tmp_path):
    """LLaVA's and ShareGPT4V's file: a list of records whose caption is the model's turns, joined."""
    records = [
        {"id": str(i), "image": f"{i}.jpg", "conversations": turns(f"Number {i}. {CAPTION}")}
        for i in range(5)
    ]
    source, target = tmp_path / "llava.json", tmp_path / "out.json"
    text = json.dumps(records, indent=2, ensure_ascii=True)
    source.write_text(text)
    audited = f"It is a bus.\n\nNumber 3. {CAPTION}"
    edits = plan(
        edit(4, audited), edit(2, "It is a bus.\n\nNumber 1. " + CAPTION, "It is a bus.", "It is a tram.")
    )
    done = export_corrected(source, target, "conversations", edits)
    records[3]["conversations"] = turns(f"Number 3. {WANTED}")
    records[1]["conversations"][1]["value"] = "It is a tram."
    assert json.loads(target.read_text()) == records
    assert target.read_text() == json.dumps(records, indent=2, ensure_ascii=True)
    assert done.n_changed == 2


def test_coco_captions_change_inside_annotations(tmp_path):
    coco = {
        "info": {"year": 2017},
        "images": [{"id": 1, "file_name": "1.jpg"}],
        "annotations": [
            {"image_id": 1, "id": 7, "caption": "x"},
            {"image_id": 1, "id": 8, "caption": CAPTION},
        ],
        "licenses": [],
    }
    source, target = tmp_path / "coco.json", tmp_path / "out.json"
    source.write_text(json.dumps(coco))
    done = export_corrected(source, target, "caption", plan(edit(2)))
    coco["annotations"][1]["caption"] = WANTED
    assert target.read_text() == json.dumps(coco)
    assert done.n_changed == 1


@pytest.mark.parametrize("name", ["in.jsonl", "in.json", "in.csv", "in.parquet"])
def test_rows_left_out_and_rows_selected(tmp_path, name):
    source, target = tmp_path / name, tmp_path / f"out-{name}"
    records = [{"id": str(i), "caption": f"c{i}"} for i in range(6)]
    offset = 1 if name.endswith("csv") else 0
    if name.endswith("jsonl"):
        source.write_text("".join(json.dumps(r) + "\n" for r in records))
    elif name.endswith("json"):
        source.write_text(json.dumps(records, indent=1))
    elif name.endswith("csv"):
        source.write_text("id,caption\n" + "".join(f"{r['id']},{r['caption']}\n" for r in records))
    else:
        pq.write_table(pa.Table.from_pylist(records), source)
    done = export_corrected(source, target, "caption", Plan(left_out={1 + offset: "bad", 6 + offset: "bad"}))
    assert read(target) == records[1:5]
    assert done.n_left_out == 2
    only = frozenset({2 + offset, 5 + offset})
    done = export_corrected(source, target, "caption", Plan(only=only, left_out={5 + offset: "bad"}))
    assert read(target) == records[1:2]
    assert done.n_left_out == 5


def test_gzip_stays_gzip_and_is_deterministic(tmp_path):
    data = b'{"caption": "x"}\n' + json.dumps({"caption": CAPTION}).encode() + b"\n"
    source = tmp_path / "in.jsonl.gz"
    source.write_bytes(gzip.compress(data))
    targets = [tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"]
    for target in targets:
        export_corrected(source, target, "caption", plan(edit(2)))
    assert targets[0].read_bytes() == targets[1].read_bytes()
    assert [r["caption"] for r in read(targets[0])] == ["x", WANTED]


def test_a_changed_input_is_left_alone_and_listed(tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"caption": "somebody rewrote this"}\n{"other": 1}\n')
    done = export_corrected(source, target, "caption", plan(edit(1), edit(2)))
    assert target.read_bytes() == source.read_bytes()
    assert [p.row for p in done.failed] == [1, 2]
    assert done.n_changed == 0


def test_it_never_overwrites_its_input(tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_text('{"caption": "x"}\n')
    with pytest.raises(ConfigError, match="overwrite"):
        export_corrected(source, source, "caption", Plan())
    with pytest.raises(ConfigError, match="cannot be written"):
        export_corrected(source, tmp_path / "no" / "x.jsonl", "caption", Plan())


def test_a_damaged_document_leaves_no_half_file(tmp_path):
    source, target = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text('[{"caption": "x"}, {"caption": "y"} {"caption"')
    with pytest.raises(DataError):
        export_corrected(source, target, "caption", Plan())
    assert [p.name for p in tmp_path.iterdir()] == ["in.json"]


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [("One.", "Two.  Three."), ("Two.", "One. Three."), ("Three.", "One. Two.")],
)
def test_a_sentence_taken_out_takes_its_space_along(sentence, wanted):
    assert revised(edit(1, "One. Two.  Three.", sentence, "")) == wanted


def test_all_sentences_taken_out():
    text = "One. Two."
    both = RowEdit(1, "s", text, (Revision(0, 4, ""), Revision(5, 9, "")))
    assert revised(both) == ""


@pytest.mark.parametrize("spans", [[(-1, 2)], [(0, 99)], [(3, 2)], [(0, 4), (3, 6)]])
def test_spans_that_do_not_fit(spans):
    with pytest.raises(DataError, match="does not fit"):
        check_spans(RowEdit(1, "s", "some text", tuple(Revision(a, b, "x") for a, b in spans)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(), c, max_size=3),
    max_leaves=8,
)


@given(JSON, st.text(min_size=1), st.data(), st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_any_json_keeps_all_but_the_edited_text(other, caption, data, ascii_only, indent):
    start = data.draw(st.integers(0, len(caption)))
    end = data.draw(st.integers(start, len(caption)))
    new = data.draw(st.text())
    record = {"a": other, "caption": [caption, {"value": caption}], "z": [other]}
    text = json.dumps(record, ensure_ascii=ascii_only, indent=indent)
    found = edit_json(text, {("caption", 1, "value"): [(start, end, new)]})
    record["caption"][1]["value"] = caption[:start] + new + caption[end:]
    assert json.loads(found) == record
    if (start, end, new) == (0, 0, ""):
        assert found == text


@given(
    st.lists(
        st.lists(st.text(alphabet='ab",;\n\r é', max_size=6), min_size=2, max_size=2), min_size=1, max_size=6
    ),
    st.text(alphabet='x",\n', max_size=4),
)
def test_any_csv_keeps_all_but_the_edited_cell(tmp_path_factory, cells, new):
    folder = tmp_path_factory.mktemp("csv")
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(["id", "caption"])
    writer.writerows([a + "x", b + "y"] for a, b in cells)
    source, target = folder / "in.csv", folder / "out.csv"
    source.write_bytes(buffer.getvalue().encode())
    rows = [r for r in open_source(source).rows() if not isinstance(r, RowProblem)]
    row, record = rows[-1]
    caption = record["caption"]
    change = RowEdit(row, "s", caption, (Revision(len(caption) - 1, len(caption), new or "z"),))
    done = export_corrected(source, target, "caption", Plan({row: change}))
    assert done.failed == []
    expected = [dict(r) for _, r in rows]
    expected[-1]["caption"] = caption[:-1] + (new or "z")
    assert read(target) == expected
