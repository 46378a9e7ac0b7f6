"""The critic of this process, with random weights: what VNLI-Critique's questions get for an answer."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from core.dataset.images import open_image
from core.domain.chat import ImageInput
from core.domain.judgement import Unscored
from core.domain.vnli import Claim, Factuality
from core.errors import ConfigError, ModelError
from core.models.local.paligemma_critic import PaliGemmaCritic
from core.models.preset import ChatSettings
from core.models.registry import Models, load_preset
from core.scores.vnli_factuality import classify, factuality_ask
from core.summaries.vnli_critique import critique_ask
from tests.contracts.tiny_paligemma import paligemma


@pytest.fixture(scope="module")
def critic(tmp_path_factory):
    folder = paligemma(tmp_path_factory.mktemp("critic"))
    settings = ChatSettings("critic", str(folder), engine="paligemma")
    return PaliGemmaCritic(settings, open_image=open_image, device="cpu")


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("images"), []
    for i, noise in enumerate(np.random.default_rng(0).integers(0, 255, (3, 48, 64, 3), np.uint8)):
        path = folder / f"{i}.png"
        Image.fromarray(noise).save(path)
        made.append(ImageInput(path, hashlib.sha256(path.read_bytes()).hexdigest()))
    return made


def claim(text="a dog runs on the grass ."):
    return Claim(0, "s0", text, "", 0, len(text))


def test_probabilities_of_yes_and_no(critic, images):
    asks = [factuality_ask(claim(), (image,)) for image in images]
    answers = critic.complete(asks)
    for answer in answers:
        assert set(answer.choice_probabilities) == {"Yes", "No"}
        assert sum(answer.choice_probabilities.values()) == pytest.approx(1)
        assert answer.text == max(answer.choice_probabilities, key=answer.choice_probabilities.get)
    assert len({a.choice_probabilities["Yes"] for a in answers}) == 3
    assert critic.complete(asks[::-1])[::-1] == answers
    assert critic.complete([]) == []


def test_factuality_reads_them(critic, images):
    found = classify([claim(), claim("two cats")], [(images[0],), (images[1],)], critic)
    assert all(isinstance(f, Factuality) and f.how == "logprobs" for f in found)


def test_a_critique_is_written_and_one_without_an_end_is_cut_off(critic, images):
    ask = replace(critique_ask(claim(), (images[0],)), max_tokens=3)
    (answer,) = critic.complete([ask])
    assert answer.finish_reason in {"stop", "length"}
    assert answer.completion_tokens <= 3
    assert answer.finish_reason == "stop" or answer.completion_tokens == 3


def test_a_question_without_its_image_is_unscored(critic, images, tmp_path):
    lost = ImageInput(tmp_path / "none.png", "0" * 64)
    found = critic.complete([factuality_ask(claim(), ()), factuality_ask(claim(), (lost,))])
    assert [type(f) for f in found] == [Unscored, Unscored]
    assert {f.reason for f in found} == {"no image"}


def test_labels_that_begin_alike_are_refused(critic, images):
    ask = replace(factuality_ask(claim(), (images[0],)), choices=("zzz", "qqq"))  # both unknown words
    with pytest.raises(ModelError, match="begin with the same token"):
        critic.complete([ask])


def test_a_preset_may_name_it(critic, tmp_path):
    head = 'description = "t"\ntext_embedder = "minilm"\nimage_embedder = "efficientnet-lite0"\n'
    head += 'joint_image_embedder = "conse"\nconcept_extractor = "spacy"\ncritic_chat = "critic"\n'
    table = f'[chat.critic]\nengine = "paligemma"\nmodel = "{critic.settings.model}"\n'
    path = tmp_path / "mine.toml"
    path.write_text(head + table)
    models = Models(load_preset(str(path)), calls_dir=tmp_path / "calls", open_image=open_image)
    assert models.chat("critic_chat").identity == critic.identity
    path.write_text(head + table + 'base_urls = ["http://localhost:1/v1"]\n')
    with pytest.raises(ConfigError, match="no base_urls"):
        load_preset(str(path))
