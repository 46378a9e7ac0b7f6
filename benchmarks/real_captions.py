"""Do an audit's findings hold in other decodings of the same captioner? Printed per finding.

The decodings caption the same images, so this shows that a finding is no accident of one decoding; that it
holds on other images is what `replicated` says. Plain words are looked for, not the audit's own concepts;
rows without t among the objects; one-sided Fisher exact test, images counted once for each decoding.

The decoding whose captions were audited is left out: it would only confirm itself.

    python benchmarks/real_captions.py FINDINGS.json AUDITED.jsonl DECODINGS.jsonl.gz
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from scipy.stats import hypergeom

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.findings.association import risk_ratio


def effect(rows: list[dict[str, Any]], t: str, v: str) -> tuple[float | None, float]:
    """(risk ratio, p) of t said wrongly with v, over the rows that do not show t."""
    pattern = re.compile(rf"\b{re.escape(t)}(s|es)?\b")
    free = [r for r in rows if t not in r["coco_objects"]]
    wrong = [bool(pattern.search(r["caption"].lower())) for r in free]
    present = [v in r["coco_objects"] for r in free]
    both, n_wrong, n_present = (
        sum(w and p for w, p in zip(wrong, present, strict=True)),
        sum(wrong),
        sum(present),
    )
    ratio = risk_ratio(both, n_present, n_wrong - both, len(free) - n_present)
    return ratio, float(hypergeom.sf(both - 1, len(free), n_present, n_wrong))


def main(findings: str, audited: str, decodings: str) -> None:
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(decodings, "rt") as stream:
        for line in stream:
            row = json.loads(line)
            rows[row["captioner"]].append(row)
    seen = {json.loads(line)["caption"] for line in Path(audited).read_text("utf-8").splitlines()}
    rows = {name: r for name, r in rows.items() if not all(row["caption"] in seen for row in r)}
    confirmed: list[int] = []
    either = 0
    found = json.loads(Path(findings).read_text("utf-8"))["findings"]
    for f in found:
        t, v, a = f["textual_fact"]["text"], f["visual_feature"]["text"], f["association"]
        effects = {name: effect(r, t, v) for name, r in rows.items()}
        n_held = sum(p < 0.05 for _, p in effects.values())
        most = n_held > len(rows) / 2
        confirmed.append(n_held)
        either += most or a["replicated"] is True
        shown = "  ".join(
            f"{n}: {'-' if r is None else f'{r:.1f}'} (p {p:.1g})" for n, (r, p) in effects.items()
        )
        print(
            f"{t} <- {v}  q {a['q']:.2g}  held-out half: {a['replicated']}  p < 0.05 in {n_held}  | {shown}"
        )
    for least in range(1, len(rows) + 1):
        n = sum(c >= least for c in confirmed)
        print(f"p < 0.05 in at least {least} of {len(rows)} others: {n} of {len(found)}")
    print(f"in more than half of the others, or on the held-out half: {either} of {len(found)}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
