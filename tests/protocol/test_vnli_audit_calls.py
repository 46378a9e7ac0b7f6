"""A whole VNLI audit whose critic and reviser are chat models behind a server. Paper: VNLI-Critique 4, 5."""

import json
import re

import pytest

from core.audit.run_audit import run_audit
from core.audit.vnli_tables import factuality_of
from core.bench.vnli_autorater import BenchConfig, run_bench
from core.dataset.demo import write_demo
from core.domain.judgement import Unscored
from core.domain.run import AuditConfig
from core.domain.vnli import Factuality
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from tests.protocol.faulty_server import text_of
from tests.protocol.seeing_server import SeeingServer, drawn_in

TARGET = re.compile(r"<TARGET>(.*?)</TARGET>", re.DOTALL)
PRESET = """description = "test"
text_embedder = "minilm"
image_embedder = "efficientnet-lite0"
joint_image_embedder = "conse"
concept_extractor = "spacy"
critic_chat = "critic"
reviser_chat = "reviser"
[chat.critic]
model = "faulty"
base_urls = ["{url}"]
timeout_s = 5.0
max_attempts = 2
backoff_s = 0.01
max_concurrency = 8
samples = 5
[chat.reviser]
model = "faulty"
base_urls = ["{url}"]
timeout_s = 5.0
max_attempts = 2
backoff_s = 0.01
"""


class CriticServer(SeeingServer):
    """Yes if all that the target names is drawn; critiques name the rest; revisions delete or rewrite."""

    revision = "There is a pole."

    def answer(self, body):
        text = text_of(body["messages"][-1])
        if "choice" in body.get("structured_outputs", {}):
            return self.score(body, text)
        if "Explain the misalignments" in text:
            missing = set(self.said_in(self.fact(text))) - set(self.seen_in(body))
            return f"There is no {' and no '.join(sorted(missing)) or 'such thing'} in the image."
        return self.revision

    def probability(self, body):
        """Of the second choice, here No."""
        return 1.0 - super().probability(body)

    def fact(self, text):
        found = TARGET.search(text)
        return found[1] if found else ""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return write_demo(tmp_path_factory.mktemp("demo"), seed=3, n=40)


def config_of(demo, folder, url):
    path = folder / "critic.toml"
    path.write_text(PRESET.format(url=url))
    return AuditConfig(
        captions=str(demo.captions), images=str(demo.images), preset=str(path), name="vnli", steps=("vnli",)
    )


def audit(demo, folder, server):
    workspace = Workspace(folder / "w")
    result = run_audit(config_of(demo, folder, server.url), workspace)
    stages = read_manifest(workspace, result.run_id)["stages"]
    return {name: StageStore(workspace, name, key) for name, key in stages.items()}


def rows(stores, name):
    return stores[name].read_table().to_pylist()


def test_verdicts_critiques_and_revisions_come_from_the_models(demo, tmp_path):
    with CriticServer(drawn_in(demo)) as server:
        stores = audit(demo, tmp_path, server)
        asked = len(server.questions())
        again = audit(demo, tmp_path, server)
        assert len(server.questions()) == asked  # all from the cache
    judged = [factuality_of(r) for r in rows(stores, "factuality")]
    assert {j.how for j in judged if isinstance(j, Factuality)} <= {"logprobs", "rule"}
    flagged = [r for r in rows(stores, "factuality") if r["verdict"] == "Non-entailment"]
    assert flagged
    critiques, revisions = rows(stores, "critiques"), rows(stores, "revisions")
    assert [r["fact_id"] for r in critiques] == [r["fact_id"] for r in flagged]
    assert all(r["critique"].startswith("There is no ") for r in critiques)
    assert all(r["revision"] == "There is a pole." and r["verdict_after"] == "Entailment" for r in revisions)
    assert not stores["factuality"].record()["summary"]["model"]["baseline"]
    assert stores["revisions"].record()["summary"]["self_consistency"] == 1.0
    assert rows(again, "revisions") == revisions


def test_a_reviser_may_delete_and_its_empty_answers_are_kept(demo, tmp_path):
    for answer, kind in (("DELETE", ""), ("  ", None)):
        folder = tmp_path / (answer.strip() or "empty")
        folder.mkdir()
        with CriticServer(drawn_in(demo)) as server:
            server.revision = answer
            revisions = rows(audit(demo, folder, server), "revisions")
        assert revisions
        assert {r["revision"] for r in revisions} == {kind}
        assert all(r["reason"] for r in revisions if r["revision"] is None)


def test_without_logprobs_answers_are_drawn(demo, tmp_path):
    with CriticServer(drawn_in(demo), poor=("no-logprobs",)) as server:
        stores = audit(demo, tmp_path, server)
    judged = [factuality_of(r) for r in rows(stores, "factuality")]
    assert all(isinstance(j, Factuality) for j in judged)
    assert all(j.p_entailment is None or 0.0 <= j.p_entailment <= 1.0 for j in judged)
    assert {j.how for j in judged} & {"samples", "logprobs", "label"}


def test_answers_that_are_not_yes_or_no_are_unscored_with_their_text(demo, tmp_path):
    with CriticServer(drawn_in(demo), broken="bus") as server:
        stores = audit(demo, tmp_path, server)
    unscored = [j for r in rows(stores, "factuality") if isinstance(j := factuality_of(r), Unscored)]
    assert unscored
    assert all(j.raw for j in unscored)
    summary = stores["factuality"].record()["summary"]
    assert summary["n_unscored"] == len(unscored)
    assert sum(summary["verdicts"].values()) + len(unscored) == len(rows(stores, "factuality"))


def test_the_autorater_uses_the_preset(demo, tmp_path):
    data = tmp_path / "labels.jsonl"
    lines = []
    for row in map(json.loads, demo.captions.read_text().splitlines()):
        wrong = "handbag" in row["caption"] and "handbag" not in row["objects"]
        sentence = {"text": row["caption"], "label": "Contradiction" if wrong else "Entailment"}
        lines.append(json.dumps({"image": row["image"], "captioner": "demo", "sentences": [sentence]}) + "\n")
    data.write_text("".join(lines))
    with CriticServer(drawn_in(demo)) as server:
        config = config_of(demo, tmp_path, server.url)
        report = run_bench(BenchConfig(data, "labels", demo.images, config.preset), Workspace(tmp_path / "b"))
    assert report["critic"]["name"] == "faulty"
    assert not report["critic"]["baseline"]
    assert report["sentences"]["n"] == len(lines)
    assert report["sentences"]["roc_auc"] > 0.9
