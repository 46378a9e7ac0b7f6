"""Every audit has its maps; a vector that cannot be used is named with its sample."""

import numpy as np
import pytest

from core.cli import main
from core.models.embedded.minilm import MiniLM
from core.runs.manifest import read_manifest
from core.runs.parts import StageStore
from tests.audit.conftest import audit_arguments


def stage(workspace, run_id, name):
    return StageStore(workspace, name, read_manifest(workspace, run_id)["stages"][name])


@pytest.mark.parametrize(("name", "of"), [("fact_map", "facts"), ("image_map", "samples")])
def test_places_of_every_point(audited, name, of):
    workspace, run_id, _ = audited
    store = stage(workspace, run_id, name)
    places, summary = store.read_array(), store.record()["summary"]
    rows = stage(workspace, run_id, of).read_table().num_rows
    assert places.shape == (rows, 2) == (summary["n_points"], 2)
    assert places.dtype == np.float32
    assert np.isfinite(places).all()
    assert summary["method"] == "umap"
    assert 0.9 < summary["trustworthiness"] <= 1


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
def test_a_vector_that_cannot_be_used_is_named_with_its_sample(demo, tmp_path, capsys, monkeypatch, value):
    embed = MiniLM.embed_texts

    def broken(self, texts):
        rows = embed(self, texts)
        if len(texts) > 50:
            rows[3, :] = value
        return rows

    monkeypatch.setattr(MiniLM, "embed_texts", broken)
    assert main(audit_arguments(demo, tmp_path / "w")) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert "(sample '" in said
    assert "sentence" in said
    assert ("all zero" if value == 0 else "not finite") in said
