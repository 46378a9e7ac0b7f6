"""Stages on text: facts, their concepts and vectors, and the grouping of facts (Symbal 4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pyarrow as pa

from core.audit.context import Audit, Stage
from core.clusters.symbal_1_group_facts import group_facts
from core.domain.fact import Concept
from core.domain.run import STEPS
from core.errors import shorten
from core.facts.sentences import split_sentences
from core.runs.executor_local import run_parts
from core.runs.parts import StageStore
from core.seams import FloatMatrix

SAMPLES_A_PART = 2048
SENTENCES_A_PART = 2048

CONCEPT = pa.struct(
    [
        ("text", pa.string()),
        ("head", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("phrase", pa.string()),
    ]
)
FACTS_SCHEMA = pa.schema(
    [
        ("fact_id", pa.int64()),
        ("sample_index", pa.int32()),
        ("sample_id", pa.string()),
        ("position", pa.int32()),
        ("text", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
    ]
)
CONCEPTS_SCHEMA = pa.schema([("fact_id", pa.int64()), ("concepts", pa.list_(CONCEPT))])
REFERENCES_SCHEMA = pa.schema([("sample_index", pa.int32()), ("concepts", pa.list_(CONCEPT))])
GROUPING_SCHEMA = pa.schema([("fact_id", pa.int64()), ("cluster", pa.int32())])


def facts_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Sentences of all captions, one row a fact, numbered over the dataset. Paper: Symbal A.1."""
    samples = audit.stores["samples"].read_table(["sample_id", "caption"])
    ids, captions = samples["sample_id"].to_pylist(), samples["caption"].to_pylist()
    counts = [0]

    def make_part(start: int, stop: int) -> pa.Table:
        rows = [
            (sample, position, a, b)
            for sample in range(start, stop)
            for position, (a, b) in enumerate(split_sentences(captions[sample]))
        ]
        first = _first_fact(store, start // SAMPLES_A_PART, counts)
        columns = [
            pa.array(range(first, first + len(rows)), pa.int64()),
            pa.array([r[0] for r in rows], pa.int32()),
            pa.array([ids[r[0]] for r in rows], pa.string()),
            pa.array([r[1] for r in rows], pa.int32()),
            pa.array([captions[s][a:b] for s, _, a, b in rows], pa.string()),
            pa.array([r[2] for r in rows], pa.int32()),
            pa.array([r[3] for r in rows], pa.int32()),
        ]
        return pa.Table.from_arrays(columns, schema=FACTS_SCHEMA)

    _run(audit, store, len(ids), SAMPLES_A_PART, make_part, "samples")
    return {"n_facts": store.read_table(["fact_id"]).num_rows}


def _first_fact(store: StageStore, part: int, counts: list[int]) -> int:
    """Number of facts in the parts before `part` (all finished: parts are made in order)."""
    while len(counts) <= part:
        counts.append(counts[-1] + store.read_part(len(counts) - 1).num_rows)
    return counts[part]


def concepts_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """What each fact names."""
    texts = audit.stores["facts"].read_table(["text"])["text"]

    def make_part(start: int, stop: int) -> pa.Table:
        found = audit.models.concept_extractor.extract(texts.slice(start, stop - start).to_pylist())
        columns = [pa.array(range(start, stop), pa.int64()), concepts_array(found)]
        return pa.Table.from_arrays(columns, schema=CONCEPTS_SCHEMA)

    _run(audit, store, len(texts), SENTENCES_A_PART, make_part, "facts")
    return {}


def reference_concepts_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """What all references of a sample name, together."""
    references = audit.stores["samples"].read_table(["references"])["references"]

    def make_part(start: int, stop: int) -> pa.Table:
        texts = [refs or [] for refs in references.slice(start, stop - start).to_pylist()]
        flat = audit.models.concept_extractor.extract([t for refs in texts for t in refs])
        found: list[tuple[Concept, ...]] = []
        position = 0
        for refs in texts:
            own = flat[position : position + len(refs)]
            position += len(refs)
            found.append(tuple({c.text: c for concepts in own for c in concepts}.values()))
        columns = [pa.array(range(start, stop), pa.int32()), concepts_array(found)]
        return pa.Table.from_arrays(columns, schema=REFERENCES_SCHEMA)

    _run(audit, store, len(references), SAMPLES_A_PART // 4, make_part, "samples")
    return {}


def fact_vectors_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """(n_facts, d) unit rows. Paper: Symbal 4.1 (grouping)."""
    texts = audit.stores["facts"].read_table(["text"])["text"]

    def make_part(start: int, stop: int) -> FloatMatrix:
        part = texts.slice(start, stop - start).to_pylist()
        if not part:
            return np.zeros((0, audit.models.text_embedder.dimensions), np.float32)
        unique = list(dict.fromkeys(part))
        rows = dict(zip(unique, audit.models.text_embedder.embed_texts(unique), strict=True))
        return np.stack([rows[t] for t in part])

    _run(audit, store, len(texts), SENTENCES_A_PART, make_part, "facts")
    return {"space": audit.models.text_embedder.space}


def fact_grouping_work(audit: Audit, store: StageStore) -> Mapping[str, object]:
    """Cluster of every fact and the curve K was chosen from. Paper: Symbal 4.1, A.1."""
    vectors = audit.stores["fact_vectors"].read_array()

    def on_progress(done: int, total: int) -> None:
        audit.cancel.raise_if_requested()
        audit.emit("progress", stage="fact_grouping", n_done=done, n_total=total, unit="K")

    if not len(vectors):
        store.write_table(0, GROUPING_SCHEMA.empty_table())
        return {"k": 0, "effective_k": 0, "curve": [], "note": "no caption has a sentence to group"}
    found = group_facts(
        vectors, seed=audit.config.seed, on_progress=on_progress, name_of=lambda i: fact_name(audit, i)
    )
    ids = pa.array(range(len(found.labels)), pa.int64())
    labels = pa.array(found.labels, pa.int32())
    store.write_table(0, pa.Table.from_arrays([ids, labels], schema=GROUPING_SCHEMA))
    return {
        "k": found.k,
        "effective_k": found.effective_k,
        "curve": [asdict(point) for point in found.curve],
        "note": found.note,
    }


def fact_name(audit: Audit, fact_id: int) -> str:
    """What a fact is called in messages: its sample, its place in the caption, its first words."""
    row = audit.stores["facts"].read_table(["sample_id", "position", "text"]).slice(fact_id, 1).to_pylist()[0]
    return f"sample {row['sample_id']!r}, sentence {row['position'] + 1}: {shorten(row['text'], 60)}"


def concepts_array(found: Sequence[Iterable[Concept]]) -> pa.Array:
    """Concepts as an Arrow column."""
    rows = [[asdict(c) for c in concepts] for concepts in found]
    return pa.array(rows, pa.list_(CONCEPT))


def concepts_of(cell: list[dict[str, object]] | None) -> tuple[Concept, ...]:
    """An Arrow cell as concepts."""
    return tuple(Concept(**c) for c in cell or ())  # type: ignore[arg-type]


def _run(audit: Audit, store: StageStore, n: int, size: int, make_part, unit: str) -> None:  # type: ignore[no-untyped-def]
    run_parts(store, n, size, make_part, cancel=audit.cancel, emit=audit.emit, unit=unit)


def _seed(audit: Audit) -> Mapping[str, object]:
    return {"seed": audit.config.seed}


TEXT_STAGES = (
    Stage("facts", 1, ("samples",), lambda audit: {}, facts_work, steps=STEPS),
    Stage(
        "concepts",
        1,
        ("facts",),
        lambda audit: {"model": audit.models.concept_extractor.identity},
        concepts_work,
        steps=STEPS,
    ),
    Stage(
        "reference_concepts",
        1,
        ("samples",),
        lambda audit: {"model": audit.models.concept_extractor.identity},
        reference_concepts_work,
        lambda audit: audit.setting == "reference-based",
        STEPS,
    ),
    Stage(
        "fact_vectors",
        1,
        ("facts",),
        lambda audit: {"model": audit.models.text_embedder.identity},
        fact_vectors_work,
        needed=lambda audit: "symbal" in audit.config.steps or audit.setting == "reference-free",
        steps=STEPS,
    ),
    Stage("fact_grouping", 1, ("fact_vectors",), _seed, fact_grouping_work),
)
