"""What is exported is read by the real libraries of its ecosystem; skipped where one is not installed."""

from __future__ import annotations

import json
import logging

import pytest

from core.cli import main
from core.export.annotations import LABEL_STUDIO_CONFIG
from core.export.card import markdown
from core.labels.revisions import revision_verdict
from core.runs.workspace import Workspace
from core.views.open_run import labels_of, open_run
from tests.pages import audit_fixture as fixture

N = 12
SAID = "There is a red handbag near the middle of it."


@pytest.fixture
def run(tmp_path):
    """A run with images whose findings are believed, one accepted revision, an input of its own."""
    root = tmp_path / "workspace"
    root.mkdir()
    run_id = fixture.write_finished(root, n=N)
    folder = root / "runs" / run_id
    rows = fixture.make_samples(None, N)
    source = tmp_path / "captions.jsonl"
    source.write_text(
        "".join(json.dumps({"id": s["sample_id"], "caption": s["caption"]}) + "\n" for s in rows)
    )
    (folder / "config.toml").write_text(f"captions = {json.dumps(str(source))}\n")
    record = json.loads((folder / "run.json").read_text())
    record["dataset"]["columns"] = {"caption": "caption", "sample_id": "id"}
    (folder / "run.json").write_text(json.dumps(record))
    found = json.loads((folder / "findings.json").read_text())
    for finding in found["findings"][:2]:
        finding["association"] |= {"q": 0.001, "n_tests": 9, "replicated": True}
    (folder / "findings.json").write_text(json.dumps(found))
    run = open_run(Workspace(root), run_id)
    start = rows[0]["caption"].index(SAID)
    one = revision_verdict((rows[0]["sample_id"], start, start + len(SAID)), "accepted", "It rains.")
    labels_of(run.workspace, run.fingerprint).give_many(
        [one], annotator="ann", dataset=run.fingerprint, run_id=run_id
    )
    return run


def export(run, what, out, *flags):
    assert (
        main(["export", run.run_id, what, "--out", str(out), "--workspace", str(run.workspace.root), *flags])
        == 0
    )
    return out


def corrected():
    return [
        s["caption"].replace(SAID, "It rains.") if i == 0 else s["caption"]
        for i, s in enumerate(fixture.make_samples(None, N))
    ]


def test_coco_by_pycocotools(run, tmp_path):
    coco_module = pytest.importorskip("pycocotools.coco")
    coco = coco_module.COCO(str(export(run, "coco", tmp_path / "coco.json")))
    annotations = coco.loadAnns(coco.getAnnIds())
    assert [a["caption"] for a in annotations] == corrected()
    assert [coco.loadImgs(a["image_id"])[0]["file_name"] for a in annotations] == [
        f"scene/{i:03}.jpg" for i in range(N)
    ]
    assert all((i["width"], i["height"]) == (480, 360) for i in coco.loadImgs(coco.getImgIds()))


def test_croissant_by_mlcroissant(run, tmp_path, caplog):
    mlc = pytest.importorskip("mlcroissant")
    out = export(
        run,
        "croissant",
        tmp_path / "croissant.json",
        "--license",
        "CC-BY-4.0",
        "--url",
        "https://example.org/d",
    )
    with caplog.at_level(logging.WARNING):
        dataset = mlc.Dataset(jsonld=str(out))
    assert not dataset.metadata.ctx.issues.errors
    assert "when ‘bus’ is in the object list" in dataset.metadata.data_limitations[0]
    assert "'handbag' with 'bus'" in dataset.metadata.data_biases[0]
    records = list(dataset.records("captions"))
    assert [r["captions/caption"].decode() for r in records] == [
        s["caption"] for s in fixture.make_samples(None, N)
    ]
    assert records[3]["captions/sample_id"] == b"s003"


def test_corrected_jsonl_by_datasets(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    out = export(run, "captions", tmp_path / "out.jsonl")
    loaded = datasets.load_dataset(
        "json", data_files=str(out), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded["caption"][:] == corrected()


def test_label_studio_tasks(run, tmp_path):
    """Label Studio's own package brings another OpenCV: the task format is checked by hand."""
    tasks = json.loads(export(run, "label-studio", tmp_path / "tasks.json").read_bytes())
    assert (tmp_path / "tasks.config.xml").read_text() == LABEL_STUDIO_CONFIG
    assert len(tasks) == N
    assert tasks[1]["data"]["image"] == "/data/local-files/?d=scene/001.jpg"
    wrong = [i for i in range(N) if fixture.is_wrong(i)]
    assert [i for i, t in enumerate(tasks) if "predictions" in t] == wrong
    for i in wrong:
        (prediction,) = tasks[i]["predictions"]
        assert prediction["model_version"] == "objects-match (baseline)"
        (region,) = prediction["result"]
        units = tasks[i]["data"]["caption"].encode("utf-16-le")
        value = region["value"]
        assert units[2 * value["start"] : 2 * value["end"]].decode("utf-16-le") == value["text"]
        assert value["labels"] == ["Contradiction"]
        for name in (region["from_name"], region["to_name"]):
            assert f'name="{name}"' in LABEL_STUDIO_CONFIG


def test_fiftyone_labels(run, tmp_path):
    """FiftyOne is too heavy to install here: the documented form of labels.json is checked by hand."""
    labels = json.loads(export(run, "fiftyone", tmp_path / "labels.json").read_bytes())["labels"]
    assert list(labels) == [f"scene/{i:03}" for i in range(N)]
    for i, found in enumerate(labels.values()):
        assert found[0]["label"] == ("wrong" if fixture.is_wrong(i) else "not wrong")
        assert found[0]["attributes"]["caption"] == corrected()[i]
        assert found[0]["confidence"] == 1


def test_card_and_datasheet(run, tmp_path):
    card = export(run, "card", tmp_path / "card.md").read_text()
    believed, leads = card.split("### Leads")
    assert card.startswith("## Known limitations\n")
    assert "Captions say ‘handbag’ wrongly" in believed
    assert "Captions say ‘chair’ wrongly" in believed
    assert "Captions say ‘mouse’ wrongly" in leads
    assert "Baseline scorer" in leads
    sheet = export(run, "datasheet", tmp_path / "sheet.md", "--findings", "2").read_text()
    assert "Are there any errors, sources of noise" in sheet
    assert "chair" in sheet
    assert "handbag" not in sheet


@pytest.mark.parametrize("text", ["<script>x</script>", "[a](b) `c` *d*", "one\n\n# two", "| a | b |"])
def test_names_are_no_markdown(text):
    shown = markdown(text)
    assert "\n" not in shown
    for mark in "<>[]`*#|":
        assert shown.count(mark) == shown.count(f"\\{mark}")
