"""The benchmark calls what an audit calls, keeps what it has done, and its command line works."""

import json

import pytest
from PIL import Image

from core.bench.symbalbench.coco import base_dataset, read_coco
from core.bench.symbalbench.engine import SettingRunner, all_sentences
from core.bench.symbalbench.evaluate import Prediction, judged
from core.bench.symbalbench.kept_models import embedded
from core.bench.symbalbench.llm_judge import LlmJudge
from core.bench.symbalbench.run import BenchConfig, prepare, run_bench
from core.bench.symbalbench.settings import Label, make_settings, write_setting
from core.cli import main
from core.errors import ConfigError
from core.models.registry import Models, load_preset
from core.runs.workspace import Workspace
from tests.contracts.fake_chat import FakeChat

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


def asked_of(models, monkeypatch, answer):
    chat = FakeChat(answer)
    monkeypatch.setattr(models, "chat", lambda role: chat)
    return chat


def test_an_llm_judges_every_pair_once_and_its_failures_are_counted(monkeypatch):
    def answer(ask):
        said = ask.text.lower()
        return "maybe" if "burner" in said else "1" if "stove" in said or "range" in said else "0"

    chat = FakeChat(answer)
    judge = LlmJudge(chat)
    label = Label("oven", "oven", 0.3, 0.3, 10, 5, ("random",), 0.2)
    said = Prediction(("stove", "burner"), (("range", "burner"), ("cup",)))
    judge.prepare(said, label.t, label.v)
    assert len(chat.asked) == 4
    outcome = judged(label, said, judge)
    assert (outcome.t_at_1, outcome.both_at_1) == (True, True)
    assert judge.unscored == {("burner", "oven")}
    assert len(chat.asked) == 4, "nothing is asked twice"


def test_direct_prompting_is_one_question_and_a_bad_answer_is_a_reason(coco, models, tmp_path, monkeypatch):
    monkeypatch.setattr("core.bench.symbalbench.run.table_3", lambda: [("umbrella", "bus")])
    good = "Textual Error: umbrella, kite\nVisual Feature: dog, bus"
    chat = asked_of(models, monkeypatch, lambda ask: good)
    config = BenchConfig(coco, method="direct", n=1, direct_samples=30)
    (outcome,) = run_bench(config, Workspace(tmp_path / "a"), models)
    assert (outcome.t_at_1, outcome.both_at_1, outcome.both_at_5) == (True, False, True)
    (ask,) = chat.asked
    assert ask.text.count("Model-generated caption:") == 31, "thirty samples and the line that explains them"
    asked_of(models, monkeypatch, lambda ask: "I cannot tell.")
    (outcome,) = run_bench(config, Workspace(tmp_path / "b"), models)
    assert outcome.reason.startswith("unscored: unparseable")
    assert not outcome.t_at_5


def test_reference_free_compares_with_images_and_leaves_out_those_that_are_missing(
    coco, models, tmp_path, monkeypatch
):
    monkeypatch.setattr("core.bench.symbalbench.run.table_3", lambda: [("umbrella", "bus")])
    folder = tmp_path / "images"
    folder.mkdir()
    colours = {0: (220, 40, 40), 1: (60, 160, 60), 2: (230, 200, 90), 3: (240, 240, 250)}
    for i in range(200):
        Image.new("RGB", (64, 64), colours[i % 4]).save(folder / f"{i}.jpg")
    config = BenchConfig(coco, setting="reference-free", images=folder, n=1)
    (outcome,) = run_bench(config, Workspace(tmp_path / "w"), models)
    assert outcome.label.n_with_v <= 50
    assert outcome.prediction.ts, "something is found wrong with images alone"
    with pytest.raises(ConfigError, match="compares with images"):
        run_bench(BenchConfig(coco, setting="reference-free"), Workspace(tmp_path / "w"), models)
    empty = BenchConfig(coco, setting="reference-free", images=tmp_path)
    with pytest.raises(ConfigError, match="none of the images"):
        run_bench(empty, Workspace(tmp_path / "w"), models)


def test_pairs_can_be_drawn_from_the_data(coco, models, tmp_path):
    samples, settings = prepare(BenchConfig(coco, n_pairs=6))
    shown = {c for s in samples for c in s.image.annotated}
    assert settings
    assert {s.label.t for s in settings} | {s.label.v for s in settings} <= shown
