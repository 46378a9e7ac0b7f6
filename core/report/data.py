"""What a report says, as plain data: gathered once, then only drawn.

Texts are as read from the data, unescaped; the template escapes every one of them. Numbers are text as
people read them (core.views.numbers), so that the report and the screen say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.views.marked_text import Piece

Section = Literal[
    "audited",
    "method",
    "summary",
    "findings",
    "map",
    "evian",
    "captioners",
    "planted",
    "limits",
    "provenance",
]
SECTIONS: Mapping[Section, str] = {
    "audited": "What was audited",
    "method": "How",
    "summary": "Findings at a glance",
    "findings": "The findings",
    "map": "Map of the sentences",
    "evian": "Scores on three axes",
    "captioners": "Captioners compared",
    "planted": "How much this audit can see",
    "limits": "Limits",
    "provenance": "Provenance",
}
"""All sections, in the order of the report, with their headings."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked of a report.

    findings: "confirmed", "all", or ranks with commas ("1,3,5"). sections: of SECTIONS.
    max_images: thumbnails a finding has at most. max_mb: size of the file at most, millions of bytes.
    date: as it stands on the report, "" = none. title: "" = made from the dataset's name.
    """

    findings: str = "all"
    sections: tuple[Section, ...] = tuple(SECTIONS)
    max_images: int = 12
    max_mb: float = 15.0
    date: str = ""
    title: str = ""
    author: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A thing said with its source. source: where the number comes from, "" = said in the label."""

    label: str
    value: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text. numeric: indices of columns that are aligned right. caption: what it shows."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """A static drawing. svg: trusted markup made by core.report.svg, texts escaped there.

    table: the numbers drawn. open_table: shown at once instead of behind a click.
    """

    title: str
    svg: str
    table: Table


@dataclass(frozen=True, slots=True)
class Example:
    """A sample under a finding. sha256: of its image, None = none. missing: why there is no thumbnail."""

    sample_id: str
    sha256: str | None
    image_name: str
    pieces: tuple[Piece, ...]
    why: str
    captioner: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Strip:
    """One cell of the contrast strip. total: samples in it, of which examples are shown."""

    key: str
    title: str
    hint: str
    total: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class VerdictLine:
    annotator: str
    verdict: str
    note: str
    time: str


@dataclass(frozen=True, slots=True)
class FindingPart:
    """All about one finding. believed: q below 0.05 and replicated."""

    rank: int
    anchor: str
    textual_fact: str
    visual_feature: str
    sentence: str
    rates: str
    believed: bool
    verdict: str
    table: Table
    rates_plot: Plot
    statistics: tuple[tuple[str, str, str, str], ...]
    prevalence: str
    strips: tuple[Strip, ...]
    critiques: Table | None
    critiques_note: str
    verdicts: tuple[VerdictLine, ...]
    rule: str
    clusters: str


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt of the run. sha256: of its text, as it entered the keys."""

    prompt_id: str
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class ReportData:
    """A whole report. absent: section -> the sentence that stands for it where the run has no data."""

    title: str
    author: str
    date: str
    notes: str
    dataset: str
    run_id: str
    sections: tuple[Section, ...]
    lead: tuple[Fact, ...] = ()
    audited: tuple[Fact, ...] = ()
    skipped: Table | None = None
    skipped_note: str = ""
    method: tuple[str, ...] = ()
    models: Table | None = None
    warnings: tuple[str, ...] = ()
    summary: Table | None = None
    summary_note: str = ""
    summary_plot: Plot | None = None
    findings: tuple[FindingPart, ...] = ()
    fact_map: Plot | None = None
    map_note: str = ""
    evian: tuple[Plot, ...] = ()
    evian_note: str = ""
    captioners: tuple[Table, ...] = ()
    captioners_plot: Plot | None = None
    captioners_note: str = ""
    planted: Table | None = None
    planted_note: str = ""
    limits: tuple[str, ...] = ()
    config: Table | None = None
    stages: Table | None = None
    versions: Table | None = None
    prompts: tuple[PromptText, ...] = ()
    command: str = ""
    absent: Mapping[str, str] = field(default_factory=dict)
