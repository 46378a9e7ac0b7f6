"""open_clip with a small random network: shapes, unit rows, batches, one space, missing parts."""

import json

import numpy as np
import open_clip
import pytest
import torch
from PIL import Image

from core.errors import ModelError
from core.models.local.loading import Batches, choose_device, loading, package
from core.models.local.open_clip_pair import OpenClip

CONFIG = {
    "embed_dim": 16,
    "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 1},
}


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clip")
    (folder / "tiny-test.json").write_text(json.dumps(CONFIG))
    open_clip.add_model_config(folder / "tiny-test.json")
    torch.manual_seed(3)
    path = folder / "tiny.pt"
    torch.save(open_clip.create_model("tiny-test").state_dict(), path)
    return path


@pytest.fixture(scope="module")
def model(weights):
    return OpenClip("tiny-test", str(weights), device="cpu", batch_size=2)


@pytest.fixture
def pictures():
    noise = np.random.default_rng(0).integers(0, 255, (3, 40, 50, 3), np.uint8)
    return [Image.fromarray(n) for n in noise]


def test_texts_and_images_share_a_space_of_unit_rows(model, pictures):
    texts, images = model.embed_texts(["a dog", "two cats", "a red bus"]), model.embed_images(pictures)
    assert texts.shape == images.shape == (3, model.dimensions)
    for rows in (texts, images):
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
        assert np.linalg.matrix_rank(rows) == 3
    assert model.embed_texts([]).shape == (0, 16)


def test_rows_do_not_depend_on_the_batch(model, pictures):
    alone = np.concatenate([model.embed_images([p]) for p in pictures])
    assert np.allclose(model.embed_images(pictures), alone, atol=1e-5)


def test_a_file_and_the_same_image_in_memory_agree(model, pictures, tmp_path):
    pictures[0].save(tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as opened:
        assert np.array_equal(model.embed_images([opened]), model.embed_images(pictures[:1]))


def test_the_identity_holds_weights_and_preprocessing_and_no_path(model, weights):
    assert model.identity.revision.startswith("sha256:")
    assert "interpolation" in model.identity.revision
    assert str(weights.parent) not in model.identity.revision + model.space


def test_weights_that_are_not_there_or_broken_give_one_sentence(tmp_path, weights):
    with pytest.raises(ModelError, match=r"(?i)give the path"):
        OpenClip("tiny-test", str(tmp_path / "none.pt")).embed_texts(["a"])
    (tmp_path / "broken.pt").write_bytes(b"not weights")
    with pytest.raises(ModelError, match=r"weights cannot be loaded.*Download"):
        OpenClip("tiny-test", str(tmp_path / "broken.pt"), device="cpu").embed_texts(["a"])
    with pytest.raises(ModelError, match="no such architecture"):
        OpenClip("no-such-net", str(weights)).embed_texts(["a"])


def test_a_missing_package_and_device_name_the_remedy():
    with pytest.raises(ModelError, match=r"(?i)pip install something"):
        package("no_such_package_here", "something")
    with pytest.raises(ModelError, match=r"(?i)choose one of .*cpu"):
        choose_device("tpu")


def test_batches_halve_when_memory_runs_out_and_nothing_is_lost():
    def work(batch):
        if len(batch) > 2:
            raise RuntimeError("CUDA out of memory")
        return list(batch)

    batches = Batches("m", 8)
    assert [i for block in batches.run(list(range(9)), work) for i in block] == list(range(9))
    assert batches.size == 2

    def never(batch):
        raise MemoryError

    with pytest.raises(ModelError, match="smaller model"):
        batches.run([1], never)
    with pytest.raises(ModelError, match="smaller model"), loading("m", "x"):
        raise MemoryError
