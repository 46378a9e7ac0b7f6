"""Tables of servers in a preset: what is read, and what is refused before any work."""

import pytest

from core.errors import ConfigError
from core.models.check import check_models, serve_command
from core.models.registry import Models, load_preset

HEAD = """description = "test"
text_embedder = "minilm"
image_embedder = "efficientnet-lite0"
joint_image_embedder = "conse"
concept_extractor = "spacy"
"""
CHAT = '[chat.vl]\nmodel = "m"\nbase_urls = ["http://localhost:8000/v1"]\n'


def write(folder, text):
    path = folder / "mine.toml"
    path.write_text(HEAD + text)
    return str(path)


def test_a_table_may_fill_several_roles(tmp_path):
    text = 'scorer_chat = "vl"\nsummarizer_chat = "vl"\n' + CHAT + "max_concurrency = 8\ntimeout_s = 9\n"
    models = Models(load_preset(write(tmp_path, text)), calls_dir=tmp_path / "calls")
    assert models.has_chat("scorer_chat")
    assert not models.has_chat("critic_chat")
    assert models.chat("scorer_chat").model is models.chat("summarizer_chat").model
    settings = models.preset.chat["vl"]
    assert (settings.max_concurrency, settings.timeout_s, settings.image_max_side) == (8, 9.0, 1024)
    with pytest.raises(ConfigError, match="no model for 'critic_chat'"):
        models.chat("critic_chat")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('scorer_chat = "other"\n' + CHAT, "names a chat model without a table"),
        (CHAT + 'api_key = "sk-1"\n', "An API key|an API key has no place in a preset"),
        (CHAT + "tempo = 1\n", "unknown field"),
        (CHAT + "max_concurrency = 0\n", "above 0"),
        (CHAT + 'max_concurrency = "many"\n', "not a whole number"),
        (CHAT + "max_concurrency = true\n", "not a whole number"),
        (CHAT + "top_logprobs = 40\n", "at most 20"),
        (CHAT + 'engine = "magic"\n', "unknown engine"),
        (CHAT + 'engine = "vllm-offline"\n', "has no base_urls"),
        ('[chat.vl]\nmodel = "m"\n', "base_urls is missing"),
        ('[chat.vl]\nmodel = "m"\nbase_urls = "http://a/v1"\n', "not a list of texts"),
        ('[chat.vl]\nmodel = "m"\nbase_urls = ["localhost:8000"]\n', "not the address of a server"),
        ('[chat.vl]\nmodel = "m"\nbase_urls = ["http://u:pw@host/v1"]\n', "would end in logs"),
        ('[chat.vl]\nbase_urls = ["http://a/v1"]\n', "model is missing"),
        ("chat = 3\n", "not a table"),
    ],
)
def test_what_cannot_work_is_refused_when_read(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said) as caught:
        load_preset(write(tmp_path, text))
    assert "pw" not in caught.value.sentence()
    assert "sk-1" not in caught.value.sentence()


def test_the_command_to_serve_a_model(tmp_path):
    text = CHAT + 'revision = "abc"\nserve_args = "--tensor-parallel-size 4"\n'
    text += '[embed.text]\nmodel = "e"\nbase_urls = ["http://localhost:9000/v1"]\n'
    preset = load_preset(write(tmp_path, text))
    assert serve_command(preset.chat["vl"]) == (
        "vllm serve m --port 8000 --revision abc --enable-prefix-caching "
        "--limit-mm-per-prompt '{\"image\": 4}' --tensor-parallel-size 4"
    )
    assert serve_command(preset.embed["text"]) == "vllm serve e --port 9000 --runner pooling"


def test_a_server_that_is_down_is_a_problem_of_its_model_only(tmp_path):
    text = '[chat.vl]\nmodel = "m"\nbase_urls = ["http://127.0.0.1:9/v1"]\nmax_attempts = 1\n'
    checked = check_models(Models(load_preset(write(tmp_path, text))))
    by_model = {model.model: model for model in checked}
    assert by_model["minilm"].problem == ""
    assert "no connection" in by_model["m"].problem
    assert by_model["m"].serve.startswith("vllm serve m")
