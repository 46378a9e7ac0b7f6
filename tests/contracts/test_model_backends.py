"""One battery per seam, over every backend: what the engine relies on, whoever made the vectors."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from core.domain.provenance import ModelIdentity
from core.errors import ModelError
from core.models.embedded.conse import ConseImages
from core.models.embedded.efficientnet import EfficientNetLite0
from core.models.embedded.minilm import MiniLM
from core.models.local.kinds import FACTORIES, make_local
from core.models.local_settings import KINDS, LocalSettings
from core.models.preset import EmbedSettings
from core.models.server.embeddings import ServerEmbedder
from tests.contracts import tiny_models
from tests.protocol.faulty_server import FaultyServer

TEXTS = ["a dog runs on the grass .", "two cats", "a small red bus on the street", "a dog", "a handbag ."]
TEXT_BACKENDS = ["minilm", "server", "open-clip", "siglip", "sentence-transformers"]
IMAGE_BACKENDS = ["efficientnet-lite0", "conse", "server", "open-clip", "siglip", "dinov2"]
JOINT = ["server", "open-clip", "siglip", "conse"]
LOCAL = {
    "open-clip": tiny_models.open_clip_weights,
    "siglip": tiny_models.siglip,
    "dinov2": tiny_models.dinov2,
    "owlv2": tiny_models.owlv2,
    "sentence-transformers": tiny_models.sentences,
}


class HashingServer(FaultyServer):
    """Vectors that depend on the text or image alone."""

    def embed(self, body):
        given = body.get("input") or [json.dumps(body["messages"])]
        rows = [np.frombuffer(hashlib.sha256(g.encode()).digest(), np.uint8) - 127.5 for g in given]
        return {"data": [{"index": i, "embedding": r.tolist()} for i, r in enumerate(rows)][::-1]}


@pytest.fixture(scope="module")
def backends(tmp_path_factory):
    """name -> the model, made once; `settings` of the local ones under "settings"."""
    folder = tmp_path_factory.mktemp("weights")
    with HashingServer() as server:
        settings = {name: make(folder) for name, make in LOCAL.items()}
        made = {name: make_local(s) for name, s in settings.items()}
        text = MiniLM()
        made |= {"minilm": text, "efficientnet-lite0": EfficientNetLite0()}
        made["conse"] = ConseImages(EfficientNetLite0(), text)
        served = EmbedSettings("text", "faulty", base_urls=(server.url,), batch_size=2)
        made["server"] = ServerEmbedder(served)
        yield {**made, "settings": settings}


@pytest.fixture(scope="module")
def pictures():
    noise = np.random.default_rng(0).integers(0, 255, (5, 48, 64, 3), np.uint8)
    return [Image.fromarray(n) for n in noise]


def test_every_local_kind_has_a_factory_and_is_in_this_battery():
    assert set(FACTORIES) == set(KINDS) == set(LOCAL)
    assert {k for k, can in KINDS.items() if "text_embedder" in can} <= set(TEXT_BACKENDS)
    assert {k for k, can in KINDS.items() if "image_embedder" in can} <= set(IMAGE_BACKENDS)


def check(embed, items, model):
    rows = embed(items)
    assert rows.shape == (len(items), model.dimensions)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)
    assert len({row.tobytes() for row in rows}) == len(items)
    assert np.allclose(embed(items[::-1])[::-1], rows, atol=2e-4)
    assert np.allclose(np.concatenate([embed([item]) for item in items]), rows, atol=2e-4)
    assert embed([]).shape == (0, model.dimensions)
    assert embed([]).dtype == np.float32


@pytest.mark.parametrize("name", TEXT_BACKENDS)
def test_text_vectors(backends, name):
    model = backends[name]
    check(model.embed_texts, TEXTS, model)
    assert np.array_equal(model.embed_texts(TEXTS[:1] * 2)[0], model.embed_texts(TEXTS[:1] * 2)[1])


@pytest.mark.parametrize("name", IMAGE_BACKENDS)
def test_image_vectors(backends, name, pictures):
    model = backends[name]
    check(model.embed_images, pictures, model)
    assert 16 <= model.input_pixels <= 1024


@pytest.mark.parametrize("name", IMAGE_BACKENDS)
def test_a_file_and_the_same_image_in_memory_agree(backends, name, pictures, tmp_path):
    pictures[0].save(tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as opened:
        opened.load()
        assert np.allclose(
            backends[name].embed_images([opened]), backends[name].embed_images(pictures[:1]), atol=1e-6
        )


@pytest.mark.parametrize("name", JOINT)
def test_a_joint_model_has_one_space(backends, name):
    model = backends[name]
    texts = backends["minilm"] if name == "conse" else model
    assert texts.space == model.space
    assert texts.dimensions == model.dimensions


def test_no_two_models_share_a_space(backends):
    apart = [
        "minilm",
        "efficientnet-lite0",
        "server",
        "open-clip",
        "siglip",
        "dinov2",
        "sentence-transformers",
    ]
    assert len({backends[name].space for name in apart}) == len(apart)


@pytest.mark.parametrize("name", sorted({*TEXT_BACKENDS, *IMAGE_BACKENDS, "owlv2"}))
def test_the_identity_is_stable_and_tells_no_path(backends, name):
    identity = backends[name].identity
    assert isinstance(identity, ModelIdentity)
    assert identity == backends[name].identity
    assert "/" not in identity.name + identity.revision
    if name in LOCAL:
        settings = backends["settings"][name]
        assert make_local(replace(settings, device="", batch_size=7)).identity == identity


def test_the_detector(backends, pictures):
    detector, names = backends["owlv2"], ["dog", "red bus", "handbag"]
    scores = detector.detect(pictures, names)
    assert scores.shape == (5, 3)
    assert scores.dtype == np.float32
    assert ((scores >= 0) & (scores <= 1)).all()
    assert np.allclose(detector.detect(pictures, names[::-1])[:, ::-1], scores, atol=1e-5)
    assert np.allclose(np.concatenate([detector.detect([p], names) for p in pictures]), scores, atol=1e-5)
    assert detector.detect([], names).shape == (0, 3)
    assert detector.detect(pictures, []).shape == (5, 0)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"open-clip"}))
def test_missing_weights_give_one_sentence_with_the_remedy(kind, tmp_path, monkeypatch, pictures):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    model = make_local(LocalSettings("x", str(tmp_path / "none"), kind=kind, device="cpu"))
    use = {
        "sentence-transformers": lambda: model.embed_texts(["a"]),
        "owlv2": lambda: model.detect(pictures, ["a"]),
    }
    with pytest.raises(ModelError, match="weights cannot be loaded") as caught:
        use.get(kind, lambda: model.embed_images(pictures))()
    assert "Traceback" not in caught.value.sentence()
    assert "hf download" in caught.value.sentence()
