"""How often the sentences of a finding's cluster are really wrong, from verdicts of people on sentences.

A verdict on a sentence has the target "fact:START-END:SAMPLE_ID" (characters of the caption), as verdicts on
revisions have "revision:START-END:SAMPLE_ID". The four verdicts are those of VNLI-Critique 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.domain.label import HumanLabel
from core.findings.prevalence import FEWEST, prevalence, wrongness
from core.labels.fact_labels import WRONG, Place, place_of
from core.views.numbers import counted
from core.views.open_run import OpenRun, labels_of


def prevalence_sentence(run: OpenRun, finding: Mapping[str, Any]) -> str:
    """The prevalence with its interval and the number of verdicts, or why there is none."""
    verdicts = fact_verdicts(run)
    if not verdicts:
        return (
            "No sentence of this cluster has a verdict by a person, so its true share of errors is "
            "not estimated."
        )
    facts = cluster_facts(run, int(finding["text_cluster"]["id"]))
    scored = [(place, value) for place, value in facts if value is not None]
    taken = wrongness(np.array([value for _, value in scored], np.float64))
    judged = np.array([place in verdicts for place, _ in scored], bool)
    labelled = [verdicts[place] for place, _ in scored if place in verdicts]
    if len(labelled) < FEWEST:
        return (
            f"{counted(len(labelled), 'sentence')} of this cluster have a verdict by a person; "
            f"the share of errors is estimated from {FEWEST} on."
        )
    found = prevalence(np.array(labelled, bool), taken[judged], taken[~judged])
    return (
        f"{100 * found.share:.0f} % of its sentences are really wrong (95 % interval "
        f"{100 * found.interval.low:.0f} to "
        f"{100 * found.interval.high:.0f} %), by prediction-powered inference from "
        f"{counted(found.n, 'verdict')} of "
        f"people and the scores of all {counted(found.n_facts, 'sentence')}. The verdicts alone say "
        f"{100 * found.verdicts_share:.0f} % ({100 * found.verdicts_interval.low:.0f} to "
        f"{100 * found.verdicts_interval.high:.0f} %). Valid if the sentences were drawn at random."
    )


def fact_verdicts(run: OpenRun) -> dict[Place, bool]:
    """Sentence -> whether people say it is wrong. Sentences on which they differ are left out."""
    if not run.fingerprint:
        return {}
    found: dict[Place, bool] = {}
    for target, status in labels_of(run.workspace, run.fingerprint).statuses().items():
        place = place_of(target)
        said = _agreed(status.by_annotator.values())
        if place is not None and said is not None:
            found[place] = said
    return found


def _agreed(labels: Iterable[HumanLabel]) -> bool | None:
    said = {WRONG.get(label.verdict) for label in labels}
    return said.pop() if len(said) == 1 else None


def cluster_facts(run: OpenRun, cluster: int) -> list[tuple[Place, float | None]]:
    """(place, alignment) of the sentences of a cluster, in order; alignment None = unscored."""
    if run.stage("fact_grouping") is None:
        return []
    grouping = np.asarray(_table(run, "fact_grouping", ["cluster"])["cluster"].to_numpy())
    rows = pa.array(np.flatnonzero(grouping == cluster))
    facts = _table(run, "facts", ["sample_id", "start", "end"]).take(rows).to_pylist()
    values = _table(run, "scores", ["value"])["value"].take(rows).to_pylist()
    return [((f["sample_id"], f["start"], f["end"]), v) for f, v in zip(facts, values, strict=True)]


def _table(run: OpenRun, stage: str, columns: list[str]) -> pa.Table:
    parts = sorted(run.need_stage(stage).glob("part-*.parquet"))
    return pa.concat_tables([pq.read_table(p, columns=columns, partitioning=None) for p in parts])
