"""The medical base dataset: report texts with labels from columns. Paper: SymbalBench 5, B (medical).

The paper uses MIMIC-CXR, which only its licensees have; any CSV of reports with a column of labels will do.
T = the impression, R = findings and impression. Departs: diseases come from the labels column and devices
from the labels or the words of the report, where the paper adds CheXpert's and RadGraph-XL's labels; the
paper's filter on entities is not rebuilt.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.bench.symbalbench.coco import BaseSample, CocoImage
from core.bench.symbalbench.names import HERE, mentions, plain
from core.bench.symbalbench.settings import read_pairs
from core.errors import DataError
from core.facts.sentences import split_sentences

MOST_SENTENCES = 50
"""The paper's fifty most frequent sentences of the corpus that say t is present."""
_DENIED = re.compile(
    r"\b(no|not|without|absent|negative|free of|resolved|cleared|rather than|rule out|question|may|"
    r"possib\w*|suspicio\w*|questionable|versus|vs)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"[;|]")


@dataclass(frozen=True, slots=True)
class ReportColumns:
    """Columns of the reports file. references: joined to one reference. labels: names with ; or | between."""

    identifier: str = "uid"
    text: str = "impression"
    references: tuple[str, ...] = ("findings", "impression")
    labels: str = "Problems"


def medical_pairs() -> list[tuple[str, str]]:
    """The pairs (t, v) of the paper's Table 3 on chest X-rays."""
    return read_pairs(HERE / "table_3_medical.txt")


def read_reports(path: Path, columns: ReportColumns | None = None) -> list[BaseSample]:
    """One sample a report that has a text and a reference, in file order.

    objects: what the report shows of the terms of Table 3 (share 1: X-rays have no boxes); diseases as
    labelled, devices as labelled or named. Raises: DataError for a file without these columns.
    """
    columns = columns or ReportColumns()
    terms = sorted({name for pair in medical_pairs() for name in pair})
    devices = {v for _, v in medical_pairs()}
    samples = []
    for row in _rows(path, columns):
        text = " ".join(row[columns.text].split())
        reference = " ".join(" ".join(row[c].split()) for c in columns.references).strip()
        if not text or not reference:
            continue
        labels = {plain(label) for label in _SEPARATOR.split(row[columns.labels]) if label.strip()}
        shown = {t for t in terms if any(mentions(label, t) for label in labels)}
        shown |= {t for t in devices if says(reference, t)}
        image = CocoImage(row[columns.identifier], "", (text,), dict.fromkeys(shown, 1.0), frozenset(shown))
        samples.append(BaseSample(image, text, (reference,)))
    if not samples:
        raise DataError("no report has a text and a reference", where=str(path))
    return samples


def says(text: str, term: str) -> bool:
    """Whether a sentence of the text names the term without denying or doubting it: a heuristic."""
    sentences = (text[a:b] for a, b in split_sentences(text))
    return any(mentions(plain(s), term) and not _DENIED.search(s) for s in sentences)


def corpus_sentences(texts: Iterable[str], terms: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For each term up to fifty sentences that say it is present, most frequent first.

    Raises: DataError for a term no sentence of the corpus names.
    """
    counts: dict[str, Counter[str]] = {t: Counter() for t in terms}
    for text in texts:
        for a, b in split_sentences(text):
            said = " ".join(text[a:b].split())
            if not _DENIED.search(said):
                for term in terms:
                    if mentions(plain(said), term):
                        counts[term][said] += 1
    for term, found in counts.items():
        if not found:
            raise DataError("no sentence of the corpus says this is present", value=term)
    return {
        t: tuple(s for s, _ in sorted(c.items(), key=lambda kv: (-kv[1], kv[0]))[:MOST_SENTENCES])
        for t, c in counts.items()
    }


def _rows(path: Path, columns: ReportColumns) -> list[dict[str, str]]:
    wanted = (columns.identifier, columns.text, *columns.references, columns.labels)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = [c for c in wanted if c not in (reader.fieldnames or ())]
            if missing:
                raise DataError(
                    f"the reports have no column {missing[0]!r}", where=str(path),
                    value=", ".join(reader.fieldnames or ()), remedy="name the columns with --report-columns",
                )  # fmt: skip
            return [{c: row[c] or "" for c in wanted} for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"the reports cannot be read: {error}", where=str(path)) from error
