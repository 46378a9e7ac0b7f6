"""The Triplets page in a real browser: from the worst response to a downloaded selection."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.pages.triplet_fixture import BROKEN, finished_with_triplets, overall_of

KNOWN = ("_stcore/health", "_stcore/host-config", "404 (Not Found)")
WAIT = 60_000


@pytest.fixture(scope="module")
def scored(tmp_path_factory, start_dashboard):
    """(address, run id) of a dashboard with one finished run that has triplets."""
    root = tmp_path_factory.mktemp("triplets") / "workspace"
    root.mkdir()
    run_id = finished_with_triplets(root, images=True)
    return start_dashboard(root), run_id


@pytest.fixture(params=["light", "dark"])
def page(browser, scored, request):
    """The page in either theme; fails on script errors, console errors and failed requests."""
    context = browser.new_context(
        base_url=scored[0],
        viewport={"width": 1400, "height": 950},
        color_scheme=request.param,
        accept_downloads=True,
    )
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("response", lambda r: problems.append(r.url) if r.status >= 400 else None)
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.goto("/triplets")
    expect(page.locator(".fl-axis").first).to_be_visible(timeout=WAIT)
    yield page
    context.close()
    assert [p for p in problems if not any(known in p for known in KNOWN)] == []


@pytest.mark.timeout(300)
def test_open_a_response_from_the_plot_and_download_the_best(page, scored):
    expect(page.locator(".stMarkdownBadge").first).to_contain_text("Baseline", timeout=WAIT)
    points = page.locator(".fl-scatter a")
    expect(points).to_have_count(60 - 1, timeout=WAIT)  # every response with both scores is a point
    hollow = page.locator(".fl-scatter a.fl-hollow")
    expect(hollow).to_have_count(15, timeout=WAIT)  # no inference claimed: hollow, not a bad score
    app = page.locator("[data-testid=stApp]")
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=WAIT)

    points.first.click(force=True)
    page.wait_for_url("**/triplets?*sample=s*", timeout=WAIT)
    opened = page.locator("article.fl-sample")
    expect(opened).to_be_visible(timeout=WAIT)
    expect(opened.locator(".fl-scores li")).to_have_count(3, timeout=WAIT)
    expect(opened.locator("mark.fl-infer").first).to_be_visible(timeout=WAIT)
    page.wait_for_function("document.querySelector('.fl-sample-picture img').naturalWidth > 0")

    expect(page.get_by_text("30 kept, 30 dropped")).to_be_visible(timeout=WAIT)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download 30 rows").click()
    rows = [json.loads(line) for line in started.value.path().read_text().splitlines()]
    assert started.value.suggested_filename == "street-selected.jsonl"
    best = sorted((i for i in range(60) if i != BROKEN), key=lambda i: -overall_of(i))[:30]
    lowest = overall_of(best[-1])
    assert len(rows) == 30
    assert all(overall_of(int(r["own"][1:])) >= lowest - 1e-9 for r in rows)
