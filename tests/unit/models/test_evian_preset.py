"""The preset `evian`: the paper's two models, greedy, and how to serve them."""

from core.models.check import serve_command
from core.models.preset import preset_names
from core.models.registry import Models, load_preset


def test_it_ships_and_names_the_papers_models(tmp_path):
    assert "evian" in preset_names()
    preset = load_preset("evian")
    models = Models(preset, calls_dir=tmp_path)
    decomposer, auditor = models.chat("decomposer_chat"), models.chat("auditor_chat")
    assert decomposer.identity.name == "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8"
    assert auditor.identity.name == "Qwen/Qwen2.5-VL-7B-Instruct-AWQ"
    assert not decomposer.identity.baseline
    assert not auditor.identity.baseline


def test_the_two_are_served_apart():
    chat = load_preset("evian").chat
    assert set(chat) == {"decomposer", "auditor"}
    assert set(chat["decomposer"].base_urls).isdisjoint(chat["auditor"].base_urls)
    assert serve_command(chat["decomposer"]).startswith("vllm serve Qwen/Qwen3-235B-A22B-Instruct-2507-FP8")
    assert "--port 8001" in serve_command(chat["auditor"])
