"""The preset `vnli`: a critic and a reviser, each behind its own server."""

from core.models.preset import preset_names
from core.models.registry import Models, load_preset


def test_it_ships_with_both_roles(tmp_path):
    assert "vnli" in preset_names()
    models = Models(load_preset("vnli"), calls_dir=tmp_path)
    critic, reviser = models.chat("critic_chat"), models.chat("reviser_chat")
    assert critic.identity.name != reviser.identity.name
    assert not critic.identity.baseline
    assert not models.has_chat("scorer_chat")


def test_the_papers_five_samples_and_image_size():
    critic = load_preset("vnli").chat["critic"]
    assert (critic.samples, critic.image_max_side) == (5, 448)
    assert set(critic.base_urls).isdisjoint(load_preset("vnli").chat["reviser"].base_urls)
