"""One real vLLM for all protocol tests; skipped with the reason where it cannot be installed."""

import pytest

from tests.protocol.vllm_server import VllmServer, why_not


@pytest.fixture(scope="session")
def vllm(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    server = VllmServer(tmp_path_factory.mktemp("vllm"))
    server.start()
    yield server
    server.stop()
