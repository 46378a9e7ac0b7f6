"""Real caption files are readable with flags; counts are those of their description."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from core.dataset.image_index import ImageIndex
from core.dataset.read_dataset import iter_rows, open_dataset, preview
from core.dataset.tables import fingerprint, iter_table_samples, samples_table, setting_of
from core.domain.run import AuditConfig
from core.errors import DataError

CASES = [
    ("llava_coco500/captions.jsonl", {"images": "llava_coco500", "objects_column": "coco_objects"}, 500, {}),
    ("llava_coco500/five_decodings.jsonl.gz", {"images": "llava_coco500"}, 2500, {}),
    ("five_captioners.jsonl.gz", {"objects_column": "coco_objects"}, 4915, {}),
    ("coco_val2017.jsonl.gz", {"caption_column": "captions", "objects_column": "objects"}, 5000, {}),
    ("flickr8k_expert/ratings.jsonl", {"images": "flickr8k_expert"}, 2778, {}),
    ("chocolate/captions.jsonl", {"images": "chocolate"}, 232, {}),
    ("owleval/responses.jsonl", {"images": "owleval", "on_bad_row": "keep"}, 492, {"missing image": 328}),
    ("faithscore.jsonl", {}, 78, {}),
    ("hat.jsonl", {}, 199, {}),
    ("iu_xray_reports.csv", {"caption_column": "findings"}, 3851, {"no caption": 514}),
]
SETTINGS = {
    "llava_coco500/captions.jsonl": "objects",
    "five_captioners.jsonl.gz": "objects",
    "coco_val2017.jsonl.gz": "objects",
    "flickr8k_expert/ratings.jsonl": "reference-based",
    "hat.jsonl": "reference-based",
}


def config_of(folder, name, chosen):
    options = dict(chosen)
    if "images" in options:
        options["images"] = str(folder / options["images"])
    return AuditConfig(captions=str(folder / name), **options)


def read(config):
    index = ImageIndex(Path(config.images)) if config.images else None
    return list(iter_rows(config, index))


@pytest.mark.parametrize(("name", "chosen", "n_rows", "problems"), CASES, ids=[c[0] for c in CASES])
def test_real_file(shared_data, name, chosen, n_rows, problems):
    config = config_of(shared_data, name, chosen)
    rows = read(config)
    assert len(rows) == n_rows
    assert Counter(p.kind for row in rows for p in row.problems) == problems
    samples = [row.sample for row in rows if row.sample]
    left_out = sum(row.sample is None for row in rows)
    assert len(samples) + left_out == n_rows
    assert left_out == problems.get("no caption", 0)
    table = samples_table(samples, [row.row for row in rows if row.sample])
    assert list(iter_table_samples(table)) == samples
    assert setting_of([table]) == SETTINGS.get(name, "reference-free")
    assert fingerprint([table]) == fingerprint([table.slice(0, 7), table.slice(7)])


def test_what_is_read_is_what_stands_in_the_file(shared_data):
    config = config_of(shared_data, *CASES[0][:2])
    lines = (shared_data / "llava_coco500/captions.jsonl").read_text().splitlines()
    for row, line in zip(read(config), lines, strict=True):
        record = json.loads(line)
        assert row.sample.caption == record["caption"]
        assert row.sample.objects == tuple(dict.fromkeys(record["coco_objects"]))
        assert row.sample.image.path == record["image"]
        assert row.sample.captioner == record["captioner"]


def test_coco_objects_and_joined_captions(shared_data):
    config = config_of(shared_data, *CASES[3][:2])
    with gzip.open(shared_data / "coco_val2017.jsonl.gz", "rt") as stream:
        records = [json.loads(line) for line in stream]
    for row, record in zip(read(config), records, strict=True):
        assert set(row.sample.objects) == {o["category"] for o in record["objects"]}
        assert row.sample.caption.split() == " ".join(record["captions"]).split()
    with pytest.raises(DataError, match="texts a row"):
        open_dataset(AuditConfig(captions=config.captions))


def test_sentences_are_joined_by_a_space(shared_data):
    config = config_of(shared_data, *CASES[5][:2])
    lines = (shared_data / "chocolate/captions.jsonl").read_text().splitlines()
    same = [
        row.sample.caption == " ".join(s.strip() for s in json.loads(line)["sentences"])
        for row, line in zip(read(config), lines, strict=True)
    ]
    assert sum(same) > 0.95 * len(same)


@pytest.mark.parametrize(("name", "chosen"), [c[:2] for c in CASES], ids=[c[0] for c in CASES])
def test_preview_of_real_files(shared_data, name, chosen):
    seen = preview(config_of(shared_data, name, chosen))
    assert seen.error == ""
    assert len(seen.rows) == 5
    assert seen.columns.caption in seen.names
