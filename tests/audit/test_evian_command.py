"""`python -m core evian` and `python -m core bench evian` as typed: output, exit codes, files written."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from core.bench.evian_plot import FLOOR, svg_of
from core.cli import main
from core.runs.workspace import Workspace
from core.views.open_run import open_run
from core.views.triplets import load_triplets

MODELS = ("alpha", "beta", "gamma")
N = 24
TEXTS = (
    "A lamp stands on a table.",
    "A red car is parked next to a tree. It is probably waiting for its owner.",
    "Two dogs run across a field of grass.",
    "A man sits on a bench. He seems to be tired because he has walked a long way.",
)
MISSING = 5
"""The response whose image does not exist, under any ending."""


def write_responses(folder, *, wrong_ending=()):
    """24 responses of three models; images of `wrong_ending` are .jpg where the file says .png."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for i in range(N):
        ending = "jpg" if i in wrong_ending else "png"
        if i != MISSING:
            picture = Image.new("RGB", (40, 32), (i * 9 % 255, 120, i * 31 % 255))
            picture.save(folder / f"{i}.{ending}")
        text = TEXTS[i % len(TEXTS)]
        rows.append({"id": f"r{i}", "image": f"{i}.png", "caption": text, "captioner": MODELS[i % 3],
                     "references": [text.split(".")[0] + "."]})  # fmt: skip
    path = folder / "responses.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def evian(path, workspace, *more):
    return main(["evian", str(path), "--images", str(path.parent), "--references", "references",
                 "--workspace", str(workspace), *more])  # fmt: skip


@pytest.fixture(scope="module")
def responses(tmp_path_factory):
    return write_responses(tmp_path_factory.mktemp("responses"), wrong_ending=(2, 7))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return tmp_path_factory.mktemp("evian") / "w"


def test_json_has_every_response_by_model_and_the_ten_worst_with_reasons(responses, workspace, capsys):
    assert evian(responses, workspace, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    table = {r["captioner"]: r for r in said["captioners"]}
    assert {name: r["n"] for name, r in table.items()} == dict.fromkeys(MODELS, N // 3)
    means = [r["overall"] for r in said["captioners"]]
    assert means == sorted(means, reverse=True), "best first"
    assert all(1 <= m <= 5 for m in means)
    assert len(said["worst"]) == 10
    overall = [w["overall"] for w in said["worst"]]
    assert overall == sorted(overall), "worst first"
    for w in said["worst"]:
        assert [a["symbol"] for a in w["axes"]] == ["S_V", "S_L", "S_K"]
        assert all(a["explanation"] for a in w["axes"]), "every score has its reason"
    assert "no fact is checked" in said["note"], "heuristics are called so"
    t = load_triplets(open_run(Workspace(workspace), said["run_id"]))
    scores = t.scores[t.sample_ids.index(f"r{MISSING}")]
    assert not np.isnan(scores[1:]).any(), "without an image the text is scored all the same"


def test_the_printed_table_has_a_row_a_model_and_says_baseline(responses, workspace, capsys):
    assert evian(responses, workspace) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{N} triplets (baseline)" in lines[0]
    assert {line.split()[0] for line in lines[2:5]} == set(MODELS)
    assert all(line.split()[1] == str(N // 3) for line in lines[2:5])
    worst = lines[lines.index("The ten worst:") + 1 :]
    assert sum(line.startswith("- ") for line in worst) == 10
    assert sum(line.startswith("    S_") for line in worst) == 30


def test_images_of_another_ending_are_found_and_counted(responses, workspace, capsys):
    assert evian(responses, workspace, "--images-by-stem", "--json") == 0
    out, err = capsys.readouterr()
    assert "2 image paths had another ending" in err
    run = workspace / "runs" / json.loads(out)["run_id"] / "config.toml"
    copied = next(line for line in run.read_text().splitlines() if line.startswith("captions"))
    rows = [json.loads(x) for x in Path(copied.split('"')[1]).read_text("utf-8").splitlines()]
    assert [r["image"] for r in rows] == [f"{i}.jpg" if i in (2, 7) else f"{i}.png" for i in range(N)]
    assert [r["caption"] for r in rows] == [TEXTS[i % len(TEXTS)] for i in range(N)], "nothing else changes"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evian", "missing.jsonl"], "missing.jsonl"),
        (["evian", "{file}", "--preset", "no-such-preset"], "no-such-preset"),
        (["evian", "{file}", "--caption-column", "nothing"], "nothing"),
        (["bench", "evian", "--data", "{file}", "--n", "0"], "--n must be at least 1"),
        (["bench", "evian", "--data", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_a_mistake_is_one_sentence(responses, tmp_path, capsys, arguments, said):
    typed = [a.replace("{file}", str(responses)) for a in arguments]
    assert main([*typed, "--workspace", str(tmp_path / "w")]) == 2
    out, err = capsys.readouterr()
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert said in errors[0]
    assert "Traceback" not in err
    assert out == ""


@pytest.fixture(scope="module")
def benchmark(responses, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    typed = ["bench", "evian", "--data", str(responses), "--images", str(responses.parent), "--references",
             "references", "--n", "12", "--workspace", str(folder / "w"), "--json", str(folder / "out.json"),
             "--plot", str(folder / "plot.html")]  # fmt: skip
    assert main(typed) == 0
    return json.loads((folder / "out.json").read_text()), (folder / "plot.html").read_text()


def test_the_benchmark_writes_its_report_with_every_item_kept(benchmark):
    report, _ = benchmark
    n = report["n_clean"]
    assert 1 <= n <= 12
    assert report["n_defect"] == n
    assert n + sum(report["not_injected"].values()) == 12
    assert report["scores_are_baseline"]
    assert "heuristic" in report["injector"]
    lines = Path(report["items"]).read_text("utf-8").splitlines()
    items = {i["id"]: i for i in map(json.loads, lines)}
    for name, item in items.items():
        if name.endswith("-clean"):
            continue
        clean = items[name.replace("-defect", "-clean")]
        assert item["original"] == clean["caption"] != item["caption"]
        assert item["subtype"]
        start, stop = item["changed"]
        assert item["caption"][:start] == clean["caption"][:start], "outside the span nothing changed"
        kept_after = len(item["caption"]) - stop
        assert item["caption"][stop:] == clean["caption"][len(clean["caption"]) - kept_after :]
    assert sum(f["n"] for f in report["subtypes"].values()) == n
    assert {"without decomposition", "without S_V", "without S_L", "without S_K"} <= set(report["ablations"])


def test_the_plot_shows_the_reports_distributions(benchmark):
    report, html = benchmark
    assert "(embedded baseline)" in html
    assert "<script" not in html
    assert "http" not in html.replace("http://www.w3.org/2000/svg", ""), "nothing is loaded"
    d = report["distribution"]
    assert f">clean ({sum(d['clean'])})<" in html
    assert f">defect ({sum(d['defect'])})<" in html


def bars(svg, name):
    """(share read from the title, height) of the bars of one group, in order of the score."""
    found = []
    for rect in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect"):
        title = rect.find("{http://www.w3.org/2000/svg}title")
        if title is not None and title.text.startswith(f"{name}:"):
            found.append((title.text, float(rect.get("height"))))
            assert float(rect.get("y")) + float(rect.get("height")) == pytest.approx(FLOOR, abs=0.11)
    return found


def test_bars_are_shares_of_their_own_group():
    report = {"distribution": {"centre": [1.0, 2.0, 3.0], "clean": [0, 10, 30], "defect": [1, 0, 1]}}
    svg = svg_of(report)
    assert [h for _, h in bars(svg, "clean")] == pytest.approx([0, 200 / 3, 200], abs=0.1)
    assert [h for _, h in bars(svg, "defect")] == pytest.approx([400 / 3, 0, 400 / 3], abs=0.1)
    assert bars(svg, "clean")[2][0] == "clean: 75.0 % at 3.00"
    assert bars(svg, "defect")[0][0] == "defect: 50.0 % at 1.00"


def test_a_group_without_scores_draws_nothing_and_breaks_nothing():
    svg = svg_of({"distribution": {"centre": [1.0, 2.0], "clean": [0, 0], "defect": [0, 0]}})
    assert [h for _, h in bars(svg, "clean") + bars(svg, "defect")] == [0, 0, 0, 0]
