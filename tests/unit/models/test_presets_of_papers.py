"""Presets that ship, their documentation, and combinations that are refused when a preset is read."""

from dataclasses import fields
from pathlib import Path

import pytest

from core.errors import ConfigError
from core.models.check import in_process_roles, serve_command
from core.models.local_settings import KINDS, LocalSettings
from core.models.preset import ChatSettings, EmbedSettings, Preset
from core.models.registry import Models, load_preset, preset_names

HEAD = """description = "test"
text_embedder = "{text}"
image_embedder = "efficientnet-lite0"
joint_image_embedder = "{joint}"
concept_extractor = "spacy"
"""
CLIP = '[local.clip]\nmodel = "ViT-B-32"\nweights = "openai"\n'
OTHER = '[local.other]\nmodel = "ViT-L-14"\nweights = "openai"\n'
DINO = '[local.dino]\nkind = "dinov2"\nmodel = "facebook/dinov2-large"\n'
CHAT = '[chat.vl]\nmodel = "m"\nbase_urls = ["http://localhost:8000/v1"]\n'
DOCS = Path(__file__).parents[3] / "docs" / "presets.md"


def write(folder, body, text="minilm", joint="conse"):
    path = folder / "mine.toml"
    path.write_text(HEAD.format(text=text, joint=joint) + body)
    return str(path)


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_that_ships_can_be_read_and_its_models_named(name):
    preset = load_preset(name)
    models = Models(preset)
    assert preset.description
    assert models.text_embedder is not None
    if preset.joint_image_embedder == preset.text_embedder:
        assert models.joint_image_embedder is models.text_embedder
    for chat in preset.chat.values():
        assert serve_command(chat).startswith("vllm serve ")


def test_the_presets_of_the_paper_are_its_configurations():
    natural, medical = load_preset("paper-natural"), load_preset("paper-medical")
    assert (natural.scorer, natural.summarizer) == ("vision-language", "text-only")
    assert natural.embed["text"].model == "Qwen/Qwen3-Embedding-8B"
    assert natural.local["clip"].model == "ViT-H-14-quickgelu"
    assert (medical.scorer, medical.summarizer) == ("text-only", "text-only")
    assert medical.chat["medgemma"].model == "google/medgemma-27b-it"
    assert load_preset("local-clip").scorer in {"", "embedding"}


@pytest.mark.parametrize(
    ("text", "joint", "body", "said"),
    [
        ("minilm", "conse", 'scorer = "magic"\n', "unknown scorer"),
        ("minilm", "conse", 'summarizer = ""\n', "unknown summarizer"),
        ("minilm", "conse", 'scorer = "vision-language"\n', "needs a chat model as 'scorer_chat'"),
        ("minilm", "conse", 'summarizer = "text-only"\n', "needs a chat model as 'summarizer_chat'"),
        ("minilm", "efficientnet-lite0", 'scorer = "embedding"\n', "one joint model"),
        ("clip", "other", 'scorer = "embedding"\n' + CLIP + OTHER, "one joint model"),
        ("clip", "conse2", CLIP, "unknown model for 'joint_image_embedder'"),
        ("dino", "conse", DINO, "cannot be the 'text_embedder'"),
        ("minilm", "conse", 'detector = "dino"\n' + DINO, "cannot be the 'detector'"),
        ("minilm", "conse", '[local.x]\nkind = "magic"\nmodel = "m"\n', "unknown kind"),
        ("minilm", "conse", '[local.x]\nmodel = "ViT-B-32"\n', "needs it"),
        ("minilm", "conse", '[local.x]\nmodel = "m"\ntempo = 3\n', "unknown field"),
        ("minilm", "conse", 'scorrer = "embedding"\n', "unknown field"),
    ],
)
def test_what_cannot_work_together_is_refused_when_read(tmp_path, text, joint, body, said):
    with pytest.raises(ConfigError, match=said) as caught:
        load_preset(write(tmp_path, body, text, joint))
    assert "\n" not in caught.value.sentence()


@pytest.mark.parametrize(
    ("text", "joint", "body"),
    [("minilm", "conse", ""), ("clip", "clip", CLIP), ("clip", "conse", CLIP)],
)
def test_one_space_is_taken(tmp_path, text, joint, body):
    preset = load_preset(write(tmp_path, 'scorer = "embedding"\n' + body, text, joint))
    assert ("text_embedder", text) in in_process_roles(preset)


def test_a_chat_scorer_does_not_need_a_joint_model(tmp_path):
    body = 'scorer = "vision-language"\nscorer_chat = "vl"\n' + CHAT
    assert load_preset(write(tmp_path, body, "minilm", "efficientnet-lite0")).scorer == "vision-language"


def test_every_field_and_kind_is_documented():
    said = DOCS.read_text()
    for settings in (Preset, ChatSettings, EmbedSettings, LocalSettings):
        missing = [f.name for f in fields(settings) if f.name != "name" and f"`{f.name}`" not in said]
        assert not missing, f"{settings.__name__}: {missing}"
    assert not [name for name in (*preset_names(), *KINDS) if f"`{name}`" not in said]
