"""Labels are on disk before `give` returns, are never lost, never changed, only superseded."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import threading

import pytest

from core.domain.label import HumanLabel
from core.errors import ConfigError, RunError
from core.labels.verdicts import LabelStore

TARGET = "finding:abc"


def give(store, verdict, annotator="ann", target=TARGET, note=""):
    return store.give(target, verdict, annotator=annotator, dataset="d" * 8, run_id="run-1", note=note)


def lines_of(folder):
    return [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]


def test_a_verdict_is_read_back_whole(tmp_path):
    label = give(
        LabelStore(tmp_path), "confirmed", note="bus in 9 of 10 <script>alert(1)</script>\nsecond line"
    )
    assert LabelStore(tmp_path).labels() == (label,)
    assert label.time.endswith("+00:00")
    assert label.supersedes is None
    assert LabelStore(tmp_path).current(TARGET, "ann") == label


def test_a_second_verdict_supersedes_and_both_stay_on_disk(tmp_path):
    store = LabelStore(tmp_path)
    first = give(store, "confirmed")
    second = give(store, "rejected")
    assert second.supersedes == first.label_id
    assert store.current(TARGET, "ann") == second
    assert [label.label_id for label in store.history(TARGET)] == [second.label_id, first.label_id]


def test_undo_brings_the_verdict_before_back_and_erases_nothing(tmp_path):
    store = LabelStore(tmp_path)
    first = give(store, "confirmed")
    second = give(store, "rejected")
    assert store.undo(TARGET, "ann") == second
    assert store.current(TARGET, "ann") == first
    assert store.undo(TARGET, "ann") == first
    assert store.current(TARGET, "ann") is None
    assert store.undo(TARGET, "ann") is None
    assert [label.withdrawn for label in store.labels()] == [False, False, True, True]


def test_a_verdict_after_an_undo_holds(tmp_path):
    store = LabelStore(tmp_path)
    give(store, "confirmed")
    store.undo(TARGET, "ann")
    again = give(store, "unsure")
    assert again.supersedes is None
    assert store.current(TARGET, "ann") == again


def test_status_over_annotators(tmp_path):
    store = LabelStore(tmp_path)
    assert store.status(TARGET).agreed is None
    give(store, "confirmed", "ann")
    assert store.status(TARGET).agreed == "confirmed"
    give(store, "rejected", "bob")
    status = store.status(TARGET)
    assert status.disputed
    assert status.agreed is None
    assert status.counts == {"confirmed": 1, "rejected": 1}
    give(store, "confirmed", "bob")
    assert store.status(TARGET).agreed == "confirmed"
    assert set(store.status(TARGET).by_annotator) == {"ann", "bob"}


def test_targets_do_not_mix(tmp_path):
    store = LabelStore(tmp_path)
    give(store, "confirmed", target="finding:1")
    give(store, "rejected", target="finding:2")
    assert {target: s.agreed for target, s in store.statuses().items()} == {
        "finding:1": "confirmed",
        "finding:2": "rejected",
    }


@pytest.mark.parametrize("cut", [1, 7, 40, -1])
def test_a_line_cut_short_loses_no_other_line(tmp_path, cut):
    store = LabelStore(tmp_path)
    whole = give(store, "confirmed")
    path = next(tmp_path.glob("*.jsonl"))
    fragment = json.dumps(dataclasses.asdict(whole)).encode()[:cut]
    with path.open("ab") as stream:
        stream.write(fragment)
    after = give(store, "rejected")
    log = store.read()
    assert [label.label_id for label in log.labels] == [whole.label_id, after.label_id]
    assert log.damaged == (fragment.decode(),)
    assert fragment in path.read_bytes()


def test_a_whole_last_line_without_its_newline_counts(tmp_path):
    store = LabelStore(tmp_path)
    first = give(store, "confirmed")
    path = next(tmp_path.glob("*.jsonl"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    second = give(store, "rejected")
    assert store.labels() == (first, second)
    assert store.read().damaged == ()


def test_lines_that_are_no_labels_are_reported_not_raised(tmp_path):
    store = LabelStore(tmp_path)
    give(store, "confirmed")
    with next(tmp_path.glob("*.jsonl")).open("ab") as stream:
        stream.write(b'[1]\n{"label_id": 3}\n\xff\xfe\n\n')
    assert len(store.labels()) == 1
    assert len(store.read().damaged) == 3


def test_a_later_version_of_the_format_is_still_read(tmp_path):
    label = give(LabelStore(tmp_path), "confirmed")
    path = next(tmp_path.glob("*.jsonl"))
    path.write_text(json.dumps(dataclasses.asdict(label) | {"confidence": 0.5}) + "\n")
    assert LabelStore(tmp_path).labels() == (label,)


def test_a_clock_set_back_does_not_change_which_verdict_holds(tmp_path):
    store = LabelStore(tmp_path)
    late = give(store, "confirmed")
    early = dataclasses.replace(late, label_id="x", verdict="rejected", time="2001-01-01T00:00:00+00:00")
    store.append(early)
    assert store.status(TARGET).agreed == "rejected"
    assert store.current(TARGET, "ann") == early


def test_fsync_happens_before_give_returns(tmp_path, monkeypatch):
    synced = []
    real = os.fsync

    def spy(descriptor):
        synced.append(lines_of(tmp_path))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", spy)
    label = give(LabelStore(tmp_path), "confirmed")
    assert any(label.label_id in line for line in synced[0])


def test_what_cannot_be_saved_is_said(tmp_path):
    blocked = tmp_path / "labels"
    blocked.write_text("a file where the folder should be")
    with pytest.raises(RunError, match="could not be saved"):
        give(LabelStore(blocked), "confirmed")


def test_a_full_disk_is_said_and_the_next_verdict_is_whole(tmp_path, monkeypatch):
    store = LabelStore(tmp_path)
    real = os.write

    def half(descriptor, data):
        if len(data) > 60:
            return real(descriptor, data[:60])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as m:
        m.setattr(os, "write", half)
        with pytest.raises(RunError, match="No space left"):
            give(store, "confirmed")
    kept = give(store, "rejected")
    assert store.labels() == (kept,)


def test_a_blank_annotator_is_refused(tmp_path):
    with pytest.raises(ConfigError):
        give(LabelStore(tmp_path), "confirmed", annotator="  ")
    assert lines_of(tmp_path) == []


def test_two_tabs_of_one_annotator_lose_nothing(tmp_path):
    def work(tab):
        store = LabelStore(tmp_path)
        for i in range(25):
            give(store, "confirmed", target=f"finding:{tab}-{i}")

    tabs = [threading.Thread(target=work, args=(tab,)) for tab in range(4)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    log = LabelStore(tmp_path).read()
    assert len({label.target for label in log.labels}) == 100
    assert log.damaged == ()


def _give_many(folder, process, n):
    for i in range(n):
        give(LabelStore(folder), "confirmed", target="finding:same", note=f"{process}-{i} " + "x" * 5000)


def test_processes_writing_the_same_target_make_one_unbroken_chain(tmp_path):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_give_many, args=(tmp_path, p, 15)) for p in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    labels = LabelStore(tmp_path).labels()
    assert len({label.note for label in labels}) == 45
    assert [label.supersedes for label in labels[1:]] == [label.label_id for label in labels[:-1]]


def test_append_takes_a_label_made_elsewhere(tmp_path):
    label = HumanLabel("id", "data", TARGET, "unsure", "", "eve", "2026-01-01T00:00:00.000000+00:00", "run")
    LabelStore(tmp_path).append(label)
    assert LabelStore(tmp_path).labels() == (label,)
