"""Formats, and files that are none: one clear sentence, no lost row."""

import gzip
import json
import os
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.dataset.source import open_source
from core.domain.sample import RowProblem
from core.errors import DataError


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(path):
    return list(open_source(path).rows())


def good(rows):
    return [r for r in rows if not isinstance(r, RowProblem)]


def bad(rows):
    return [(r.row, r.kind) for r in rows if isinstance(r, RowProblem)]


ROWS = [{"caption": "A dog."}, {"caption": "Eine Katze, schön."}, {"caption": "猫", "extra": 1}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", "\n".join(map(json.dumps, ROWS))),
        ("a.jsonl.gz", gzip.compress("\n".join(map(json.dumps, ROWS)).encode())),
        ("bom.jsonl", b"\xef\xbb\xbf" + "\n".join(map(json.dumps, ROWS)).encode()),
        ("a.json", json.dumps(ROWS)),
        ("pretty.json", json.dumps(ROWS, indent=2)),
        ("a.json.gz", gzip.compress(json.dumps(ROWS).encode())),
        ("held.json", json.dumps({"info": "x", "data": ROWS}, indent=1)),
        ("named_wrongly.csv", "\n".join(map(json.dumps, ROWS))),
        ("without_extension", json.dumps(ROWS)),
        ("crlf.jsonl", "\r\n".join(map(json.dumps, ROWS)) + "\r\n"),
    ],
)
def test_json_forms_give_the_same_records(tmp_path, name, content):
    found = rows_of(write(tmp_path / name, content))
    assert [record for _, record in found] == ROWS
    assert [row for row, _ in found] == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'id,caption\n1,"A ""big"" dog,\nand a cat."\n2,Birds\n'),
        ("a.csv.gz", gzip.compress(b'id,caption\n1,"A ""big"" dog,\nand a cat."\n2,Birds\n')),
        ("a.tsv", 'id\tcaption\n1\t"A ""big"" dog,\nand a cat."\n2\tBirds\n'),
        ("semicolon.csv", 'id;caption\n1;"A ""big"" dog,\nand a cat."\n2;Birds\n'),
        ("bom.csv", b'\xef\xbb\xbfid,caption\n1,"A ""big"" dog,\nand a cat."\n2,Birds\n'),
        ("blank_lines.csv", 'id,caption\n1,"A ""big"" dog,\nand a cat."\n2,Birds\n\n\n'),
    ],
)
def test_csv_forms_give_the_same_records(tmp_path, name, content):
    source = open_source(write(tmp_path / name, content))
    assert source.names == ("id", "caption")
    assert list(source.rows()) == [
        (2, {"id": "1", "caption": 'A "big" dog,\nand a cat.'}),
        (4, {"id": "2", "caption": "Birds"}),
    ]


def test_parquet_skips_columns_of_bytes_but_names_them(tmp_path):
    path = tmp_path / "a.anything"
    images = pa.array([{"bytes": b"x", "path": "p"}, {"bytes": b"y", "path": "q"}])
    pq.write_table(pa.table({"caption": ["a", None], "image": images, "n": [1.5, float("nan")]}), path)
    source = open_source(path)
    assert (source.format, source.names, source.unread, source.n_rows) == (
        "parquet",
        ("caption", "n"),
        ("image",),
        2,
    )
    first, second = source.rows()
    assert first == (1, {"caption": "a", "n": 1.5})
    assert second[1]["caption"] is None


def test_parquet_text_that_is_not_utf8_is_one_problem(tmp_path):
    path = tmp_path / "a.parquet"
    raw = pa.array([b"good", b"caf\xe9", b"also good"], pa.binary())
    text = pa.StringArray.from_buffers(3, raw.buffers()[1], raw.buffers()[2])
    pq.write_table(pa.table({"caption": text}), path)
    found = rows_of(path)
    assert bad(found) == [(2, "wrong encoding")]
    assert [r[1]["caption"] for r in good(found)] == ["good", "also good"]


HOSTILE = {
    "empty.jsonl": (b"", "empty"),
    "empty_inside.jsonl.gz": (gzip.compress(b""), "empty inside"),
    "blank.jsonl": (b"\n \n\n", "blank lines"),
    "header_only.csv": (b"id,caption\n", "header but no rows"),
    "no_rows.json": (b"[]", "holds no rows"),
    "random.jsonl": (bytes(range(256)) * 40, "binary"),
    "random.csv": (random.Random(0).randbytes(5000), "not a captions file"),
    "zip.csv": (b"PK\x03\x04" + bytes(100), "ZIP archive or an Excel workbook"),
    "image.jsonl": (b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG image"),
    "utf16.csv": ("caption\nA dog\n".encode("utf-16"), "UTF-16"),
    "notes.txt": (b"just some words\nand more\n", "cannot be told"),
    "cut.jsonl.gz": (
        gzip.compress(random.Random(1).randbytes(100).hex().encode() * 50)[:-30],
        "damaged or cut off",
    ),
    "cut.json": (json.dumps(ROWS)[:-15].encode(), "cut off after record 2"),
    "glued.json": (b'[{"caption": "a"} {"caption": "b"}]', "after record 1"),
    "two_lists.json": (b'{"left": [{"id": 1}],\n"right": [{"caption": "a"}]}', "several lists"),
    "cut.parquet": (b"PAR1" + bytes(50), "Parquet file is damaged"),
    "twice.csv": (b"caption,caption\na,b\n", "same name"),
    "latin_header.csv": ("légende,caption\na,b\n".encode("latin-1"), "header line is not UTF-8"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_captions_file_is_refused_in_one_sentence(tmp_path, name):
    content, expected = HOSTILE[name]
    path = write(tmp_path / name, content)
    with pytest.raises(DataError) as caught:
        list(open_source(path).rows())
    message = caught.value.sentence()
    assert expected in message
    assert name in message
    assert "\n" not in message
    assert "Traceback" not in message


def test_folder_pipe_and_missing_file_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path, expected in [
        (tmp_path, "folder"),
        (tmp_path / "pipe.jsonl", "pipe or device"),
        (tmp_path / "none.jsonl", "no such file"),
        (tmp_path / ("x" * 5000), "cannot be opened"),
        (tmp_path / "nul\0.csv", "cannot be opened"),
    ]:
        with pytest.raises(DataError, match=expected):
            open_source(path)


def test_bad_lines_are_listed_with_their_line_and_the_rest_is_read(tmp_path):
    lines = [
        b'{"caption": "one"}',
        b'{"caption": "cut',
        b"",
        b"[1, 2]",
        b'"text"',
        b"[" * 100_000,
        '{"caption": "café"}'.encode("latin-1"),
        b'{"caption": "two"}',
        b'{"n": ' + b"9" * 5000 + b"}",
    ]
    found = rows_of(write(tmp_path / "a.jsonl", b"\n".join(lines)))
    assert bad(found) == [
        (2, "not a record"),
        (4, "not a record"),
        (5, "not a record"),
        (6, "not a record"),
        (7, "wrong encoding"),
        (9, "not a record"),
    ]
    assert [r[1]["caption"] for r in good(found)] == ["one", "two"]


def test_a_line_above_the_limit_is_a_problem_and_the_next_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("core.dataset.raw_bytes.MAX_ROW_BYTES", 100)
    long = json.dumps({"caption": "x" * 350})
    content = f'{long}\n{{"caption": "y"}}\n{"z" * 100}'
    found = rows_of(write(tmp_path / "a.jsonl", content))
    assert bad(found) == [(1, "row too long"), (3, "not a record")]
    assert good(found) == [(2, {"caption": "y"})]


@pytest.mark.parametrize(
    ("encoding", "text", "named"),
    [("latin-1", "Ein schöner Hund", "ISO-8859-1"), ("cp1252", "A dog’s day", "WINDOWS-1252")],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.json"])
def test_wrong_encoding_names_the_likely_one_and_the_repair(tmp_path, encoding, text, named, name):
    body = {
        "a.jsonl": f'{{"caption": "{text}"}}\n{{"caption": "plain"}}',
        "a.csv": f"caption\n{text}\nplain\n",
        "a.json": f'[{{"caption": "{text}"}}, {{"caption": "plain"}}]',
    }[name]
    found = rows_of(write(tmp_path / name, body.encode(encoding)))
    (problem,) = [r for r in found if isinstance(r, RowProblem)]
    assert problem.kind == "wrong encoding"
    assert f"iconv -f {named} -t UTF-8" in problem.reason
    assert "\\x" in problem.value
    assert [r[1]["caption"] for r in good(found)] == ["plain"]


def test_mixed_utf8_and_latin1_is_not_called_latin1(tmp_path):
    content = "caption\nschön\n".encode() + "schön\n".encode("latin-1") * 5
    found = rows_of(write(tmp_path / "a.csv", content))
    problems = [r for r in found if isinstance(r, RowProblem)]
    assert [p.row for p in problems] == [3, 4, 5, 6, 7]
    assert not any("ISO-8859-1" in p.reason for p in problems)
    assert good(found) == [(2, {"caption": "schön"})]


def test_csv_rows_that_could_be_misread_are_problems(tmp_path):
    content = 'id,caption\n1,a,b\n2,"say "hi" now"\n3,fine\n4\n5,tail,,\n6,"never closed\n7,swallowed\n'
    found = rows_of(write(tmp_path / "a.csv", content))
    assert bad(found) == [(2, "wrong number of fields"), (3, "not a record"), (7, "not a record")]
    assert "lines 7 to 8" in found[-1].reason
    assert [r[1] for r in good(found)] == [
        {"id": "3", "caption": "fine"},
        {"id": "4", "caption": None},
        {"id": "5", "caption": "tail"},
    ]


def test_a_long_field_and_a_nul_are_data(tmp_path):
    caption = "A dog. " * 50_000 + "\0\x07"
    found = rows_of(write(tmp_path / "a.csv", f'caption\n"{caption}"\n'))
    assert found == [(2, {"caption": caption})]


def test_columns_after_the_head_are_found_when_asked_for(tmp_path):
    lines = ['{"caption": "a"}'] * 1500 + ['{"caption": "a", "late": 1}']
    source = open_source(write(tmp_path / "a.jsonl", "\n".join(lines)))
    assert source.names == ("caption",)
    assert not source.whole
    assert source.has_column("late")
    assert not source.has_column("never")


def test_a_json_list_larger_than_the_buffer_is_streamed(tmp_path, monkeypatch):
    monkeypatch.setattr("core.dataset.read_json.CHUNK_CHARACTERS", 7)
    records = [{"caption": "x" * n, "deep": [[n]]} for n in range(60)]
    found = rows_of(write(tmp_path / "a.json", json.dumps(records, indent=1)))
    assert [record for _, record in found] == records


def test_json_numbers_are_not_cut_at_the_end_of_the_buffer(tmp_path, monkeypatch):
    monkeypatch.setattr("core.dataset.read_json.CHUNK_CHARACTERS", 7)
    found = rows_of(write(tmp_path / "a.json", json.dumps([12345678901, {"caption": "a"}, 22222222222])))
    assert bad(found) == [(1, "not a record"), (3, "not a record")]
    assert found[0].value == "12345678901"
