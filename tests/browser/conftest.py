"""A dashboard of its own for the browser tests: free port, empty workspace, stopped at the end."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
FLAGS += ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]  # WebGL

expect.set_options(timeout=30_000)  # a busy machine draws a page in more than five seconds


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="session")
def workspace(tmp_path_factory):
    return tmp_path_factory.mktemp("dashboard") / "workspace"


@contextmanager
def dashboard(workspace, log):
    """Run a dashboard on this workspace; its address."""
    port = free_port()
    command = [
        sys.executable, "-m", "streamlit", "run", "app.py",
        "--server.address", "127.0.0.1", "--server.port", str(port), "--server.headless", "true",
    ]  # fmt: skip
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            env={**os.environ, "FAULTLINE_WORKSPACE": str(workspace)},
            stdout=out,
            stderr=out,
        )
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2)
            break
        except OSError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
    try:
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def start_dashboard(tmp_path_factory):
    """A function that starts a dashboard on a workspace and gives its address; all stop at the end."""
    with ExitStack() as running:
        yield lambda workspace: running.enter_context(
            dashboard(workspace, tmp_path_factory.mktemp("log") / "streamlit.log")
        )


@pytest.fixture(scope="session")
def server(workspace, start_dashboard):
    """The address of the running dashboard."""
    return start_dashboard(workspace)


@pytest.fixture(scope="session")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("the browser tests need Chromium (on Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser, server):
    """A page of a fresh context; fails the test on script errors."""
    context = browser.new_context(base_url=server, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []
