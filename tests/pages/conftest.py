"""Pages run in process by AppTest on a workspace of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import audit_fixture

SHELL = Path(__file__).resolve().parents[2] / "pages" / "shell.py"


@pytest.fixture
def root(tmp_path, monkeypatch):
    folder = tmp_path / "workspace"
    folder.mkdir()
    monkeypatch.setenv("FAULTLINE_WORKSPACE", str(folder))
    return folder


@pytest.fixture
def finished(root):
    return audit_fixture.write_finished(root, images=False)


@pytest.fixture
def open_page(root):
    """Open a page with an address, as a browser would: open_page("findings.py", run="...")."""

    def open_page(page=None, **params):
        app = AppTest.from_file(str(SHELL), default_timeout=30)
        if page is not None:
            app.run()
            app.switch_page(page)
        for name, value in params.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception, app.exception
        return app

    return open_page
