import io
import os
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from core.dataset.images import (
    ImageError,
    check_image,
    locate_image,
    open_image,
    probe_image,
    read_image_bytes,
)


def encoded(image, kind="JPEG", **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def picture(width=96, height=64, seed=0):
    rng = np.random.default_rng(seed)
    return Image.fromarray(rng.integers(0, 256, (height, width, 3), np.uint8))


def png_header(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(100)))


def kind_of_error(function, *args):
    with pytest.raises(ImageError) as caught:
        function(*args)
    assert "\n" not in caught.value.sentence()
    return caught.value.kind


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.jpg").write_bytes(encoded(picture()))
    (folder / "b.png").write_bytes(encoded(picture(), "PNG"))
    (tmp_path / "secret.jpg").write_bytes(encoded(picture()))
    (folder / "out.jpg").symlink_to(tmp_path / "secret.jpg")
    (folder / "out").symlink_to(tmp_path)
    (folder / "in.jpg").symlink_to("sub/a.jpg")
    (folder / "loop.jpg").symlink_to("loop.jpg")
    (folder / "dangling.jpg").symlink_to("sub/none.jpg")
    (tmp_path / "root-beside").mkdir()
    (tmp_path / "root-beside" / "a.jpg").write_bytes(encoded(picture()))
    os.mkfifo(folder / "pipe.jpg")
    return folder


def test_files_inside_the_folder_are_found(root):
    expected = root.resolve() / "sub" / "a.jpg"
    for path in (
        "sub/a.jpg",
        "./sub/../sub/a.jpg",
        "sub\\a.jpg",
        "in.jpg",
        "../root/sub/a.jpg",
        str(root / "sub/a.jpg"),
    ):
        assert locate_image(root, path) == expected


def test_the_folder_itself_may_be_a_link(root, tmp_path):
    (tmp_path / "link").symlink_to(root)
    assert locate_image(tmp_path / "link", "sub/a.jpg") == root.resolve() / "sub" / "a.jpg"
    assert locate_image(tmp_path / "link", str(tmp_path / "link" / "b.png")) == root.resolve() / "b.png"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("../secret.jpg", "image outside the image folder"),
        ("sub/../../secret.jpg", "image outside the image folder"),
        ("../none.jpg", "image outside the image folder"),
        ("../root-beside/a.jpg", "image outside the image folder"),
        ("/etc/passwd", "image outside the image folder"),
        ("/none/at/all.jpg", "image outside the image folder"),
        ("/dev/zero", "image outside the image folder"),
        ("out.jpg", "image outside the image folder"),
        ("out/secret.jpg", "image outside the image folder"),
        ("..\\secret.jpg", "image outside the image folder"),
        ("http://example.org/a.jpg", "image is a URL"),
        ("HTTPS://example.org/a.jpg", "image is a URL"),
        ("file:///etc/passwd", "image is a URL"),
        ("data:image/png;base64,AAAA", "image is a URL"),
        ("none.jpg", "missing image"),
        ("sub/a.jpg/b.jpg", "missing image"),
        ("nul\0.jpg", "missing image"),
        ("half\ud800.jpg", "missing image"),
        ("x" * 10_000, "missing image"),
        ("loop.jpg", "missing image"),
        ("dangling.jpg", "missing image"),
        ("sub", "not an image file"),
        (".", "not an image file"),
        ("pipe.jpg", "not an image file"),
    ],
)
def test_everything_else_is_refused_with_its_kind(root, path, kind):
    assert kind_of_error(locate_image, root, path) == kind


def test_a_missing_file_points_to_its_twin_with_another_extension(root):
    with pytest.raises(ImageError, match=r"but a\.jpg is there"):
        locate_image(root, "sub/a.png")


def test_pipe_is_not_waited_for(root):
    assert kind_of_error(read_image_bytes, root / "pipe.jpg") == "not an image file"


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"quality": 100, "subsampling": 0}])
@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.99, -1, -2])
def test_truncated_jpegs_are_broken(options, keep):
    raw = encoded(picture(300, 200), **options)
    cut = raw[:keep] if keep < 0 else raw[: int(len(raw) * keep)]
    assert kind_of_error(check_image, cut, "a.jpg") == "broken image"
    assert check_image(raw, "a.jpg").width == 300


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_other_truncated_formats_are_broken(kind):
    raw = encoded(picture(300, 200), kind)
    assert kind_of_error(check_image, raw[: len(raw) * 2 // 3], "a") == "broken image"
    assert check_image(raw, "a").height == 200


def test_identity_is_of_the_bytes_and_size_as_stored(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    raw = encoded(picture(96, 64), exif=exif)
    path = tmp_path / "a.jpg"
    path.write_bytes(raw)
    ref = check_image(raw, "x/a.jpg")
    assert (ref.path, ref.width, ref.height) == ("x/a.jpg", 96, 64)
    assert ref.sha256 == check_image(raw, "other").sha256
    assert probe_image(path) == (96, 64)
    assert open_image(path).size == (64, 96)


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_a_png_that_claims_to_be_huge_is_refused_by_its_header(tmp_path):
    for size in ((50_000, 50_000), (11_000, 11_000)):
        path = tmp_path / "huge.png"
        path.write_bytes(png_header(*size))
        for function in (open_image, probe_image):
            assert kind_of_error(function, path) == "image too large"
        assert kind_of_error(check_image, path.read_bytes(), "huge.png") == "image too large"


def test_too_many_bytes_are_refused_without_reading_them(tmp_path):
    path = tmp_path / "a.jpg"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    assert kind_of_error(read_image_bytes, path) == "image too large"


def test_one_pixel_is_an_image(tmp_path):
    for kind in ("JPEG", "PNG"):
        path = tmp_path / f"a.{kind}"
        path.write_bytes(encoded(Image.new("RGB", (1, 1), (10, 200, 30)), kind))
        assert open_image(path, min_side=224).size == (1, 1)
        assert check_image(path.read_bytes(), "a").width == 1


@pytest.mark.parametrize("raw", [b"", b"\xff\xd8\xff", b"GIF89a", b"%!PS-Adobe-3.0 EPSF-3.0\n", b"<svg/>"])
def test_not_images_are_broken(raw):
    assert kind_of_error(check_image, raw, "a.jpg") == "broken image"


def test_transparency_becomes_white(tmp_path):
    path = tmp_path / "a.png"
    rgba = Image.new("RGBA", (4, 4), (255, 0, 0, 0))
    rgba.putpixel((0, 0), (255, 0, 0, 255))
    for image in (rgba, rgba.quantize()):
        image.save(path)
        shown = open_image(path)
        assert shown.mode == "RGB"
        assert shown.getpixel((0, 0)) == (255, 0, 0)
        assert shown.getpixel((3, 3)) == (255, 255, 255)


def test_cmyk_grey_palette_and_animation(tmp_path):
    red = Image.new("RGB", (20, 20), (250, 10, 10))
    for name, image, options in (
        ("cmyk.jpg", red.convert("CMYK"), {}),
        ("p.png", red.quantize(4), {}),
        ("anim.gif", red, {"save_all": True, "append_images": [Image.new("RGB", (20, 20), "blue")]}),
    ):
        image.save(tmp_path / name, **options)
        shown = open_image(tmp_path / name)
        assert shown.mode == "RGB"
        r, g, b = shown.getpixel((10, 10))
        assert r > 200 > 60 > max(g, b)
    Image.new("1", (9, 9), 1).save(tmp_path / "one.png")
    assert open_image(tmp_path / "one.png").getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize(("top", "bit"), [(65535, 16), (4095, 12), (255, 8)])
def test_deep_grey_uses_its_range(tmp_path, top, bit):
    path = tmp_path / f"{bit}.png"
    values = np.array([[0, top // 2], [top, top]], np.uint16)
    Image.fromarray(values).save(path)
    shown = np.asarray(open_image(path))[..., 0]
    assert shown.tolist() == [[0, 127], [255, 255]]


def test_float_images_are_stretched(tmp_path):
    path = tmp_path / "f.tiff"
    Image.fromarray(np.array([[-2.0, 0.0], [2.0, np.nan]], np.float32)).save(path)
    shown = np.asarray(open_image(path))[..., 0]
    assert shown[0, 0] == 0
    assert shown[1, 0] == 255


def test_min_side_decodes_smaller_but_never_below(tmp_path):
    path = tmp_path / "a.jpg"
    path.write_bytes(encoded(picture(1600, 1200)))
    small = open_image(path, min_side=224)
    assert 224 <= min(small.size) < 448
    assert open_image(path).size == (1600, 1200)
    reference = np.asarray(open_image(path).resize(small.size, Image.Resampling.BOX), np.float32)
    assert np.abs(reference - np.asarray(small, np.float32)).mean() < 12
