"""Append-only verdicts: one JSON Lines file an annotator, on disk before the caller goes on."""

from __future__ import annotations

import fcntl
import heapq
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path

from core.domain.label import HumanLabel
from core.errors import RunError
from core.labels.names import SUFFIX, clean_annotator, file_name
from core.labels.replay import TargetStatus, standing_labels, status_of

_TEXT_FIELDS = ("label_id", "dataset", "target", "verdict", "note", "annotator", "time", "run_id")


@dataclass(frozen=True, slots=True)
class LabelLog:
    """All labels of a dataset and what could not be read.

    labels: in time order; labels of one annotator in the order they were written.
    damaged: lines that are no label (a write cut short, say); they stay in their file.
    """

    labels: tuple[HumanLabel, ...]
    damaged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One verdict to be recorded. text: as HumanLabel's."""

    target: str
    verdict: str
    note: str = ""
    text: str | None = None


class LabelStore:
    """The labels of one dataset in `folder`; safe for several tabs, annotators and processes at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def append(self, label: HumanLabel) -> None:
        """Write one label; on disk (fsync) when this returns. Raises RunError if it could not be saved."""
        with self._locked(label.annotator) as descriptor:
            _write_lines(descriptor, [label])

    def give(
        self,
        target: str,
        verdict: str,
        *,
        annotator: str,
        dataset: str,
        run_id: str,
        note: str = "",
        text: str | None = None,
    ) -> HumanLabel:
        """Record a verdict, superseding the annotator's standing one on this target.

        Raises RunError if it could not be saved, ConfigError if the annotator has no usable name.
        """
        one = Verdict(target, verdict, note, text)
        return self.give_many([one], annotator=annotator, dataset=dataset, run_id=run_id)[0]

    def give_many(
        self, verdicts: Sequence[Verdict], *, annotator: str, dataset: str, run_id: str
    ) -> list[HumanLabel]:
        """Record verdicts on different targets at once; all on disk when this returns. Raises as `give`."""
        name = clean_annotator(annotator)
        with self._locked(name) as descriptor:
            standing = self._standing(name)
            labels = []
            for one in verdicts:
                before = standing.get((one.target, name))
                label = HumanLabel(
                    label_id=uuid.uuid4().hex,
                    dataset=dataset,
                    target=one.target,
                    verdict=one.verdict,
                    note=one.note,
                    annotator=name,
                    time=_now(),
                    run_id=run_id,
                    supersedes=before.label_id if before else None,
                    text=one.text,
                )
                labels.append(label)
                standing[(one.target, name)] = label
            _write_lines(descriptor, labels)
        return labels

    def undo(self, target: str, annotator: str) -> HumanLabel | None:
        """Take back the annotator's standing verdict by a withdrawn label; the one before holds again.

        Returns the label taken back, None if there was none. Raises RunError if it could not be saved.
        """
        return next(iter(self.undo_many([target], annotator)), None)

    def undo_many(self, targets: Iterable[str], annotator: str) -> list[HumanLabel]:
        """Take back the annotator's standing verdicts on different targets; returns those there were."""
        name = clean_annotator(annotator)
        with self._locked(name) as descriptor:
            standing = self._standing(name)
            found = [standing.get((target, name)) for target in dict.fromkeys(targets)]
            taken_back = [label for label in found if label is not None]
            withdrawals = [
                replace(
                    label,
                    label_id=uuid.uuid4().hex,
                    note="",
                    time=_now(),
                    supersedes=label.label_id,
                    withdrawn=True,
                )
                for label in taken_back
            ]
            _write_lines(descriptor, withdrawals)
        return taken_back

    def read(self) -> LabelLog:
        """Everything there is. Raises RunError if a file cannot be read."""
        paths = sorted(self._folder.glob(f"*{SUFFIX}")) if self._folder.is_dir() else []
        files = [_read_file(path) for path in paths]
        merged = heapq.merge(*(labels for labels, _ in files), key=lambda label: label.time)
        return LabelLog(tuple(merged), tuple(line for _, damaged in files for line in damaged))

    def labels(self) -> tuple[HumanLabel, ...]:
        """All labels, withdrawn and superseded ones too, in time order."""
        return self.read().labels

    def current(self, target: str, annotator: str) -> HumanLabel | None:
        """The annotator's verdict that holds on a target, None if there is none or it was taken back."""
        name = clean_annotator(annotator)
        return self._standing(name).get((target, name))

    def status(self, target: str) -> TargetStatus:
        """The verdicts that hold on a target, over all annotators."""
        return self.statuses().get(target, status_of(()))

    def statuses(self) -> dict[str, TargetStatus]:
        """The status of every target that has a standing verdict."""
        by_target: dict[str, list[HumanLabel]] = {}
        for (target, _), label in standing_labels(self.labels()).items():
            by_target.setdefault(target, []).append(label)
        return {target: status_of(labels) for target, labels in by_target.items()}

    def history(self, target: str) -> tuple[HumanLabel, ...]:
        """Every label ever given on a target, newest first."""
        return tuple(label for label in reversed(self.labels()) if label.target == target)

    def _standing(self, annotator: str) -> dict[tuple[str, str], HumanLabel]:
        path = self._folder / file_name(annotator)
        found, _ = _read_file(path) if path.exists() else ([], [])
        return standing_labels(found)

    @contextmanager
    def _locked(self, annotator: str) -> Iterator[int]:
        """The annotator's file, open for appending and locked against every other writer."""
        path = self._folder / file_name(annotator)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists()
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield descriptor
                if is_new:
                    _sync_folder(self._folder)
            finally:
                os.close(descriptor)
        except OSError as e:
            raise RunError(
                f"the verdict could not be saved ({e.strerror or e})",
                where=str(path),
                remedy="make the folder writable, or free some space, and give the verdict again",
            ) from None


def _write_lines(descriptor: int, labels: Sequence[HumanLabel]) -> None:
    """Append labels as lines. A line cut short by a crash is closed first, never removed."""
    if not labels:
        return
    lines = [json.dumps(_record(one), ensure_ascii=False, separators=(",", ":")) + "\n" for one in labels]
    data = (b"" if _ends_cleanly(descriptor) else b"\n") + "".join(lines).encode("utf-8", "replace")
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)


def _record(label: HumanLabel) -> dict[str, object]:
    """The label as written; `text` only where there is one."""
    record = asdict(label)
    if label.text is None:
        del record["text"]
    return record


def _ends_cleanly(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_file(path: Path) -> tuple[list[HumanLabel], list[str]]:
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as e:
        raise RunError(f"the verdicts cannot be read ({e.strerror or e})", where=str(path)) from None
    labels: list[HumanLabel] = []
    damaged: list[str] = []
    for line in text.split("\n"):
        label = _parse(line) if line.strip() else None
        if label is not None:
            labels.append(label)
        elif line.strip():
            damaged.append(line)
    return labels, damaged


def _parse(line: str) -> HumanLabel | None:
    """The label on a line, None if it is none; fields of later versions are passed over."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    if not isinstance(record, dict) or not all(isinstance(record.get(name), str) for name in _TEXT_FIELDS):
        return None
    if not isinstance(record.get("text"), str | None):
        return None
    known = {f.name for f in fields(HumanLabel)}
    return HumanLabel(**{name: value for name, value in record.items() if name in known})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
