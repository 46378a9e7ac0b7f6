"""The three VNLI stages over n sentences, all different, with a critic that costs nothing.

`python -m tests.audit.vnli_memory N FOLDER` prints what came out and the memory of the process at most.
"""

import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa

from core.audit.context import Audit
from core.audit.text_stages import FACTS_SCHEMA
from core.audit.vnli_stages import critiques_work, factuality_work, revisions_work
from core.dataset.tables import SAMPLES_SCHEMA
from core.domain.chat import Completion
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.domain.run import AuditConfig
from core.facts.sentences import split_sentences
from core.runs.keys import tagged_hash
from core.runs.parts import StageStore
from core.runs.workspace import Workspace

SENTENCES = 40
WRONG_EVERY, BROKEN_EVERY = 4, 50
WORK = {"factuality": factuality_work, "critiques": critiques_work, "revisions": revisions_work}


class QuickCritic:
    """Says No to every WRONG_EVERY-th lamp, nothing usable to every BROKEN_EVERY-th, Yes to revisions."""

    identity = ModelIdentity("quick", "1", "server")

    def complete(self, asks):
        return [self.answer(ask) for ask in asks]

    def answer(self, ask):
        if not ask.choices:
            explain = "Explain the misalignments" in ask.text
            return Completion(
                "There is no lamp. " * 20 if explain else f"A pole stands {hash(ask.text)} m away."
            )
        target = ask.text.rsplit("<TARGET>", 1)[1]
        number = int(target.split()[2]) if target.startswith("Lamp number") else 1
        if number % BROKEN_EVERY == 0:
            return Unscored("no answer", "three tries", "half an ans" * 20)
        yes = 0.1 if number % WRONG_EVERY == 0 else 0.9
        return Completion("Yes" if yes > 0.5 else "No", choice_probabilities={"Yes": yes, "No": 1 - yes})


def audit_of(folder, n):
    """An audit whose samples, facts and scores are there; SENTENCES sentences a caption."""
    workspace = Workspace(folder)
    workspace.create()
    samples = [
        {
            "sample_id": f"s{i}",
            "row": i + 1,
            "caption": " ".join(
                f"Lamp number {i * SENTENCES + k} stands by the wall, lit and yellow, beside a long table."
                for k in range(SENTENCES)
            ),
            "image_path": f"{i}.jpg",
            "image_sha256": f"{i:064}",
            "meta": "{}",
        }
        for i in range(n // SENTENCES)
    ]
    facts = []
    for i, sample in enumerate(samples):
        for k, (start, end) in enumerate(split_sentences(sample["caption"])):
            text = sample["caption"][start:end]
            facts.append([len(facts), i, sample["sample_id"], k, text, start, end])
    names = FACTS_SCHEMA.names
    tables = {
        "samples": pa.Table.from_pylist(samples, schema=SAMPLES_SCHEMA),
        "facts": pa.Table.from_pylist([dict(zip(names, f, strict=True)) for f in facts], schema=FACTS_SCHEMA),
        "scores": pa.table({"fact_id": pa.array(range(len(facts)), pa.int64())}),
    }
    stores = {}
    for name, table in tables.items():
        stores[name] = StageStore(workspace, name, tagged_hash({"n": n, "s": name}, "test"))
        for part, start in enumerate(range(0, table.num_rows, 4096)):
            stores[name].write_table(part, table.slice(start, 4096))
        stores[name].commit({"wrong_below": 0.5})
    models = SimpleNamespace(
        has_chat=lambda role: True,
        chat=lambda role: QuickCritic(),
        concept_extractor=SimpleNamespace(extract=lambda texts: [() for _ in texts]),
        preset=SimpleNamespace(scorer="objects"),
    )
    return Audit(
        AuditConfig(captions="x.jsonl", images=str(folder), steps=("vnli",)), workspace, models,
        SimpleNamespace(raise_if_requested=lambda: None), lambda kind, **fields: None, stores=stores,
    )  # fmt: skip


def peak_bytes():
    """Resident memory of this process at most so far (its own: ru_maxrss may be the parent's)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))


def run(n, folder):
    audit = audit_of(folder, n)
    before, began = peak_bytes(), time.monotonic()
    for name, work in WORK.items():
        store = StageStore(audit.workspace, name, tagged_hash({"n": n, "s": name}, "test"))
        store.commit(work(audit, store))
        audit.stores[name] = store
    return {
        "before": before,
        "peak": peak_bytes(),
        "seconds": time.monotonic() - began,
        "parts": {name: len(audit.stores[name].part_indices()) for name in WORK},
        **{name: audit.summary(name) for name in WORK},
    }


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), Path(sys.argv[2]))))
