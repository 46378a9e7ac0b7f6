"""Image addresses lead to images of the run's samples and to nothing else."""

from __future__ import annotations

import hashlib

import pytest
from PIL import Image

from core.errors import AuditError
from core.views.open_run import open_run
from core.views.thumbnails import thumbnail
from tests.pages import audit_fixture as fixture


@pytest.fixture
def sha(root, finished):
    return hashlib.sha256((root.parent / "images" / "scene" / "000.jpg").read_bytes()).hexdigest()


def test_a_sample_image_becomes_a_small_jpeg(workspace, finished, sha):
    path = thumbnail(workspace, finished, sha)
    with Image.open(path) as image:
        assert image.format == "JPEG"
        assert image.size == (256, 192)
    assert thumbnail(workspace, finished, sha) == path
    with Image.open(thumbnail(workspace, finished, sha, 1024)) as image:
        assert image.size == (480, 360)


@pytest.mark.parametrize("sha256", ["0" * 64, "../../etc/passwd", "", "A" * 64, "0" * 63])
def test_other_addresses_are_refused(workspace, finished, sha256):
    with pytest.raises(AuditError):
        thumbnail(workspace, finished, sha256)


@pytest.mark.parametrize("width", [0, 255, 100_000])
def test_other_widths_are_refused(workspace, finished, sha, width):
    with pytest.raises(AuditError):
        thumbnail(workspace, finished, sha, width)


def test_an_image_of_the_folder_that_is_no_sample_is_refused(root, workspace, finished):
    _, sha = fixture.draw_image(root.parent / "images", "secret.jpg", (1, 2, 3))
    with pytest.raises(AuditError, match="no such image"):
        thumbnail(workspace, finished, sha)


def test_another_runs_image_is_refused(root, workspace, finished, sha):
    fixture.write_finished(root, "text-1", images=False)
    with pytest.raises(AuditError, match="no images"):
        thumbnail(workspace, "text-1", sha)
    with pytest.raises(AuditError, match="no such run"):
        thumbnail(workspace, "..", sha)


def test_an_image_changed_since_the_audit_is_refused(root, workspace, finished, sha):
    fixture.draw_image(root.parent / "images", "scene/000.jpg", (200, 10, 10))
    with pytest.raises(AuditError, match="changed since the audit"):
        thumbnail(workspace, finished, sha)


def test_a_link_that_climbs_out_is_refused(root, workspace, finished, sha, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "000.jpg"
    inside = root.parent / "images" / "scene" / "000.jpg"
    inside.rename(outside)
    inside.symlink_to(outside)
    with pytest.raises(AuditError):
        thumbnail(workspace, finished, sha)


def test_a_missing_image_is_one_sentence(root, workspace, finished, sha):
    (root.parent / "images" / "scene" / "000.jpg").unlink()
    with pytest.raises(AuditError, match=r"000\.jpg|missing|no such"):
        thumbnail(workspace, finished, sha)


def test_the_run_still_opens_when_its_image_folder_is_gone(root, workspace, finished):
    (root.parent / "images").rename(root.parent / "moved")
    assert open_run(workspace, finished).image_root is not None
