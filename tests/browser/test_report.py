"""The report in a real browser: offline, from disk, with a silent console; and its page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from core.report.build import build_report
from core.report.data import Options
from core.runs.workspace import Workspace
from core.views.open_run import open_run
from tests.pages import audit_fixture as fixture

EVIL = "</style><script>window.__injected = 1</script>‮gnirts 👩‍👩‍👧‍👦 " + "x" * 10_000


@pytest.fixture(scope="module")
def report_workspace(tmp_path_factory):
    root = tmp_path_factory.mktemp("report") / "workspace"
    root.mkdir()
    run_id = fixture.write_finished(root)
    (root / "runs" / run_id / "config.toml").write_text(
        'captions = "captions.jsonl"\nobjects_column = "objects"\n'
    )
    return root


@pytest.fixture(scope="module")
def report_file(report_workspace):
    run = open_run(Workspace(report_workspace), "street-1a2b3c")
    path = report_workspace.parent / 'it\'s a "report" #1.html'
    path.write_bytes(build_report(run, Options(date="2026-03-01", notes=EVIL, title=EVIL[:300])).html)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_opened_from_disk_without_network(browser, report_file, scheme, width):
    context = browser.new_context(offline=True, color_scheme=scheme, viewport={"width": width, "height": 900})
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report_file.as_uri())
    images = page.locator("img")
    assert images.count() > 20
    images.last.scroll_into_view_if_needed()
    assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert page.evaluate("window.__injected") is None
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(18, 23, 28)")
    context.close()


def test_by_keyboard_and_on_paper(browser, report_file):
    context = browser.new_context(offline=True, color_scheme="dark")
    page = context.new_page()
    page.goto(report_file.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.url.endswith("#audited")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF")
    context.close()


def test_the_page_shows_and_downloads_it(browser, report_workspace, start_dashboard):
    address = start_dashboard(report_workspace)
    context = browser.new_context(base_url=address, viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.goto("/report?run=street-1a2b3c")
    frame = page.frame_locator("iframe[src*='report-preview']")
    expect(frame.locator("h1")).to_have_text("Caption audit: street", timeout=60_000)
    page.get_by_label("Title").fill("For the board")
    page.get_by_label("Title").press("Enter")
    expect(frame.locator("h1")).to_have_text("For the board", timeout=30_000)
    with page.expect_download(timeout=30_000) as waiting:
        page.get_by_role("button", name="Download the report (3 findings)").click()
    saved = report_workspace.parent / "saved.html"
    waiting.value.save_as(saved)
    assert waiting.value.suggested_filename == "street-1a2b3c-report.html"
    assert b"<bdi>For the board</bdi>" in saved.read_bytes()
    context.close()
