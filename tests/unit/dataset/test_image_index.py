import os

import numpy as np
import pytest
from PIL import Image

from core.dataset.image_index import ImageIndex, ImageProblem
from core.domain.sample import ImageRef
from core.errors import DataError


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for i in range(6):
        Image.fromarray(np.full((8, 10, 3), i * 40, np.uint8)).save(folder / f"{i}.png")
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 not really")
    return folder


PATHS = [*(f"{i}.png" for i in range(6)), "broken.jpg", "none.jpg", "0.png", "./0.png", "../up.png"]


def test_looks_up_each_file_once_and_remembers_it(root, tmp_path):
    with ImageIndex(root, tmp_path / "index") as index:
        first = index.look_up(PATHS)
        assert index.n_decoded == 7
        assert index.look_up(PATHS) == first
        assert index.n_decoded == 7
    with ImageIndex(root, tmp_path / "index") as again:
        assert again.look_up(PATHS) == first
        assert again.n_decoded == 0
    assert isinstance(first["0.png"], ImageRef)
    assert first["0.png"] == first["./0.png"]
    kinds = {p: v.kind for p, v in first.items() if isinstance(v, ImageProblem)}
    assert kinds == {
        "broken.jpg": "broken image",
        "none.jpg": "missing image",
        "../up.png": "image outside the image folder",
    }


def test_a_changed_file_is_read_again_even_with_its_old_size_and_time(root, tmp_path):
    for name, grey in (("a.bmp", 10), ("b.bmp", 200)):
        Image.new("L", (9, 9), grey).save(root / name)
    with ImageIndex(root, tmp_path / "index") as index:
        before = index.look_up(["a.bmp"])["a.bmp"]
        times = os.stat(root / "a.bmp")
        with (root / "a.bmp").open("r+b") as stream:
            stream.write((root / "b.bmp").read_bytes())
        os.utime(root / "a.bmp", ns=(times.st_atime_ns, times.st_mtime_ns))
        assert os.stat(root / "a.bmp").st_size == times.st_size
        after = index.look_up(["a.bmp"])["a.bmp"]
        assert after.sha256 != before.sha256
        assert after.sha256 == index.look_up(["b.bmp"])["b.bmp"].sha256


@pytest.mark.parametrize("damage", ["garbage", "truncated", "folder is a file"])
def test_a_damaged_or_unwritable_cache_changes_no_result(root, tmp_path, damage):
    with ImageIndex(root, tmp_path / "index") as index:
        expected = index.look_up(PATHS)
    (file,) = (tmp_path / "index").iterdir()
    folder = tmp_path / "index"
    if damage == "garbage":
        file.write_bytes(b"no database" * 500)
    elif damage == "truncated":
        file.write_bytes(file.read_bytes()[:5000])
    else:
        folder = file
    with ImageIndex(root, folder) as index:
        assert index.look_up(PATHS) == expected


def test_two_at_once_agree(root, tmp_path):
    with ImageIndex(root, tmp_path / "index") as one, ImageIndex(root, tmp_path / "index") as two:
        assert one.look_up(PATHS) == two.look_up(PATHS)


def test_the_folder_must_be_one(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    for path, expected in ((tmp_path / "none", "no such image folder"), (tmp_path / "file", "not a folder")):
        with pytest.raises(DataError, match=expected):
            ImageIndex(path)
