"""What a dataset card says about the errors found: "Known limitations", and answers for a datasheet.

Datasheets for Datasets (Gebru et al. 2021) asks for errors and sources of noise under "Composition".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.report.gather import chosen_findings
from core.report.gather_method import limits
from core.report.prevalence_of import prevalence_sentence
from core.views.finding import rates_of, sentence_of
from core.views.findings import dataset_facts, is_believed, scorer_notes
from core.views.numbers import p_value
from core.views.open_run import OpenRun


def card_markdown(run: OpenRun, findings: str = "all") -> str:
    """A section for README.md of a dataset. findings: as for the report.

    Raises ConfigError for findings that are not there, RunError if the run is not finished.
    """
    lines = ["## Known limitations", "", _how(run), ""]
    chosen = chosen_findings(run, findings)
    believed = [f for f in chosen if is_believed(f["association"])]
    leads = [f for f in chosen if not is_believed(f["association"])]
    lines += _part("### Systematic errors in the captions", believed, run, "None was found that replicates.")
    if leads:
        lines += _part("### Leads that did not replicate or are too rare to tell", leads, run, "")
    lines += ["### What this audit cannot say", ""]
    lines += [f"- {markdown(said)}" for said in (*scorer_notes(run.findings or {}), *limits(run))]
    return "\n".join([*lines, ""])


def datasheet_markdown(run: OpenRun, findings: str = "all") -> str:
    """Answers to the questions of a datasheet that an audit can answer."""
    return "\n".join(
        [
            "## Composition",
            "",
            "**Are there any errors, sources of noise, or redundancies in the dataset?**",
            "",
            limitations_text(run, findings),
            "",
            "**Is any information missing from individual instances?**",
            "",
            f"{run.count('n_problems'):,} rows of the captions file could not be used as they are; "
            f"{run.info.n_unscored:,} of {run.info.n_facts:,} sentences could not be judged.",
            "",
            "## Preprocessing, cleaning, labelling",
            "",
            "**Was any preprocessing, cleaning or labelling of the data done?**",
            "",
            _how(run),
            "",
        ]
    )


def limitations_text(run: OpenRun, findings: str = "all") -> str:
    """The believed findings and the limits of the audit as plain sentences."""
    believed = [f for f in chosen_findings(run, findings) if is_believed(f["association"])]
    said = [f"{sentence_of(f)} {rates_of(f)}" for f in believed] or [
        "No systematic error was found that replicates."
    ]
    return " ".join([*said, *limits(run)])


def biases_text(run: OpenRun, findings: str = "all") -> str:
    """The believed findings as pairs: what is said too often, with what."""
    believed = [f for f in chosen_findings(run, findings) if is_believed(f["association"])]
    pairs = "; ".join(f"'{f['textual_fact']['text']}' with '{f['visual_feature']['text']}'" for f in believed)
    if not pairs:
        return "No spurious association of captions with image content was found that replicates."
    return f"Captions mention things that are not in the image, more often beside other things: {pairs}."


def _how(run: OpenRun) -> str:
    return (
        f"Audited with Faultline (run `{run.run_id}`, dataset fingerprint `{run.fingerprint[:16]}`): "
        f"{markdown('; '.join(dataset_facts(run)))}."
    )


def _part(heading: str, found: list[Mapping[str, Any]], run: OpenRun, none: str) -> list[str]:
    lines = [heading, ""]
    for finding in found:
        q = finding["association"].get("q")
        tested = f" q = {p_value(q)}." if q is not None else ""
        said = f"{sentence_of(finding)} {rates_of(finding)}{tested}"
        lines.append(f"- {markdown(said)}")
        prevalence = prevalence_sentence(run, finding)
        if "prediction-powered" in prevalence:
            lines.append(f"  {markdown(prevalence)}")
    return [*lines, *([] if found or not none else [none]), ""]


def markdown(text: str) -> str:
    """Text from data inside Markdown, on one line: nothing in it is formatting or HTML."""
    flat = " ".join(text.split())
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~" else c for c in flat)
