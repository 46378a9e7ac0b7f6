"""Audits of captions by real models. The data lie beside the project and are not part of it."""

import gzip
import json
import re
from pathlib import Path

import pytest

from core.cli import main

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LLAVA = DATA / "llava_coco500"
FIVE = DATA / "five_captioners.jsonl.gz"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="real data are not there: ../shared/data is missing"
)

# Pairs reported for LLaVA-1.5-7B by people who measured it elsewhere.
KNOWN = {
    ("handbag", "bus"), ("chair", "tv"), ("tv", "keyboard"), ("mouse", "keyboard"),
    ("remote", "couch"), ("toothbrush", "toilet"),
}  # fmt: skip


def audit(capsys, workspace, *arguments):
    code = main(["audit", *map(str, arguments), "--workspace", str(workspace), "--json"])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    result = json.loads(captured.out)
    return result, json.loads(Path(result["findings_path"]).read_text()), captured.err


def names(caption, term):
    """Whether a caption names a COCO object, by plain words: an independent, strict reading."""
    ending = "(s|es)?" if term != "person" else ""
    return re.search(rf"\b{re.escape(term)}{ending}\b", caption.lower()) is not None


def risk_ratio(rows, t, v):
    """P(t said, t not in the list | v in the list) / P(... | v not in the list), +0.5 on empty cells."""
    cells = [[0, 0], [0, 0]]
    for row in rows:
        wrong = names(row["caption"], t) and t not in row["coco_objects"]
        cells[v in row["coco_objects"]][wrong] += 1
    shift = 0.5 if any(0 in c for c in cells) else 0
    rates = [(c[1] + shift) / (c[0] + c[1] + 2 * shift) for c in cells]
    return rates[1] / rates[0]


@pytest.fixture(scope="module")
def llava_workspace(tmp_path_factory):
    return tmp_path_factory.mktemp("llava")


def test_llava_findings_hold_against_the_labels(capsys, llava_workspace):
    result, found, _ = audit(
        capsys, llava_workspace, LLAVA / "captions.jsonl", "--images", LLAVA, "--objects", "coco_objects"
    )
    assert result["n_samples"] == 500
    assert len(found["findings"]) == 10
    rows = [json.loads(line) for line in (LLAVA / "captions.jsonl").read_text().splitlines()]
    pairs = [(f["textual_fact"]["text"], f["visual_feature"]["text"]) for f in found["findings"]]
    ratios = {pair: risk_ratio(rows, *pair) for pair in pairs}
    assert sum(r > 2 for r in ratios.values()) >= 5, ratios
    assert KNOWN & set(pairs), pairs


def test_llava_without_labels_says_it_is_approximate(capsys, llava_workspace):
    _, found, _ = audit(capsys, llava_workspace, LLAVA / "captions.jsonl", "--images", LLAVA)
    assert found["dataset"]["setting"] == "reference-free"
    assert found["scorer"]["approximate"]
    assert found["scorer"]["baseline"]
    assert found["findings"]


def test_five_captioners_without_images(capsys, tmp_path):
    with gzip.open(FIVE) as stream:
        lines = stream.read().splitlines()[::4]  # the whole file takes four minutes
    captions = tmp_path / "five.jsonl.gz"
    captions.write_bytes(gzip.compress(b"\n".join(lines)))
    result, found, _ = audit(capsys, tmp_path / "w", captions, "--objects", "coco_objects", "--top-k", "5")
    assert result["n_samples"] == len(lines)
    assert len(found["findings"]) == 5
    assert all(f["image_cluster"] is None for f in found["findings"])
    assert all(f["association"]["risk_ratio"] > 2 for f in found["findings"])


def test_references_of_flickr_captions(capsys, tmp_path):
    flickr = DATA / "flickr8k_expert"
    _, found, _ = audit(
        capsys, tmp_path, flickr / "ratings.jsonl", "--images", flickr, "--references", "references"
    )
    assert found["dataset"]["setting"] == "reference-based"
    assert found["findings"]
