"""The benchmark calls what an audit calls, keeps what it has done, and its command line works."""

import json

import pytest

from core.bench.symbalbench.coco import base_dataset, read_coco
from core.bench.symbalbench.engine import SettingRunner, all_sentences
from core.bench.symbalbench.kept_models import embedded
from core.bench.symbalbench.run import BenchConfig, run_bench
from core.bench.symbalbench.settings import make_settings, write_setting
from core.cli import main
from core.models.registry import Models, load_preset
from core.runs.workspace import Workspace

SCENES = {
    "bus": ("A bus drives down a city street.", "A red bus stops at a corner.", "People wait for a bus."),
    "dog": ("A dog runs over the grass.", "A brown dog plays in a park.", "The dog looks at a ball."),
    "pizza": ("A pizza lies on a plate.", "A pizza with cheese on a table.", "Someone eats a pizza."),
    "bed": ("A bed stands in a bedroom.", "A bed with white pillows.", "A small room with a bed."),
}


@pytest.fixture(scope="module")
def coco(tmp_path_factory):
    path = tmp_path_factory.mktemp("coco") / "coco.jsonl"
    with path.open("w") as stream:
        for i in range(240):
            name = list(SCENES)[i % 4]
            captions = [f"{text[:-1]} in view {i % 7}." for text in (*SCENES[name], *SCENES[name][:2])]
            objects = [{"category": name, "area_fraction": 0.3}]
            row = {"image_id": i, "file_name": f"{i}.jpg", "captions": captions, "objects": objects}
            stream.write(json.dumps(row) + "\n")
    return path


@pytest.fixture(scope="module")
def models():
    return Models(load_preset("embedded"))


def test_findings_are_those_of_an_audit_of_the_written_setting(coco, models, tmp_path, capsys):
    samples = base_dataset(read_coco(coco), 0)
    setting = make_settings(samples, [("umbrella", "bus")], 0, levels=(0.6,))[0]
    sentences = embedded(all_sentences(samples, [setting]), Workspace(tmp_path / "b").create(), models)
    found = SettingRunner(samples, sentences, models).findings(setting)
    file = write_setting(tmp_path, samples, setting)
    arguments = [
        "audit",
        str(file),
        "--references",
        "references",
        "--workspace",
        str(tmp_path / "w"),
        "--json",
    ]
    assert main([*arguments, "--workspace", str(tmp_path / "w")]) == 0
    path = json.loads(capsys.readouterr().out)["findings_path"]
    with open(path) as stream:
        theirs = json.load(stream)["findings"]
    assert [f.finding_id for f in found] == [f["finding_id"] for f in theirs]
    assert [f.association.wrong_present for f in found] == [f["association"]["wrong_present"] for f in theirs]
    assert ("umbrella", "bus") in {(f.textual_fact.text, f.visual_feature.text) for f in found}


def test_a_stopped_run_goes_on_and_asks_nothing_twice(coco, models, tmp_path, monkeypatch):
    monkeypatch.setattr("core.bench.symbalbench.run.table_3", lambda: [("umbrella", "bus"), ("kite", "dog")])
    config, workspace = BenchConfig(coco), Workspace(tmp_path)

    class StopError(Exception):
        pass

    def stop(what, done, total):
        if what == "settings" and done == 2:
            raise StopError

    with pytest.raises(StopError):
        run_bench(config, workspace, models, stop)
    (file,) = (tmp_path / "bench").glob("*/results.jsonl")
    assert len(file.read_text().splitlines()) == 2
    with file.open("a") as stream:
        stream.write('{"label": {"t": "cut')
    asked = []
    monkeypatch.setattr(
        SettingRunner,
        "findings",
        lambda self, s, real=SettingRunner.findings: asked.append(s) or real(self, s),
    )
    outcomes = run_bench(config, workspace, models)
    assert len(outcomes) == 6
    assert len(asked) == 4
    assert sum(o.t_at_5 for o in outcomes) >= 5


@pytest.mark.parametrize("method", ["symbal", "no-grouping", "random"])
def test_command_line(coco, models, tmp_path, capsys, monkeypatch, method):
    monkeypatch.setattr("core.bench.symbalbench.run.table_3", lambda: [("umbrella", "bus"), ("kite", "dog")])
    out = tmp_path / "out.json"
    arguments = ["bench", "symbal", "--coco", str(coco), "--settings", "2", "--method", method]
    assert main([*arguments, "--json", str(out), "--workspace", str(tmp_path / "w")]) == 0
    assert "end to end" in capsys.readouterr().out
    kept = json.loads(out.read_text())
    assert len(kept["outcomes"]) == 2
    if method == "random":
        assert kept["accuracy"]["all"]["end to end"][0] <= 50


def test_mistakes_are_one_sentence(tmp_path, capsys):
    assert main(["bench", "symbal", "--coco", str(tmp_path / "none.jsonl")]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert main(["bench", "symbal", "--coco", "x", "--settings", "many"]) == 2
    assert "--settings" in capsys.readouterr().err
