import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from core.dataset import thumbnails
from core.dataset.thumbnails import thumbnail_path
from core.errors import AuditError, DataError

SHA = "ab" * 32


def save(path, size, mode="RGB", **options):
    Image.new(mode, size, (200, 30, 30, 0)[: len(mode)]).save(path, **options)
    return path


def size_of(path):
    with Image.open(path) as image:
        assert (image.format, image.mode) == ("JPEG", "RGB")
        return image.size


def test_size_rotation_and_name(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    image = save(tmp_path / "a.jpg", (1000, 500), exif=exif)
    made = thumbnail_path(tmp_path / "cache", image, SHA)
    assert size_of(made) == (256, 512)
    assert made.parent.parent == tmp_path / "cache"
    assert size_of(thumbnail_path(tmp_path / "cache", image, SHA, width=100)) == (100, 200)


@pytest.mark.parametrize(
    ("size", "expected"),
    [((1, 1), (1, 1)), ((200, 100), (200, 100)), ((10, 9000), (1, 1024)), ((512, 256), (256, 128))],
)
def test_never_larger_than_the_image_and_bounded_in_height(tmp_path, size, expected):
    image = save(tmp_path / "a.png", size)
    assert size_of(thumbnail_path(tmp_path, image, SHA)) == expected


def test_transparent_is_white(tmp_path):
    made = thumbnail_path(tmp_path, save(tmp_path / "a.png", (8, 8), "RGBA"), SHA)
    with Image.open(made) as image:
        assert min(image.getpixel((4, 4))) > 250


def test_made_once_also_by_many_at_once_and_nothing_is_left_over(tmp_path):
    image = save(tmp_path / "a.png", (900, 900))
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: thumbnail_path(tmp_path / "c", image, SHA), range(24)))
    (path,) = made
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    image.unlink()
    assert thumbnail_path(tmp_path / "c", image, SHA) == path


def test_what_cannot_be_shown_is_one_sentence(tmp_path):
    broken = tmp_path / "b.jpg"
    broken.write_bytes(b"\xff\xd8\xff no")
    with pytest.raises(AuditError, match="cannot be decoded"):
        thumbnail_path(tmp_path / "c", broken, SHA)
    with pytest.raises(AuditError, match="cannot be opened"):
        thumbnail_path(tmp_path / "c", tmp_path / "none.jpg", SHA)
    good = save(tmp_path / "a.png", (9, 9))
    with pytest.raises(DataError, match="identity"):
        thumbnail_path(tmp_path / "c", good, "../../etc/x")
    with pytest.raises(DataError, match="wide"):
        thumbnail_path(tmp_path / "c", good, SHA, width=0)
    with pytest.raises(DataError, match="cannot be written"):
        thumbnail_path(good, good, SHA)
    assert not list((tmp_path / "c").rglob("*.jpg"))


def photograph(path, size=(640, 427), **options):
    """A JPEG with smooth colours and an edge, so that a wrong size or channel order shows."""
    y, x = np.mgrid[: size[1], : size[0]]
    channels = [x * 255 / size[0], y * 255 / size[1], (x + y > 500) * 200]
    Image.fromarray(np.stack(channels, axis=2).astype(np.uint8)).save(path, "JPEG", quality=95, **options)
    return path


def test_both_decoders_show_the_same(tmp_path):
    image = photograph(tmp_path / "a.jpg")
    fast, plain = thumbnails._plain_jpeg(image, 256), thumbnails._any_image(image, 256)
    assert fast is not None
    pictures = [np.asarray(Image.open(io.BytesIO(data)), np.float32) for data in (fast, plain)]
    assert pictures[0].shape == pictures[1].shape == (171, 256, 3)
    assert np.abs(pictures[0] - pictures[1]).mean() < 3


@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_other_colours_are_left_to_pillow(tmp_path, mode):
    path = tmp_path / "a.jpg"
    Image.new(mode, (600, 400)).save(path)
    assert thumbnails._plain_jpeg(path, 256) is None
    assert size_of(thumbnail_path(tmp_path / "c", path, SHA)) == (256, 171)


def test_rotated_small_and_cut_files_are_left_to_pillow(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    assert thumbnails._plain_jpeg(photograph(tmp_path / "turned.jpg", exif=exif), 256) is None
    assert thumbnails._plain_jpeg(photograph(tmp_path / "small.jpg", (200, 100)), 256) is None
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(photograph(tmp_path / "a.jpg").read_bytes()[:-2000])
    assert thumbnails._plain_jpeg(cut, 256) is None
    with pytest.raises(DataError):
        thumbnail_path(tmp_path / "c", cut, SHA)
