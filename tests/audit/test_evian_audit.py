"""Evian on the demo: a triplet for every sample, its screen's data, and the export."""

import json

import pytest

from core.cli import main
from core.runs.workspace import Workspace
from core.views.open_run import open_run
from core.views.triplet_export import export_selection
from core.views.triplet_sample import sample_view
from core.views.triplets import (
    captioner_table,
    distributions,
    filter_rows,
    load_triplets,
    select,
)
from tests.audit.conftest import audit_arguments


@pytest.fixture(scope="module")
def run(demo, tmp_path_factory):
    root = tmp_path_factory.mktemp("evian")
    more = ("--steps", "evian", "--run-file", str(root / "id"))
    assert main(audit_arguments(demo, root / "w", *more)) == 0
    return open_run(Workspace(root / "w"), (root / "id").read_text())


def test_every_sample_has_a_triplet_and_nothing_is_lost(run):
    t = load_triplets(run)
    assert len(t.sample_ids) == 120
    assert t.baseline
    for d in distributions(t, filter_rows(t)):
        assert sum(d.counts) + d.n_default + d.n_unscored == 120
    assert sum(r.n for r in captioner_table(t)) == 120


def test_a_sample_opens_with_its_whole_response(run):
    t = load_triplets(run)
    view = sample_view(run, t, t.sample_ids[3])
    captions = run.need_stage("samples")
    assert captions.is_dir()
    assert "".join(text for text, _ in view.pieces)
    assert [a.symbol for a in view.axes] == ["S_V", "S_L", "S_K"]


def test_the_selection_comes_back_in_the_input_format(run, demo):
    t = load_triplets(run)
    chosen = select(t, filter_rows(t), n=7)
    lines = export_selection(run, [int(r) for r in t.row[chosen.kept]]).decode().splitlines()
    assert len(lines) == len(chosen.kept) == 7
    assert chosen.n_dropped == 113
    original = [json.loads(line) for line in demo.captions.read_text().splitlines()]
    assert all(json.loads(line) in original for line in lines)
