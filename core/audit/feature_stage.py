"""What the samples show: candidates for v, and the stage that joins names of one thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from core.audit.context import Audit, Stage
from core.audit.finding_tables import Facts
from core.audit.summary_stages import (
    asks_for_features,
    names_of_facts,
    names_of_samples,
    pairs_from_answers,
)
from core.findings.contrast import FeaturePairs
from core.findings.features import pairs_from_captions, pairs_from_objects, pairs_from_references
from core.findings.one_name import OneName, frequent_names, one_name
from core.runs.parts import StageStore


def feature_names_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Name -> one name, in the summary; the vectors compared in part 0, most frequent name first."""
    counts: Counter[str] = Counter()
    for names in _names_of_samples(audit):
        counts.update(names)
    frequent = frequent_names(counts)
    audit.cancel.raise_if_requested()
    embedder = audit.models.text_embedder
    empty = np.zeros((0, embedder.dimensions), np.float32)
    vectors = embedder.embed_texts(frequent) if frequent else empty
    store.write_array(0, vectors)
    return {"called": one_name(frequent, np.asarray(vectors, np.float32)), "n_names": len(frequent)}


def _names_of_samples(audit: Audit) -> Iterator[set[str]]:
    if "image_features" in audit.stores:
        yield from names_of_samples(audit)[0]
        yield from (set(names) for names in names_of_facts(audit).values())
        return
    stages = ("concepts", "reference_concepts") if audit.setting == "reference-based" else ("concepts",)
    for stage in stages:
        for cell in audit.stores[stage].read_table()["concepts"].to_pylist():
            yield {n for c in cell or () for n in (c["text"], c["head"])}


def feature_pairs(audit: Audit, facts: Facts) -> FeaturePairs:
    """What the samples show: a summariser's answers, else objects, references, or the rest of captions."""
    if "image_features" in audit.stores:
        return pairs_from_answers(audit, audit.summary("feature_names")["called"])
    samples = audit.stores["samples"].read_table(["objects", "references"])
    if audit.setting == "objects":
        return pairs_from_objects(samples["objects"].to_pylist())
    called: OneName = audit.summary("feature_names")["called"]
    if audit.setting == "reference-based":
        cells = audit.stores["reference_concepts"].read_table()["concepts"].to_pylist()
        names = [{n for c in cell or () for n in (c["text"], c["head"])} for cell in cells]
        has = [bool(refs) for refs in samples["references"].to_pylist()]
        return pairs_from_references(names, has, facts.aligned(), called)
    rows = ((int(s), i, names) for i, (s, names) in enumerate(zip(facts.sample, facts.names, strict=True)))
    return pairs_from_captions(rows, samples.num_rows, called)


FEATURE_STAGE = Stage(
    "feature_names",
    1,
    ("concepts", "reference_concepts", "fact_features", "image_features"),
    lambda audit: {"model": audit.models.text_embedder.identity},
    feature_names_work,
    lambda audit: audit.setting != "objects" or asks_for_features(audit),
)
