"""Evian on 10,000 responses: memory of a part, not of the data. Every response is another one."""

import json
import time
import tracemalloc
from types import SimpleNamespace

import pyarrow as pa

from core.audit.context import Audit
from core.audit.evian_stages import decompositions_work, triplets_work
from core.dataset.tables import SAMPLES_SCHEMA
from core.domain.chat import Completion
from core.domain.judgement import Unscored
from core.domain.provenance import ModelIdentity
from core.domain.run import AuditConfig
from core.runs.keys import tagged_hash
from core.runs.parts import StageStore
from core.runs.workspace import Workspace
from tests.protocol.evian_server import good_answer

FEW, MANY = 1_000, 10_000
BROKEN_EVERY = 100


class QuickChat:
    """Answers as evian_server does, keeps nothing, and fails on one response in a hundred."""

    identity = ModelIdentity("quick", "1", "server")

    def complete(self, asks):
        return [
            Unscored("no answer", "three tries", "half an ans") if "BROKEN" in a.text else
            Completion(good_answer(a.text))
            for a in asks
        ]  # fmt: skip


def audit_of(folder, n):
    workspace = Workspace(folder)
    workspace.create()
    store = StageStore(workspace, "samples", tagged_hash({"n": n}, "test"))
    for start in range(0, n, 2_000):
        rows = [
            {
                "sample_id": f"s{i}",
                "row": i + 1,
                "caption": f"A lamp number {i} stands there. " * 8
                + ("BROKEN." if i % BROKEN_EVERY == 0 else f"It may be {i} years old."),
                "image_path": f"{i}.jpg",
                "image_sha256": f"{i:064}",
                "meta": json.dumps({"i": i}),
            }
            for i in range(start, min(start + 2_000, n))
        ]
        store.write_table(start // 2_000, pa.Table.from_pylist(rows, schema=SAMPLES_SCHEMA))
    store.commit({})
    models = SimpleNamespace(has_chat=lambda role: True, chat=lambda role: QuickChat())
    return Audit(
        AuditConfig(captions="x.jsonl", images=str(folder)), workspace, models,
        SimpleNamespace(raise_if_requested=lambda: None), lambda kind, **fields: None,
        stores={"samples": store},
    )  # fmt: skip


def peak_of(folder, n):
    """(bytes of Python objects at most, bytes of Arrow at most, triplets) of both stages over n samples."""
    audit = audit_of(folder, n)
    arrow, highest = pa.default_memory_pool(), 0
    tracemalloc.start()
    for name, work in (("decompositions", decompositions_work), ("triplets", triplets_work)):
        store = StageStore(audit.workspace, name, tagged_hash({"n": n, "s": name}, "test"))
        before = arrow.bytes_allocated()
        store.commit(work(audit, store))
        highest = max(highest, arrow.bytes_allocated() - before)
        audit.stores[name] = store
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, highest, store


def test_ten_thousand_responses_in_the_memory_of_a_part(tmp_path):
    began = time.monotonic()
    small, _, _ = peak_of(tmp_path / "few", FEW)
    large, arrow, store = peak_of(tmp_path / "many", MANY)
    table = store.read_table()
    assert table.num_rows == MANY
    reasons = table["image_text_consistency_reason"]
    assert MANY - reasons.null_count == MANY // BROKEN_EVERY
    assert set(reasons.drop_null().to_pylist()) == {"no answer"}
    assert store.record()["summary"]["axes"]["image_text_consistency"]["n_scored"] == MANY * 99 // 100
    # Texts, questions and answers of the whole are never held, only those of a part.
    assert large - small < 1_000 * (MANY - FEW), (
        f"{small / 1e6:.0f} MB for {FEW}, {large / 1e6:.0f} for {MANY}"
    )
    assert large < 60e6
    assert arrow < 100e6
    assert time.monotonic() - began < 60
