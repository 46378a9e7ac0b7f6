from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

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
