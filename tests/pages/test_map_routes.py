"""The addresses of a map give its arrays and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.views.map_data import map_data
from core.views.open_run import open_run
from pages.parts.map_routes import plotly_address
from pages.parts.routes import ROUTES
from pages.parts.workspace import open_workspace
from tests.pages.audit_fixture import SCRIPT
from tests.pages.map_fixture import add_map


@pytest.fixture
def base(root, finished):
    return f"/map/{add_map(root, finished, images=False)}/facts"


@pytest.fixture
def client():
    return TestClient(Starlette(routes=ROUTES), raise_server_exceptions=True)


def test_arrays_are_raw_and_kept_for_good_under_their_version(base, client, finished):
    version = map_data(open_run(open_workspace(), finished), "facts").version
    answer = client.get(f"{base}/xy?v={version}")
    assert len(answer.content) == 120 * 4
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"] == "application/octet-stream"
    assert client.get(f"{base}/xy?v=old").headers["cache-control"] == "no-store"
    assert len(client.get(f"{base}/colour/cluster").content) == 120
    mask = client.get(f"{base}/mask?high=0.5&q=chair").content
    bits = np.unpackbits(np.frombuffer(mask, np.uint8), bitorder="little")[:120]
    assert 0 < bits.sum() < 20
    assert client.get(f"{base}/density/alignment?dark=1").content.startswith(b"\x89PNG")


def test_texts_are_given_by_id_as_data(base, client):
    found = client.get(f"{base}/texts?ids=0,3")
    assert found.headers["content-type"] == "application/json"
    assert found.json()["0"]["text"].startswith(SCRIPT)
    assert found.json()["0"]["alignment"] == "not judged"
    assert found.json()["3"]["text"] == "There is a red chair near the middle of it."


@pytest.mark.parametrize(
    "tail",
    [
        "texts", "texts?ids=", "texts?ids=-1", "texts?ids=120", "texts?ids=1;2", "texts?ids=٣",
        "texts?ids=9999999999999999999999", "texts?ids=1e3", "texts?ids=" + ",".join("1" * 51),
        "colour/nothing", "colour/..%2f..%2fxy", "density/x", "mask?low=nan", "mask?low=x", "mask?high=inf",
        "mask?cluster=-1", "mask?cluster=x", "mask?q=" + "x" * 201,
    ],
)  # fmt: skip
def test_anything_else_is_a_sentence(base, client, tail):
    answer = client.get(f"{base}/{tail}")
    assert answer.status_code == 404
    assert "<" not in answer.text


@pytest.mark.parametrize(
    "address",
    [
        "/map/nowhere/facts/xy", "/map/..%2f..%2fetc/facts/xy", "/map/./facts/xy", "/map/%2e%2e/facts/xy",
        "/map/RUN/images/xy", "/map/RUN/..%2ffacts/xy", "/map/RUN/other/xy",
        "/map/RUN/facts/..%2f..%2frun.json",
    ],
)  # fmt: skip
def test_other_runs_kinds_and_paths_are_refused(base, client, finished, address):
    assert client.get(address.replace("RUN", finished)).status_code == 404


def test_plotly_comes_from_the_package(client):
    answer = client.get(plotly_address())
    assert answer.status_code == 200
    assert b"plotly.js" in answer.content[:200]
    assert "immutable" in answer.headers["cache-control"]
