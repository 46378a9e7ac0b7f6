"""How often captions dealt to the wrong images give a false finding at q < 0.05.

A captions file with object lists; captions are permuted over the rows, so that no error depends on what
is in the image. t = every object a caption names by plain words; wrong = it is not in the list. This takes
in the tests and the choice of v, not the grouping of sentences (which names fewer t).

    python benchmarks/false_findings.py ../shared/data/llava_coco500/captions.jsonl --datasets 200
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.domain.cluster import Cluster
from core.domain.finding import TextualFact
from core.findings.believe import Trial, believe
from core.findings.features import pairs_from_objects
from core.findings.systematic_misalignment import ErrorIndicator, Stage2, TextualError, candidate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("captions")
    parser.add_argument("--datasets", type=int, default=200)
    parser.add_argument("--objects", default="coco_objects")
    options = parser.parse_args()
    opened = gzip.open if options.captions.endswith(".gz") else open
    with opened(options.captions, "rt") as stream:
        rows = [json.loads(line) for line in stream]
    objects = [row[options.objects] for row in rows]
    terms = sorted({o for names in objects for o in names})
    said = np.array(
        [
            [bool(re.search(rf"\b{re.escape(t)}(s|es)?\b", row["caption"].lower())) for t in terms]
            for row in rows
        ]
    )
    shown = np.array([[t in names for t in terms] for names in objects])
    images = np.unique([row["image"] for row in rows], return_inverse=True)[1]
    table = pairs_from_objects(objects).table(np.zeros(0, np.int64))
    false = replicated = judged = 0
    for seed in range(options.datasets):
        dealt = said[np.random.default_rng(seed).permutation(len(rows))]
        trials = []
        for j, t in enumerate(terms):
            wrong = dealt[:, j] & ~shown[:, j]
            if wrong.any():
                error = TextualError(TextualFact(t, ()), Cluster(j, 1, 1, 0, 0.0, None, j + 1), ())
                indicator = ErrorIndicator(wrong, np.flatnonzero(wrong))
                c = candidate(error, indicator, table, Stage2(None, ()), "contrast", [t])
                trials.append(Trial(c, table, [t]))
        found = [c.association for c in believe(trials, images, seed=seed)]
        false += any(a.q is not None and a.q < 0.05 for a in found)
        judged += sum(a.replicated is not None for a in found)
        replicated += sum(a.replicated is True for a in found)
    print(f"{len(rows)} captions, {len(set(images.tolist()))} images, {len(terms)} terms")
    print(f"datasets with a false finding at q < 0.05: {false} of {options.datasets}")
    print(f"null findings called replicated: {replicated} of {judged} ({replicated / max(judged, 1):.1%})")


if __name__ == "__main__":
    main()
