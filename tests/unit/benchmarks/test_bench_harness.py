"""The table of benchmarks says when a goal is missed, and every file it names is there."""

import importlib
import sys

import pytest

from benchmarks import __main__ as table
from benchmarks import harness
from benchmarks.harness import Row, in_turns, line, versus


@pytest.mark.parametrize(
    ("row", "ok"),
    [
        (Row("a", 8.0, 8.0, "", ""), True),
        (Row("a", 7.9, 8.0, "", ""), False),
        (Row("a", 7.9, 8.0, "", "", at_most=True), True),
        (Row("a", 8.1, 8.0, "", "", at_most=True), False),
    ],
)
def test_a_goal_is_reached_or_short(row, ok):
    assert row.ok is ok
    assert (" ok " if ok else " short ") in line(row)


def test_ratio_is_peer_over_ours():
    row = versus("work", 0.5, 2.0, 3.0, "them")
    assert (row.ratio, row.ok) == (4.0, True)
    assert row.peer == "them: 2e+03 ms"


def test_both_ways_run_in_turns():
    calls = []
    in_turns(lambda: calls.append("ours"), lambda: calls.append("peer"), 3)
    assert calls == ["ours", "peer"] * 3


@pytest.mark.parametrize(("ratio", "code"), [(2.0, 0), (0.5, 1)])
def test_exit_code_and_kept_results(ratio, code, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(harness, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(sys, "argv", ["bench"])
    with pytest.raises(SystemExit) as ended:
        harness.main(lambda quick: [Row("work", ratio, 1.0, "ours", "peer")], "work")
    assert ended.value.code == code
    kept = (tmp_path / "results" / "work.json").read_text()
    assert '"versions"' in kept
    assert f'"ratio": {ratio}' in kept
    assert "work" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted({*table.QUICK, *table.FULL}))
def test_every_named_file_can_be_run(name):
    assert callable(importlib.import_module(f"benchmarks.{name}").run)
