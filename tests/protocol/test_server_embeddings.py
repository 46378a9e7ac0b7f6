"""Vectors from a server: order, unit rows, one space, padding, and no vector made up."""

import numpy as np
import pytest
from PIL import Image

from core.errors import ModelError, ServerDownError
from core.models.preset import EmbedSettings
from core.models.server.embeddings import ServerEmbedder
from tests.protocol import faulty_server
from tests.protocol.faulty_server import FaultyServer


def embedder(url, **more):
    fields = {"timeout_s": 1.0, "max_attempts": 2, "backoff_s": 0.01, "batch_size": 4, **more}
    return ServerEmbedder(EmbedSettings("text", "faulty", (url,), **fields))


@pytest.fixture
def server():
    with FaultyServer() as running:
        yield running


def test_rows_are_unit_and_in_the_order_given(server):
    texts = ["a" * n for n in (5, 1, 9, 2, 7, 3, 8)]
    rows = embedder(server.url).embed_texts(texts)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(7), abs=1e-6)
    lengths = rows[:, 0] / rows[:, 1]  # the server's first two numbers are the length and 1
    assert lengths == pytest.approx([5, 1, 9, 2, 7, 3, 8], rel=1e-5)
    assert sorted(len(body["input"]) for _, body in server.seen) == [3, 4]


def test_images_go_as_messages_one_a_request(server):
    images = [Image.new("RGB", (90, 30), (i * 40, 0, 0)) for i in range(3)]
    rows = embedder(server.url, image_max_side=45).embed_images(images)
    assert rows.shape == (3, 3)
    assert [body["messages"][0]["content"][0]["type"] for _, body in server.seen] == ["image_url"] * 3


def test_padding_is_sent_and_part_of_the_identity(server):
    plain, padded = embedder(server.url), embedder(server.url, text_padding="max_length")
    assert not np.allclose(plain.embed_texts(["abc"]), padded.embed_texts(["abc"]))
    assert plain.identity != padded.identity
    assert plain.space == padded.space
    assert padded.dimensions == 3


@pytest.mark.parametrize(
    "answer",
    [
        {"data": []},
        {"vectors": [[1.0]]},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": [float("nan"), 1.0]}]},
        {"data": [{"index": 0, "embedding": ["a"]}]},
    ],
)
def test_what_is_no_vector_stops_with_one_sentence(server, monkeypatch, answer):
    monkeypatch.setattr(faulty_server, "embeddings", lambda body: answer)
    with pytest.raises(ModelError, match="no usable vectors"):
        embedder(server.url).embed_texts(["abc"])


def test_a_server_that_is_gone_pauses(server):
    server.stop()
    with pytest.raises(ServerDownError):
        embedder(server.url).embed_texts(["abc"])
