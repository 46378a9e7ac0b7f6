"""Everything a report says about one finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from core.report.data import Example, FindingPart, Options, Plot, Strip, Table, VerdictLine
from core.report.prevalence_of import prevalence_sentence
from core.report.svg import shares
from core.views.finding import FindingView, finding_view, table_of, verdicts_view
from core.views.findings import finding_target, is_believed, verdict_of
from core.views.gallery import SampleCard, cards_of, groups_of
from core.views.numbers import count, counted
from core.views.open_run import OpenRun, labels_of
from core.views.stage_rows import rows_where

TITLES = {
    "wrong_present": "Said wrongly, with ‘{v}’",
    "right_present": "Not wrong, with ‘{v}’",
    "wrong_absent": "Said wrongly, without ‘{v}’",
    "right_absent": "Not wrong, without ‘{v}’",
}
CRITIQUES_SHOWN = 8


def finding_part(run: OpenRun, finding: Mapping[str, Any], options: Options) -> FindingPart:
    """One finding of a run. Raises RunError if a stage it needs is missing or damaged."""
    finding_id = finding["finding_id"]
    view = finding_view(run, finding_id)
    verdicts = verdicts_view(run, finding_id, "")
    critiques, note = _critiques(run, finding_id)
    status = labels_of(run.workspace, run.fingerprint).status(finding_target(finding_id))
    return FindingPart(
        rank=view.rank,
        anchor=f"finding-{view.rank}",
        textual_fact=view.textual_fact,
        visual_feature=view.visual_feature,
        sentence=view.sentence,
        rates=view.rates,
        believed=is_believed(finding["association"]),
        verdict=verdict_of(status)[0],
        table=_table(view),
        rates_plot=_rates(view, finding),
        statistics=tuple(
            (s.name, s.value, s.interval, s.meaning.removesuffix(" This finding is not yet to be believed."))
            for s in view.statistics
        ),
        prevalence=prevalence_sentence(run, finding),
        strips=_strips(run, view, options.max_images),
        critiques=critiques,
        critiques_note=note,
        verdicts=tuple(
            VerdictLine(line.annotator, line.verdict, line.note, line.time)
            for line in verdicts.history
            if line.standing
        ),
        rule=view.rule,
        clusters=view.clusters,
    )


def _table(view: FindingView) -> Table:
    rows = tuple((r.label, r.wrong, r.right, r.total, r.share) for r in view.table)
    said = f"Captions by whether ‘{view.textual_fact}’ is said wrongly and ‘{view.visual_feature}’ is present"
    return Table(said, ("", "wrong", "not wrong", "all", "wrong, share"), rows, (1, 2, 3, 4))


def _rates(view: FindingView, finding: Mapping[str, Any]) -> Plot:
    title = f"Share of captions that say ‘{view.textual_fact}’ wrongly"
    rows = [(r.label, r.percent, f"{r.share} of {r.total}") for r in table_of(finding)]
    return Plot(title, shares(rows, title), _table(view))


def _strips(run: OpenRun, view: FindingView, at_most: int) -> tuple[Strip, ...]:
    """The four cells of the table with examples; at_most images over all of them."""
    groups = groups_of(run, view.finding_id)
    filled = [g for g in groups if g.samples]
    room = _shared([len(g.samples) for g in filled], at_most)
    taken = dict(zip((g.key for g in filled), room, strict=True))
    return tuple(
        Strip(
            g.key,
            TITLES[g.key].format(v=view.visual_feature),
            g.hint,
            len(g.samples),
            tuple(_example(c) for c in cards_of(run, view.finding_id, g, 0, taken.get(g.key, 0))),
        )
        for g in groups
    )


def _shared(sizes: Sequence[int], total: int) -> list[int]:
    """`total` shared out one by one, none more than its size; the first first."""
    given = [0] * len(sizes)
    while total > 0 and any(g < s for g, s in zip(given, sizes, strict=True)):
        for i, size in enumerate(sizes):
            if total > 0 and given[i] < size:
                given[i] += 1
                total -= 1
    return given


def _example(card: SampleCard) -> Example:
    evidence: list[str] = []
    if card.objects is not None:
        evidence.append("Objects: " + (", ".join(chip.text for chip in card.objects) or "none"))
    evidence += ["Reference: " + "".join(p.text for p in pieces) for pieces in card.references[:2]]
    return Example(
        card.sample_id,
        card.image,
        PurePosixPath(card.image_path).name,
        card.excerpt,
        card.explanation,
        card.captioner,
        tuple(evidence),
    )


def _critiques(run: OpenRun, finding_id: str) -> tuple[Table | None, str]:
    """What the critiques of this finding's wrong sentences speak of, most common first."""
    folder, evidence = run.stage("critiques"), run.stage("findings")
    if folder is None or evidence is None:
        return None, "This audit made no critiques (step vnli), so none are summarised."
    rows = rows_where(evidence, ("fact_id", "wrong"), "finding_id", finding_id).to_pylist()
    wanted = [r["fact_id"] for r in rows if r["wrong"]]
    names: Counter[str] = Counter()
    example: dict[str, str] = {}
    found = 0
    for part in sorted(folder.glob("part-*.parquet")):
        table = pq.read_table(part, columns=["fact_id", "critique", "names"])
        table = table.filter(pc.is_in(table["fact_id"], value_set=pc.cast(wanted, table["fact_id"].type)))
        for row in table.to_pylist():
            if row["critique"] is None:
                continue
            found += 1
            names.update(set(row["names"] or ()))
            for name in row["names"] or ():
                example.setdefault(name, row["critique"])
    if not names:
        return (
            None,
            f"None of its {counted(len(wanted), 'wrong sentence')} has a critique that names anything.",
        )
    top = sorted(names.items(), key=lambda pair: (-pair[1], pair[0]))[:CRITIQUES_SHOWN]
    shown = tuple((name, count(n), example[name]) for name, n in top)
    said = f"What {counted(found, 'critique')} of its wrong sentences speak of"
    return Table(said, ("named", "critiques", "for example"), shown, (1,)), ""
