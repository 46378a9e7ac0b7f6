"""Hostile files: one clear sentence or a finished audit, the right exit code, no row lost, no traceback."""

import gzip
import json
import os
import struct
import zlib

import pyarrow.compute as pc
import pytest
from PIL import Image

from core.cli import main
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from core.runs.workspace import Workspace

ROW = {"caption": "A dog and a handbag on a bench.", "objects": ["dog", "bench"]}


def run(tmp_path, capsys, captions, *more):
    root = tmp_path / "w"
    code = main(["audit", str(captions), "--workspace", str(root), "--json", *more])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, captured.out, captured.err


def lines(path, *rows):
    path.write_text("\n".join(json.dumps(r) for r in rows) + "\n")
    return path


def png_of(width, height):
    """A PNG that claims a size and holds next to nothing."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"x"))
        + chunk(b"IEND", b"")
    )


FILES = {
    "empty.jsonl": b"",
    "spaces.jsonl": b"  \n\n ",
    "header-only.csv": b"caption,objects\n",
    "binary.jsonl": bytes(range(256)) * 20,
    "cut.jsonl.gz": gzip.compress(b'{"caption": "A dog."}\n' * 2000)[:60],
    "not.parquet": b"PAR1 and then nothing PAR1",
    "no-caption.jsonl": b'{"colour": "red"}\n',
    "list-of-numbers.json": b"[1, 2, 3]",
    "all-empty.jsonl": b'{"caption": ""}\n{"caption": null}\n{"caption": NaN}\n',
}


@pytest.mark.parametrize("name", FILES)
def test_useless_files_give_one_sentence_and_code_2(tmp_path, capsys, name):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    code, out, err = run(tmp_path, capsys, path)
    assert code == 2
    assert out == ""
    assert len([line for line in err.splitlines() if line.startswith("error: ")]) == 1


def test_missing_files_and_folders_give_one_sentence(tmp_path, capsys):
    for path in (tmp_path, tmp_path / "nothing.jsonl"):
        code, _, err = run(tmp_path, capsys, path)
        assert code == 2
        assert str(path) in err or path.name in err
    good = lines(tmp_path / "c.jsonl", ROW)
    for more in (
        ["--images", str(tmp_path / "no")],
        ["--objects", "colour"],
        ["--preset", "gpt"],
        ["--top-k", "0"],
    ):
        code, _, err = run(tmp_path, capsys, good, *more)
        assert code == 2
        assert "error: " in err


def test_nothing_to_compare_with_is_said(tmp_path, capsys):
    code, _, err = run(tmp_path, capsys, lines(tmp_path / "c.jsonl", {"caption": "A dog."}))
    assert code == 2
    assert "nothing to compare" in err


@pytest.mark.parametrize(
    "rows",
    [
        [ROW],
        [ROW] * 40,
        [{**ROW, "caption": "😀 ..."}] * 3,
        [{**ROW, "caption": f"<script>alert({i})</script> A dog."} for i in range(6)],
        [{**ROW, "objects": []}] * 6,
        [{**ROW, "caption": f"A dog number {i}.\u202e\u0000"} for i in range(6)],
    ],
    ids=["one row", "all equal", "no words", "script", "no objects", "control characters"],
)
def test_small_and_strange_data_finish(tmp_path, capsys, rows):
    code, out, _ = run(tmp_path, capsys, lines(tmp_path / "c.jsonl", *rows))
    assert code == 0
    assert json.loads(out)["n_samples"] == len(rows)


def test_bom_and_latin_1(tmp_path, capsys):
    bom = tmp_path / "bom.csv"
    bom.write_bytes("\ufeffcaption,objects\nA dog.,dog\nA café.,cup\n".encode())
    code, out, _ = run(tmp_path, capsys, bom)
    assert (code, json.loads(out)["n_samples"]) == (0, 2)
    latin = tmp_path / "latin.csv"
    latin.write_bytes("caption,objects\nA dog.,dog\nA café.,cup\n".encode("latin-1"))
    code, out, err = run(tmp_path, capsys, latin)
    assert code == 0
    assert json.loads(out)["n_samples"] == 1
    assert "1 of 2 rows" in err


def test_bad_images_are_listed_and_no_row_is_lost(tmp_path, capsys):
    images = tmp_path / "images"
    images.mkdir()
    Image.new("RGB", (1, 1), "red").save(images / "one.jpg")
    Image.effect_noise((300, 300), 60).convert("RGB").save(images / "good.jpg")
    (images / "cut.jpg").write_bytes((images / "good.jpg").read_bytes()[:4000])
    (images / "huge.png").write_bytes(png_of(50_000, 50_000))
    (images / "text.jpg").write_text("not an image")
    Image.new("RGB", (9, 9)).save(tmp_path / "outside.jpg")
    (images / "link.jpg").symlink_to(tmp_path / "outside.jpg")
    os.mkfifo(images / "pipe.jpg")
    names = [
        "good.jpg",
        "one.jpg",
        "cut.jpg",
        "huge.png",
        "text.jpg",
        "../outside.jpg",
        "link.jpg",
        "pipe.jpg",
    ]
    names += ["missing.jpg", "http://example.invalid/x.jpg", str(tmp_path / "outside.jpg"), None]
    rows = [{**ROW, "image": n} for n in names]
    captions = lines(tmp_path / "c.jsonl", *rows)
    for mode, kept in (("skip", 2), ("keep", len(rows))):
        code, out, err = run(tmp_path, capsys, captions, "--images", str(images), "--on-bad-row", mode)
        assert code == 0, err
        result = json.loads(out)
        assert result["n_samples"] == kept
        workspace = Workspace(tmp_path / "w")
        manifest = read_manifest(workspace, result["run_id"])
        problems = StageStore(workspace, "problems", manifest["stages"]["problems"]).read_table()
        assert problems.num_rows == len(rows) - 2
        assert pc.all(pc.equal(problems["kept"], mode == "keep")).as_py()
        assert all(problems["reason"].to_pylist())


def test_a_workspace_that_is_a_file_is_said(tmp_path, capsys):
    (tmp_path / "w").write_text("x")
    code, _, err = run(tmp_path, capsys, lines(tmp_path / "c.jsonl", ROW))
    assert code == 2
    assert "not a folder" in err
