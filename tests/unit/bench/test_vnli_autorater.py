"""The AutoRater's bench from a labelled file to its report, on real models. Paper: VNLI-Critique 4.2."""

import json

import pytest

from core.bench.vnli_autorater import BenchConfig, run_bench, worst
from core.bench.vnli_report import lines_of
from core.cli import main
from core.domain.judgement import Unscored
from core.domain.vnli import Factuality
from core.runs.workspace import Workspace

ROWS = [
    ("Good", "a", "A dog sits on a sofa. It is calm.", ["dog", "couch"]),
    ("Good", "b", "A bus is parked. A person stands near it.", ["bus", "person"]),
    ("Bad", "a", "A dog sits on a sofa. A handbag lies there.", ["dog", "couch"]),
    ("Bad", "b", "A bus is parked. A dog and a handbag are near.", ["bus", "person"]),
    ("Worst", "a", "A bus is parked. A handbag lies there.", ["dog", "couch"]),
    ("Worst", "b", "A dog sits. A handbag lies there.", ["bus", "person"]),
]
EXTRA = ("Good", "c", "A handbag lies on a couch.", ["handbag", "couch"])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("vnli") / "rows.jsonl"
    rows = [{"captioner": c, "image": i, "caption": t, "objects": o} for c, i, t, o in [*ROWS, EXTRA]]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


@pytest.fixture(scope="module")
def report(data):
    return run_bench(BenchConfig(data, "objects"), Workspace(data.parent / "w"))


def test_it_ranks_as_the_labels_do(report):
    assert [r["captioner"] for r in report["leaderboard"]] == ["Good", "Bad", "Worst"]
    assert [r["captioner"] for r in report["labels_leaderboard"]] == ["Good", "Bad", "Worst"]
    assert report["correlation"]["sentences"]["spearman"] == pytest.approx(1.0)
    assert report["n_images"] == 3


def test_unscored_sentences_are_counted_and_left_out(report):
    assert report["verdicts"]["unscored: no judged concept"] == 1  # "It is calm."
    assert sum(report["verdicts"].values()) == report["n_sentences"] == 13
    assert report["sentences"]["n"] == 12
    assert report["sentences"]["not_compared"] == {"no judged concept": 1}
    assert report["error_types"]["missing object"]["called_right"] == 0


def test_pairs_are_on_shared_images(report):
    pair = next(p for p in report["pairs"] if (p["first"], p["second"]) == ("Bad", "Good"))
    assert pair["n_images"] == 2
    assert pair["differences"]["sentences"] is None  # two images are too few for a bootstrap
    assert pair["only_second"] == 2


def test_the_printed_report_says_that_it_is_a_baseline(data, capsys):
    argv = [
        "bench",
        "vnli",
        "--data",
        str(data),
        "--format",
        "objects",
        "--workspace",
        str(data.parent / "w"),
    ]
    assert main([*argv, "--json", str(data.parent / "out.json")]) == 0
    text = capsys.readouterr().out
    assert "embedded baseline, a heuristic" in text
    assert "Spearman 1.000" in text
    assert json.loads((data.parent / "out.json").read_text())["critic"]["baseline"] is True


def test_a_file_of_another_format_is_one_sentence(data, capsys):
    argv = ["bench", "vnli", "--data", str(data), "--format", "docci", "--workspace", str(data.parent / "w")]
    assert main(argv) == 2
    assert "no record of the format 'docci'" in capsys.readouterr().err


def test_nothing_to_compare_with_is_said(data, capsys):
    argv = ["bench", "vnli", "--data", str(data), "--format", "objects", "--no-objects"]
    assert main([*argv, "--workspace", str(data.parent / "w")]) == 2
    assert "nothing to compare" in capsys.readouterr().err


def test_a_sentence_that_is_split_gets_its_worst_part():
    low, high = Factuality(0.2, "Non-entailment", "x"), Factuality(0.9, "Entailment", "x")
    nothing = Factuality(None, "Nothing to assess", "rule")
    assert worst([high, low, Unscored("no image")]) == low
    assert worst([nothing, Unscored("no image")]).reason == "no image"
    assert worst([nothing]) == nothing
    assert worst([]).reason == "no sentence"


def test_agreement_and_types_are_printed(report):
    lines = lines_of({**report, "agreement": {
        "n_sentences": 2, "most_raters": 5, "alpha_four_labels": 0.5, "alpha_binary": None, "no_majority": 1
    }})  # fmt: skip
    assert any("alpha 0.500 (four labels), - (right or wrong)" in line for line in lines)
