"""A report gathered from a finished run: plain data, read once, in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.parquet as pq

from core.errors import ConfigError
from core.report.data import SECTIONS, Fact, Options, Plot, ReportData, Table
from core.report.gather_finding import finding_part
from core.report.gather_method import limits, method, models_table, provenance
from core.report.gather_scores import captioners, evian, fact_map, planted
from core.report.svg import forest
from core.views.findings import (
    SETTINGS,
    FindingRow,
    finding_target,
    findings_of,
    findings_view,
    is_believed,
    scorer_notes,
)
from core.views.numbers import count, counted, duration
from core.views.open_run import OpenRun, labels_of


def gather(run: OpenRun, options: Options) -> ReportData:
    """All that the report of this run says.

    Raises RunError if the run is not finished or damaged, ConfigError for findings or sections that are
    not there.
    """
    _check(options)
    chosen = chosen_findings(run, options.findings)
    rows = {row.finding_id: row for row in findings_view(run).rows}
    wanted = set(options.sections)
    more: dict[str, Any] = {}
    absent: dict[str, str] = {}
    for section, make in (
        ("map", fact_map),
        ("evian", evian),
        ("captioners", captioners),
        ("planted", planted),
    ):
        if section in wanted:
            fields, why = make(run)
            more |= fields
            if why:
                absent[section] = why
    if not chosen:
        absent["findings"] = _none_chosen(run, options.findings)
    more |= provenance(run, options) if "provenance" in wanted else {}
    skipped, skipped_note = _skipped(run)
    believed = sum(is_believed(f["association"]) for f in chosen)
    return ReportData(
        title=options.title or f"Caption audit: {run.dataset_name}",
        author=options.author,
        date=options.date,
        notes=options.notes,
        dataset=run.dataset_name,
        run_id=run.run_id,
        sections=tuple(s for s in SECTIONS if s in wanted),
        lead=_lead(run, chosen, believed),
        audited=_audited(run),
        skipped=skipped,
        skipped_note=skipped_note,
        method=method(run),
        models=models_table(run),
        warnings=scorer_notes(run.findings or {}),
        summary=_summary([rows[f["finding_id"]] for f in chosen]) if chosen else None,
        summary_note=_summary_note(len(chosen), len(rows), believed),
        summary_plot=_forest(chosen),
        findings=tuple(finding_part(run, f, options) for f in chosen) if "findings" in wanted else (),
        limits=limits(run),
        absent=absent,
        **more,
    )


def chosen_findings(run: OpenRun, asked: str) -> list[Mapping[str, Any]]:
    """The findings that are asked for, in rank order: "all", "confirmed" or ranks such as "1,3,5".

    Raises ConfigError for anything else, and for a rank the run does not have.
    """
    findings = findings_of(run)
    if asked == "all":
        return findings
    if asked == "confirmed":
        statuses = labels_of(run.workspace, run.fingerprint).statuses() if run.fingerprint else {}
        agreed = {target for target, status in statuses.items() if status.agreed == "confirmed"}
        return [f for f in findings if finding_target(f["finding_id"]) in agreed]
    parts = [part.strip() for part in asked.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() for part in parts):
        raise ConfigError(
            "findings are chosen by 'all', 'confirmed' or ranks with commas",
            value=asked,
            remedy="write --findings 1,3",
        )
    ranks = {int(part) for part in parts}
    missing = sorted(ranks - {f["rank"] for f in findings})
    if missing:
        raise ConfigError(
            "the run has no finding of this rank",
            value=missing[0],
            remedy=f"it has ranks 1 to {len(findings)}",
        )
    return [f for f in findings if f["rank"] in ranks]


def _check(options: Options) -> None:
    for section in options.sections:
        if section not in SECTIONS:
            raise ConfigError(
                "a report has no such section", value=section, remedy=f"choose of {', '.join(SECTIONS)}"
            )
    if options.max_images < 0:
        raise ConfigError("the number of images is 0 or more", value=options.max_images)
    if not 0.1 <= options.max_mb <= 500:
        raise ConfigError("the size of a report is 0.1 to 500 MB", value=options.max_mb)


def _none_chosen(run: OpenRun, asked: str) -> str:
    n = len(findings_of(run))
    if not n:
        return "This audit found no systematic error."
    return f"None of the {counted(n, 'finding')} of this audit is {asked}, so none is shown."


def _lead(run: OpenRun, chosen: Sequence[Mapping[str, Any]], believed: int) -> tuple[Fact, ...]:
    info = run.info
    return (
        Fact("captions audited", count(info.n_samples), "rows of the file that could be used"),
        Fact("sentences judged", count(info.n_facts - info.n_unscored), f"of {count(info.n_facts)}"),
        Fact("findings shown", count(len(chosen)), f"of {count(len(findings_of(run)))}"),
        Fact("to be believed", count(believed), "q < 0.05 and replicated on other images"),
    )


def _audited(run: OpenRun) -> tuple[Fact, ...]:
    info = run.info
    columns = (run.record.get("dataset") or {}).get("columns") or {}
    used = ", ".join(f"{role.replace('_', ' ')} from ‘{name}’" for role, name in columns.items() if name)
    facts = [
        Fact("Dataset", run.dataset_name),
        Fact(
            "Fingerprint", run.fingerprint, "sha256 over ids, captions, image digests, references and objects"
        ),
        Fact("Rows in the file", count(run.count("n_rows")) if run.count("n_rows") else "not recorded"),
        Fact("Captions audited", count(info.n_samples)),
        Fact("Distinct images", count(run.count("n_images"))),
        Fact("Sentences", count(info.n_facts)),
        Fact(
            "Sentences that could not be judged",
            count(info.n_unscored),
            "kept as unscored, never counted as wrong",
        ),
        Fact("Judged against", SETTINGS.get(info.setting, info.setting or "not recorded")),
    ]
    if used:
        facts.append(Fact("Columns", used))
    facts.append(Fact("Audit took", duration(info.seconds), f"run {run.run_id}, started {info.started}"))
    return tuple(facts)


def _skipped(run: OpenRun) -> tuple[Table | None, str]:
    """Rows with problems by kind, with an example each."""
    folder = run.stage("problems")
    kinds: Counter[tuple[str, bool]] = Counter()
    example: dict[tuple[str, bool], str] = {}
    for part in sorted(folder.glob("part-*.parquet")) if folder else ():
        for row in pq.read_table(part, columns=["row", "kind", "reason", "kept"]).to_pylist():
            key = (row["kind"], bool(row["kept"]))
            kinds[key] += 1
            example.setdefault(key, f"row {row['row']}: {row['reason']}")
    if not kinds:
        return None, "No row was skipped or changed."
    rows = tuple(
        (kind, "kept" if kept else "skipped", count(n), example[(kind, kept)])
        for (kind, kept), n in sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))
    )
    return Table("Rows with problems", ("problem", "row", "rows", "for example"), rows, (2,)), ""


def _summary(rows: Sequence[FindingRow]) -> Table:
    columns = (
        "",
        "captions say wrongly",
        "when",
        "risk ratio",
        "95 % interval",
        "q",
        "replicated",
        "verdict",
    )
    return Table(
        "Findings by rank. Risk ratio: how many times as often the error occurs with the feature as "
        "without it.",
        columns,
        tuple(
            (
                str(r.rank), r.textual_fact, r.visual_feature, r.risk_ratio, r.risk_ratio_interval, r.q,
                r.replication, r.verdict or "none yet",
            )
            for r in rows
        ),
        (0, 3, 4, 5),
    )  # fmt: skip


def _summary_note(shown: int, total: int, believed: int) -> str:
    if not shown:
        return ""
    many = f"{counted(shown, 'finding')} of {total}" if shown < total else counted(shown, "finding")
    if believed == shown:
        return f"{many}; every one passes the test on held-out images (replicated, q below 0.05)."
    return (
        f"{many}; {believed} pass the test on held-out images (replicated, q below 0.05). "
        "The others are leads, not results."
    )


def _forest(chosen: Sequence[Mapping[str, Any]]) -> Plot | None:
    rows = [
        (
            f"{f['textual_fact']['text']} ← {f['visual_feature']['text'] or '–'}",
            f["association"],
            is_believed(f["association"]),
        )
        for f in chosen
    ]
    if not rows:
        return None
    title = (
        "Risk ratio of each finding with its 95 % interval; filled = replicated, open = not yet to "
        "be believed"
    )
    table = Table(
        "The counts behind the ratios",
        ("finding", "wrong with", "all with", "wrong without", "all without"),
        tuple(
            (
                label,
                count(a["wrong_present"]),
                count(a["wrong_present"] + a["right_present"]),
                count(a["wrong_absent"]),
                count(a["wrong_absent"] + a["right_absent"]),
            )
            for label, a, _ in rows
        ),
        (1, 2, 3, 4),
    )
    return Plot(title, forest(rows, title), table)
