"""The first ten findings of each captioner in a file, as Markdown tables, each captioner audited alone.

    python benchmarks/top_findings.py CAPTIONS.jsonl[.gz] --objects COL [--images DIR] [--workspace W]

A captioner is told by the column `captioner`; a file without it is one captioner. Rows keep their order.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.audit.run_audit import run_audit
from core.domain.run import AuditConfig
from core.findings.believe import holds_up
from core.runs.workspace import Workspace


def by_captioner(path: Path) -> dict[str, list[str]]:
    """Lines of the file by captioner."""
    opened = gzip.open if path.suffix == ".gz" else open
    lines: dict[str, list[str]] = defaultdict(list)
    with opened(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            lines[json.loads(line).get("captioner") or path.parent.name].append(line)
    return dict(sorted(lines.items()))


def rows(findings: list[dict[str, Any]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    yield "| t <- v | wrong with v | without | risk ratio (95 %) | q | replicated | to be believed |"
    yield "|---|---|---|---|---|---|---|"
    for f in findings:
        a = f["association"]
        with_v, without = a["wrong_present"] + a["right_present"], a["wrong_absent"] + a["right_absent"]
        span = a["risk_ratio_interval"]
        ratio = f"{a['risk_ratio']:.1f} ({span['low']:.1f} to {span['high']:.1f})" if span else "-"
        replicated = {True: "yes", False: "no", None: "too few images"}[a["replicated"]]
        believed = "yes" if holds_up(a["q"], a["replicated"]) else "not yet"
        q = "-" if a["q"] is None else f"{a['q']:.2g}"
        yield (
            f"| {f['textual_fact']['text']} <- {f['visual_feature']['text'] or '(none)'} "
            f"| {a['wrong_present']} of {with_v} | {a['wrong_absent']} of {without} "
            f"| {ratio} | {q} | {replicated} | {believed} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("captions", type=Path)
    parser.add_argument("--objects", required=True)
    parser.add_argument("--images")
    parser.add_argument("--workspace", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(options.workspace or Path(folder) / "workspace")
        for name, lines in by_captioner(options.captions).items():
            file = Path(folder) / f"{name}.jsonl"
            file.write_text("".join(lines), "utf-8")
            config = AuditConfig(
                captions=str(file), images=options.images, objects_column=options.objects, name=name
            )
            result = run_audit(config, workspace)
            found = json.loads(Path(result.findings_path).read_text("utf-8"))["findings"]
            print(f"\n**{name}** ({result.n_samples} captions, {result.n_facts} sentences)\n")
            print("\n".join(rows(found)), flush=True)


if __name__ == "__main__":
    main()
