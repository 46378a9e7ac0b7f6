"""VNLI-Critique through a real vLLM, on real charts of CHOCOLATE.

The tiny model's weights are random: what it says of a chart means nothing. It shows that the templates and
images are taken, that every sentence gets a probability from Yes/No confidences, that nothing is asked twice,
and that what cannot be read is unscored with its reason.
"""

import json
from pathlib import Path

import pytest

from core.bench.vnli_autorater import BenchConfig, run_bench
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from tests.protocol.test_vnli_audit_calls import PRESET
from tests.protocol.vllm_server import MODEL

pytestmark = pytest.mark.timeout(900)
CHARTS = Path(__file__).parents[2].parent / "shared" / "data" / "chocolate"
N = 5
CHECKED = ("factuality", "critiques", "revisions")


@pytest.mark.skipif(not CHARTS.is_dir(), reason="the charts of CHOCOLATE are not on this machine")
def test_charts_are_judged_criticised_and_rewritten_or_unscored_with_a_reason(vllm, tmp_path):
    lines = (CHARTS / "captions.jsonl").read_text("utf-8").splitlines()[:N]
    data = tmp_path / "charts.jsonl"
    data.write_text("\n".join(lines) + "\n", "utf-8")
    preset = tmp_path / "served.toml"
    text = PRESET.format(url=vllm.url).replace('model = "faulty"', f'model = "{MODEL}"')
    preset.write_text(text.replace("timeout_s = 5.0", "timeout_s = 120.0\nimage_max_side = 224"))
    config = BenchConfig(data=data, form="chocolate", images=CHARTS, preset=str(preset))
    workspace = Workspace(tmp_path / "w")
    report = run_bench(config, workspace)
    answered = vllm.metric("vllm:request_success_total")
    assert run_bench(config, workspace) == report
    assert vllm.metric("vllm:request_success_total") == answered, "all answers were kept"

    assert report["compared_with"] == ["images"]
    assert not report["critic"]["baseline"]
    stages = read_manifest(workspace, report["run_id"])["stages"]
    tables = {n: StageStore(workspace, n, stages[n]).read_table().to_pylist() for n in stages if n in CHECKED}
    n_sentences = sum(len(json.loads(line)["sentences"]) for line in lines)
    judged = tables["factuality"]
    assert len(judged) >= n_sentences - report["sentences_split_otherwise"] > 0
    assert [row["fact_id"] for row in judged] == list(range(len(judged))), "every sentence, once"
    for row in judged:
        assert (row["reason"] is None) == (row["p_entailment"] is not None or row["how"] == "rule")
        if row["how"] == "logprobs":
            assert 0.0 < row["p_entailment"] < 1.0
    assert any(row["how"] == "logprobs" for row in judged)
    flagged = [row for row in judged if row["verdict"] == "Non-entailment"]
    assert len(tables["critiques"]) == len(flagged)
    for row in tables["critiques"]:
        assert (row["critique"] is None) == (row["reason"] is not None)
