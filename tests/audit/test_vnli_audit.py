"""VNLI-Critique on the demo: every sentence judged, every wrong one critiqued and revised."""

from core.cli import main
from core.runs.workspace import Workspace
from core.views.open_run import open_run
from tests.audit.conftest import audit_arguments


def test_every_sentence_is_judged_and_every_wrong_one_has_its_rows(demo, tmp_path):
    arguments = audit_arguments(demo, tmp_path / "w", "--steps", "vnli", "--run-file", str(tmp_path / "id"))
    assert main(arguments) == 0
    run = open_run(Workspace(tmp_path / "w"), (tmp_path / "id").read_text())
    stages = {name: run.need_stage(name) for name in ("factuality", "critiques", "revisions")}
    assert all(list(path.glob("part-*.parquet")) for path in stages.values())
    import pyarrow.parquet as pq

    def read(folder):
        return [r for p in sorted(folder.glob("part-*")) for r in pq.read_table(p).to_pylist()]

    rows = {name: read(folder) for name, folder in stages.items()}
    assert all((r["verdict"] is None) == (r["reason"] is not None) for r in rows["factuality"])
    wrong = [r["fact_id"] for r in rows["factuality"] if r["verdict"] == "Non-entailment"]
    assert wrong
    assert [r["fact_id"] for r in rows["critiques"]] == wrong == [r["fact_id"] for r in rows["revisions"]]
    assert all(r["critique"] or r["reason"] for r in rows["critiques"])
    assert all(r["revision"] is not None or r["reason"] for r in rows["revisions"])
