"""Rows to samples and problems, end to end on small hostile files."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from core.dataset.image_index import ImageIndex
from core.dataset.read_dataset import (
    identify,
    iter_rows,
    iter_samples,
    no_samples,
    open_dataset,
    preview,
)
from core.domain.run import AuditConfig
from core.domain.sample import RowProblem, Sample
from core.errors import DataError


def jsonl(path, records):
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records))
    return path


def read(path, **chosen):
    config = AuditConfig(captions=str(path), **chosen)
    index = ImageIndex(Path(config.images)) if config.images else None
    return list(iter_rows(config, index))


def kinds(rows):
    return Counter(p.kind for row in rows for p in row.problems)


def ids(rows):
    return [row.sample.sample_id for row in rows if row.sample]


@pytest.fixture
def images(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    Image.fromarray(np.zeros((6, 8, 3), np.uint8)).save(folder / "good.png")
    Image.new("RGB", (1, 1)).save(folder / "one.jpg")
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff no")
    (tmp_path / "secret.png").write_bytes((folder / "good.png").read_bytes())
    return folder


def test_every_role_of_a_row(tmp_path, images):
    record = {
        "id": 7,
        "caption": "A dog.",
        "image": "good.png",
        "references": ["A hound."],
        "objects": [{"category": "dog"}],
        "instruction": "Describe.",
        "captioner": "m",
        "ratings": [1, 2],
    }
    (row,) = read(jsonl(tmp_path / "a.jsonl", [record]), images=str(images))
    assert row.problems == ()
    sample = row.sample
    assert (sample.sample_id, sample.caption, sample.references, sample.objects) == (
        "7",
        "A dog.",
        ("A hound.",),
        ("dog",),
    )
    assert (sample.instruction, sample.captioner, sample.meta) == ("Describe.", "m", {"ratings": [1, 2]})
    assert (sample.image.path, sample.image.width, sample.image.height) == ("good.png", 8, 6)


BAD_IMAGES = {
    "broken.jpg": "broken image",
    "none.jpg": "missing image",
    "../secret.png": "image outside the image folder",
    "http://x.org/a.png": "image is a URL",
    None: "no image",
    5: "no image",
}


def test_rows_with_bad_images_are_skipped_or_kept_as_the_flag_says(tmp_path, images):
    records = [{"caption": f"c{i}", "image": path} for i, path in enumerate(BAD_IMAGES)]
    records += [{"caption": "fine", "image": "one.jpg"}]
    path = jsonl(tmp_path / "a.jsonl", records)
    skipped = read(path, images=str(images), image_column="image")
    assert ids(skipped) == ["row-7"]
    assert [row.problems[0].kind for row in skipped[:-1]] == list(BAD_IMAGES.values())
    assert not any(p.kept for row in skipped for p in row.problems)
    kept = read(path, images=str(images), image_column="image", on_bad_row="keep")
    assert len(ids(kept)) == 7
    assert [row.sample.image is None for row in kept] == [True] * 6 + [False]
    assert all(p.kept for row in kept for p in row.problems)
    assert kinds(kept) == kinds(skipped)


def test_captions_that_are_missing_or_no_text_are_listed_with_row_and_reason(tmp_path):
    values = [None, "", "  ", float("nan"), "NaN", 5, True, {"a": 1}, [], [1], "A dog."]
    records = [*({"caption": v} for v in values), {"other": 1}]
    rows = read(jsonl(tmp_path / "a.jsonl", records))
    assert ids(rows) == ["row-11"]
    assert kinds(rows) == {"no caption": 8, "caption not text": 3}
    assert [row.row for row in rows] == list(range(1, 13))
    assert all(p.file == "a.jsonl" and p.reason for row in rows for p in row.problems)


def test_nan_in_parquet_and_csv(tmp_path):
    table = pa.table({"caption": ["A dog.", None], "score": [float("nan"), 1.0]})
    pq.write_table(table, tmp_path / "a.parquet")
    rows = read(tmp_path / "a.parquet")
    assert ids(rows) == ["row-1"]
    (tmp_path / "a.csv").write_text("caption\nA dog.\nnan\nNaN\n")
    rows = read(tmp_path / "a.csv")
    assert ids(rows) == ["row-2"]
    assert kinds(rows) == {"no caption": 2}


def test_duplicate_ids(tmp_path):
    filler = [{"id": f"f{i}", "caption": "x"} for i in range(1000)]
    records = [*filler, {"id": "f3", "caption": "again"}, {"id": None, "caption": "no id"}]
    path = jsonl(tmp_path / "a.jsonl", records)
    rows = read(path)
    assert (rows[1000].sample, rows[1000].problems[0].kind) == (None, "duplicate id")
    assert "row 4" in rows[1000].problems[0].reason
    assert ids(rows)[-1] == "row-1002"
    assert (rows[1001].problems[0].kind, rows[1001].problems[0].kept) == ("no id", True)
    kept = read(path, on_bad_row="keep")
    assert kept[1000].sample.sample_id == "f3#row-1001"
    assert len(set(ids(kept))) == 1002


def test_an_id_of_a_row_that_is_left_out_stays_free(tmp_path):
    records = [{"id": "x", "caption": ""}, {"id": "x", "caption": "A dog."}, {"id": "y", "caption": "B"}]
    rows = read(jsonl(tmp_path / "a.jsonl", records), id_column="id")
    assert ids(rows) == ["x", "y"]


def test_markup_and_control_characters_are_data_and_half_characters_are_repaired(tmp_path):
    lines = [
        json.dumps({"caption": "<script>alert(1)</script>\x00\x1b[31m"}),
        '{"caption": "half \\ud83d here", "note": "\\udfff"}',
        '{"caption": "whole \\ud83d\\ude00"}',
    ]
    rows = read(jsonl(tmp_path / "a.jsonl", lines))
    assert [row.sample.caption for row in rows] == [
        "<script>alert(1)</script>\x00\x1b[31m",
        "half \ufffd here",
        "whole 😀",
    ]
    assert rows[1].sample.meta == {"note": "\ufffd"}
    assert [(p.kind, p.kept) for row in rows for p in row.problems] == [("broken characters", True)]
    rows[1].problems[0].value.encode()


def test_conversations_without_image(tmp_path, images):
    turns = [{"from": "human", "value": "<image>\nWhat?"}, {"from": "gpt", "value": "A dog."}]
    records = [
        {"id": "1", "image": "good.png", "conversations": turns},
        {"id": "2", "conversations": turns},
        {"id": "3", "image": "good.png", "conversations": turns[:1]},
    ]
    path = tmp_path / "llava.json"
    path.write_text(json.dumps(records))
    rows = read(path, images=str(images), on_bad_row="keep")
    assert [(row.sample.caption, row.sample.instruction) for row in rows[:2]] == [("A dog.", "What?")] * 2
    assert [p.kind for row in rows for p in row.problems] == ["no image", "no caption"]


def test_references_and_objects_that_cannot_be_read_keep_the_row(tmp_path):
    (tmp_path / "a.csv").write_text(
        'caption,references,objects\nA dog.,"[""A hound."", ""x""]",dog;cat\nB,one,\'[dog\' \'cat]\n'
        "C,,\"['dog' 'cat']\"\n"
    )
    rows = read(tmp_path / "a.csv")
    assert [row.sample.references for row in rows] == [("A hound.", "x"), ("one",), ()]
    assert rows[0].sample.objects == ("dog", "cat")
    assert (rows[2].sample.objects, rows[2].problems[0].kind) == (None, "objects not readable")
    assert rows[2].problems[0].kept


def test_one_row_and_all_captions_equal(tmp_path):
    assert len(read(jsonl(tmp_path / "one.jsonl", [{"caption": "A dog."}]))) == 1
    rows = read(jsonl(tmp_path / "equal.jsonl", [{"caption": "A dog."}] * 300))
    assert len(set(ids(rows))) == 300


def test_without_an_image_folder_paths_stay_in_meta(tmp_path):
    (row,) = read(jsonl(tmp_path / "a.jsonl", [{"caption": "A dog.", "image": "x.jpg"}]))
    assert row.sample.image is None
    assert row.sample.meta == {"image": "x.jpg"}


def test_only_bad_rows_say_why(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"caption": "schön"}\n'.encode("latin-1") * 3)
    with pytest.raises(DataError, match=r"no row can be audited; row 1: wrong encoding.*iconv"):
        open_dataset(AuditConfig(captions=str(path)))
    problems = [RowProblem("a", 2, "no caption", "it is empty", "", False)]
    assert "row 2: no caption" in no_samples(AuditConfig(captions="a"), problems).sentence()


def test_flat_form_gives_problems_and_samples(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", [{"caption": "a"}, {"caption": ""}, "{"])
    found = list(iter_samples(AuditConfig(captions=str(path)), None))
    assert [type(x) for x in found] == [Sample, RowProblem, RowProblem]


def test_preview_shows_rows_also_when_columns_cannot_be_chosen(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", [{"t": "A dog.", "n": i, "l": ["é"]} for i in range(20)])
    seen = preview(AuditConfig(captions=str(path)), n=3)
    assert (seen.columns, seen.names, seen.n_rows, seen.exact) == (None, ("t", "n", "l"), 20, True)
    assert seen.rows[2] == {"t": "A dog.", "n": "2", "l": '["é"]'}
    assert "--caption-column" in seen.error
    chosen = preview(AuditConfig(captions=str(path), caption_column="t", references_column="l"))
    assert (chosen.error, chosen.setting, chosen.problems) == ("", "reference-based", ())
    assert "captions from 't'" in chosen.description
    gone = preview(AuditConfig(captions=str(path), caption_column="t", images=str(tmp_path / "none")))
    assert "no such image folder" in gone.error


def test_preview_estimates_large_files_and_lists_problems_of_the_head(tmp_path):
    lines = [json.dumps({"caption": "word " * (i % 30 + 1)}) for i in range(30_000)]
    lines[2] = "{"
    seen = preview(AuditConfig(captions=str(jsonl(tmp_path / "a.jsonl", lines))))
    assert not seen.exact
    assert abs(seen.n_rows - 30_000) < 1_500
    assert [(p.row, p.kind) for p in seen.problems] == [(3, "not a record")]


def test_identity_is_of_the_bytes(tmp_path):
    a = jsonl(tmp_path / "a.jsonl", [{"caption": "a"}])
    b = jsonl(tmp_path / "b.jsonl", [{"caption": "a"}])
    assert identify(AuditConfig(captions=str(a))) == identify(AuditConfig(captions=str(b)))
    b.write_text("x")
    assert identify(AuditConfig(captions=str(a))) != identify(AuditConfig(captions=str(b)))
    with pytest.raises(DataError, match="no such file"):
        identify(AuditConfig(captions=str(tmp_path / "none")))
