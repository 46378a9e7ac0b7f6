"""Folders, WebDataset archives and zstd: read, corrected, and read back by the real libraries."""

from __future__ import annotations

import io
import json
import tarfile

import pyarrow as pa
import pytest
from PIL import Image

from core.dataset.read_dataset import identify, iter_samples
from core.dataset.source import open_source
from core.domain.run import AuditConfig
from core.domain.sample import RowProblem, Sample
from core.errors import ConfigError, DataError
from core.export.changes import Plan, Revision, RowEdit
from core.export.corrected import export_corrected

CAPTION = "A dog on a sofa. It sleeps — well."
SAID = "It sleeps — well."
WANTED = "A dog on a sofa. It barks."


def edit(row, caption=CAPTION):
    start = caption.index(SAID)
    return RowEdit(row, f"row-{row}", caption, (Revision(start, start + len(SAID), "It barks."),))


def samples(path):
    found = list(iter_samples(AuditConfig(captions=str(path)), None))
    return [s for s in found if isinstance(s, Sample)], [p for p in found if isinstance(p, RowProblem)]


def jpeg(value):
    out = io.BytesIO()
    Image.new("RGB", (8, 8), (value, 0, 0)).save(out, "JPEG")
    return out.getvalue()


@pytest.fixture
def folder(tmp_path):
    """Three pairs in two folders, an image without a text, a text without an image."""
    root = tmp_path / "pairs"
    for i, name in enumerate(("a/1", "a/2", "b/3", "b/alone")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.jpg").write_bytes(jpeg(i))
        if name != "b/alone":
            (root / f"{name}.txt").write_bytes(f"{CAPTION}\r\n".encode())
    (root / "c.txt").write_text("Text only.")
    return root


def test_a_folder_of_images_with_texts(folder, tmp_path):
    found, problems = samples(folder)
    assert [s.caption for s in found] == [f"{CAPTION}\r\n"] * 3 + ["Text only."]
    assert [(p.row, p.kind, p.value) for p in problems] == [(4, "no caption", "b/alone.jpg")]
    assert [r[1]["image"] for r in open_source(folder).head if not isinstance(r, RowProblem)] == [
        "a/1.jpg",
        "a/2.jpg",
        "b/3.jpg",
        None,
    ]
    before = identify(AuditConfig(captions=str(folder)))
    done = export_corrected(folder, tmp_path / "out", "caption", Plan({2: edit(2)}, {3: "bad"}))
    assert (done.n_rows, done.n_changed, done.n_left_out) == (5, 1, 1)
    assert (tmp_path / "out" / "a" / "1.txt").read_bytes() == (folder / "a" / "1.txt").read_bytes()
    assert (tmp_path / "out" / "a" / "2.txt").read_bytes().decode() == f"{WANTED}\r\n"
    assert not (tmp_path / "out" / "b" / "3.txt").exists()
    assert identify(AuditConfig(captions=str(folder))) == before
    (folder / "a" / "1.txt").write_text("changed")
    assert identify(AuditConfig(captions=str(folder))) != before
    with pytest.raises(ConfigError, match="folder that is there"):
        export_corrected(folder, tmp_path / "out", "caption", Plan())


def test_a_folder_without_captions_is_refused(tmp_path):
    (tmp_path / "1.jpg").write_bytes(jpeg(1))
    with pytest.raises(DataError, match="holds no images with"):
        open_source(tmp_path)


def test_an_imagefolder_by_datasets(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    root = tmp_path / "train"
    root.mkdir()
    lines = []
    for i in range(3):
        (root / f"{i}.jpg").write_bytes(jpeg(i))
        lines.append(json.dumps({"file_name": f"{i}.jpg", "text": CAPTION}) + "\n")
    (root / "metadata.jsonl").write_text("".join(lines))
    source = open_source(root)
    assert (source.format, source.path.name) == ("jsonl", "metadata.jsonl")
    target = tmp_path / "metadata.jsonl"
    done = export_corrected(root, target, "text", Plan({2: edit(2)}))
    assert done.n_changed == 1
    target.replace(root / "metadata.jsonl")
    loaded = datasets.load_dataset(
        "imagefolder", data_dir=str(root), split="train", cache_dir=str(tmp_path / "c")
    )
    assert loaded["text"][:] == [CAPTION, WANTED, CAPTION]
    assert loaded[1]["image"].size == (8, 8)


def add(archive, name, data):
    member = tarfile.TarInfo(name)
    member.size, member.mtime = len(data), 1_700_000_000
    archive.addfile(member, io.BytesIO(data))


@pytest.fixture
def shard(tmp_path):
    path = tmp_path / "shard-000.tar"
    with tarfile.open(path, "w") as archive:
        for i in range(3):
            add(archive, f"x/{i:03}.jpg", jpeg(i))
            add(archive, f"x/{i:03}.txt", CAPTION.encode())
            add(archive, f"x/{i:03}.json", json.dumps({"captioner": f"m{i}"}).encode())
        add(archive, "x/003.seg.png", b"no image looked at")
        add(archive, "x/003.json", json.dumps({"caption": CAPTION, "z": [1]}, ensure_ascii=True).encode())
        add(archive, "x/004.json", b"{broken")
    return path


def test_a_webdataset_shard_by_webdataset(shard, tmp_path):
    found, problems = samples(shard)
    assert [s.caption for s in found] == [CAPTION] * 4
    assert [s.captioner for s in found] == ["m0", "m1", "m2", None]
    assert [(p.row, p.kind) for p in problems] == [(5, "not a record")]
    target = tmp_path / "out.tar"
    done = export_corrected(shard, target, "caption", Plan({2: edit(2), 4: edit(4)}, {1: "bad"}))
    assert (done.n_rows, done.n_changed, done.n_left_out, done.failed) == (5, 2, 1, [])
    wds = pytest.importorskip("webdataset")
    read = list(wds.WebDataset(str(target), shardshuffle=False, empty_check=False))
    assert [r["__key__"] for r in read] == ["x/001", "x/002", "x/003", "x/004"]
    assert [r.get("txt", b"").decode() for r in read] == [WANTED, CAPTION, "", ""]
    assert [r.get("jpg") for r in read[:2]] == [jpeg(1), jpeg(2)]
    assert read[2]["json"] == json.dumps({"caption": WANTED, "z": [1]}).encode()
    with tarfile.open(target) as archive:
        assert {m.mtime for m in archive} == {1_700_000_000}


def test_a_damaged_shard_is_one_sentence(shard, tmp_path):
    path = tmp_path / "cut.tar"
    path.write_bytes(shard.read_bytes()[:1800])
    with pytest.raises(DataError, match="archive is damaged"):
        samples(path)


def test_zstd_lines_in_and_out(tmp_path):
    path, target = tmp_path / "in.jsonl.zst", tmp_path / "out.jsonl.zst"
    lines = [json.dumps({"caption": CAPTION if i == 1 else f"c{i}"}).encode() + b"\n" for i in range(3000)]
    path.write_bytes(pa.Codec("zstd").compress(b"".join(lines), asbytes=True))
    found, problems = samples(path)
    assert (len(found), problems) == (3000, [])
    export_corrected(path, target, "caption", Plan({2: edit(2)}))
    assert target.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    assert samples(target)[0][1].caption == WANTED
    cut = tmp_path / "cut.jsonl.zst"
    cut.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError):
        samples(cut)


def test_coco_captions_with_objects_from_the_instances(tmp_path):
    images = [{"id": 9, "file_name": "9.jpg"}, {"id": 10, "file_name": "10.jpg"}]
    captions = [{"id": 1, "image_id": 9, "caption": "A dog."}, {"id": 2, "image_id": 10, "caption": "A cat."}]
    path = tmp_path / "captions_val.json"
    path.write_text(json.dumps({"images": images, "annotations": captions}))
    assert [s.objects for s in samples(path)[0]] == [None, None]
    instances = {
        "images": images,
        "categories": [{"id": 3, "name": "dog"}],
        "annotations": [{"image_id": 9, "category_id": 3}, {"image_id": 9, "category_id": 3}],
    }
    (tmp_path / "instances_val.json").write_text(json.dumps(instances))
    found, _ = samples(path)
    assert [(s.sample_id, s.caption, s.objects) for s in found] == [
        ("1", "A dog.", ("dog",)),
        ("2", "A cat.", ()),
    ]
    (tmp_path / "instances_val.json").write_text("{}")
    with pytest.raises(DataError, match="instances beside the captions"):
        samples(path)
