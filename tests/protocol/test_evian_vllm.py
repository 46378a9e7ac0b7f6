"""Evian through a real vLLM, and by the same checks through the server that answers as the paper's models.

The tiny model's weights are random: it shows that the questions fit and are taken, that what cannot be
read is unscored with its text, that scores 1..5 have probabilities, and that no answer is asked for twice.
What good answers become is checked with the other server alone.
"""

import pytest

from core.audit.dry_run import dry_run
from core.audit.run_audit import run_audit
from core.domain.chat import Completion
from core.domain.evian import AXES, AxisScore, Decomposition, EvianItem, TagSpan
from core.domain.evian_tags import insert_tags
from core.domain.judgement import Unscored
from core.runs.manifest import read_manifest
from core.runs.workspace import Workspace
from core.scores.evian_rubric import SCORES, expected_score, score_alone
from core.scores.evian_triplet import questions_of, score_triplets
from tests.protocol.asking import chat, image
from tests.protocol.evian_server import EvianServer
from tests.protocol.test_evian_calls import captions_of, config_of, table
from tests.protocol.vllm_server import MODEL

pytestmark = pytest.mark.timeout(900)
RESPONSE = "A lamp stands there. It may be old. Lamps need power."


class Served:
    """A server to ask. model: the name it serves; good: it answers as the paper's models would."""

    def __init__(self, server, model, *, good):
        self.server, self.model, self.good = server, model, good

    def n_answered(self):
        if self.good:
            return len(self.server.questions())
        return self.server.metric("vllm:request_success_total")

    def chat(self):
        return chat(self.server.url, model=self.model, timeout_s=120.0)

    def config(self, folder, captions):
        config = config_of(folder, captions, self.server.url)
        preset = folder / "served.toml"
        text = preset.read_text().replace('model = "faulty"', f'model = "{self.model}"')
        preset.write_text(text.replace("timeout_s = 2.0", "timeout_s = 120.0"))
        return config


@pytest.fixture(params=["answering server", "vLLM"])
def served(request):
    if request.param == "vLLM":
        yield Served(request.getfixturevalue("vllm"), MODEL, good=False)
        return
    with EvianServer() as server:
        yield Served(server, "faulty", good=True)


def item():
    spans = (TagSpan("INFER", 21, 34), TagSpan("KNOW", 36, 53))
    marked = insert_tags(RESPONSE, spans)
    return EvianItem("s0", Decomposition(RESPONSE, spans, marked, RESPONSE[:20], "A lamp stands there."))


def test_an_audit_keeps_every_response_scored_or_unscored_with_its_text(served, tmp_path):
    captions = captions_of([f"v{i}" for i in range(6)])
    config, workspace = served.config(tmp_path / "d", captions), Workspace(tmp_path / "w")
    tag, later, axes = dry_run(config, workspace).calls
    assert (tag.calls, later.calls, axes.calls) == (6, 12, 18)
    run_id = run_audit(config, workspace).run_id
    decompositions, triplets = (table(workspace, run_id, s) for s in ("decompositions", "triplets"))
    assert [r["sample_id"] for r in triplets] == [f"s{i}" for i in range(6)]
    for found, scores in zip(decompositions, triplets, strict=True):
        if found["reason"] is not None:
            assert found["raw"], "the answer that could not be read is kept"
        for axis in AXES:
            score, reason = scores[f"{axis}_score"], scores[f"{axis}_reason"]
            assert (score is None) == (reason is not None), "scored, or unscored with a reason"
            assert score in {None, 1, 2, 3, 4, 5}
            if found["reason"] is not None:
                assert reason == found["reason"], "nothing is scored that was not taken apart"
    if served.good:
        assert {r["image_text_consistency_score"] for r in triplets} == {4}
    asked = read_manifest(workspace, run_id)["calls"]["decomposer_chat"]
    assert asked["asked"] >= 6
    before = served.n_answered()
    stages = workspace.root / "stages"
    for stage in ("decompositions", "triplets"):
        (stages / stage).rename(tmp_path / f"gone-{stage}")
    again = run_audit(config, workspace).run_id
    assert served.n_answered() - before <= 8, "no more than the questions that look what the server can do"
    assert table(workspace, again, "triplets") == triplets, "kept answers give the same scores"


def test_the_rubrics_questions_are_taken_with_an_image(served, tmp_path):
    pictures = (image(tmp_path, "lamp", size=(224, 224)),)
    (triplet,) = score_triplets([item()], [pictures], served.chat())
    for axis in AXES:
        score = getattr(triplet, axis)
        if isinstance(score, Unscored):
            assert score.reason in {"unparseable", "out of range", "contradictory", "cut off"}, score
            assert score.raw
        else:
            assert score.value in {1, 2, 3, 4, 5}
            assert not score.defaulted
    if served.good:
        assert isinstance(triplet.logical_coherence, AxisScore)
        assert [getattr(triplet, a).value for a in AXES] == [4, 3, 3]


def test_probabilities_of_one_to_five_give_an_expected_score(served, tmp_path):
    pictures = (image(tmp_path, "lamp", size=(224, 224)),)
    asks = [score_alone(q) for q in questions_of(item(), pictures)]
    answers = served.chat().complete(asks)
    assert len(answers) == 3
    for answer in answers:
        assert isinstance(answer, Completion), answer
        given = answer.choice_probabilities
        assert set(given) == set(SCORES)
        assert sum(given.values()) == pytest.approx(1.0)
        expected = expected_score(given)
        assert 1 <= expected <= 5
        assert expected == pytest.approx(sum(int(s) * p for s, p in given.items()))
        if served.good:
            assert expected == pytest.approx(3.0), "all five alike"
