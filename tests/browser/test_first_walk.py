"""A new user's first walk: the demo from the form, finding 1, a verdict, and everything still there."""

import json

import pytest
from playwright.sync_api import expect

MINUTE = 60_000


def stored_labels(workspace):
    files = workspace.glob("labels/*/*.jsonl")
    return [json.loads(line) for f in files for line in f.read_text().splitlines()]


def open_first_finding(page):
    page.goto("/findings")
    page.get_by_text("handbag", exact=False).first.click()
    expect(page.get_by_text("Is this a real, systematic error?")).to_be_visible(timeout=30_000)


@pytest.mark.timeout(600)
def test_demo_audit_to_a_confirmed_finding(page, workspace):
    page.goto("/")
    expect(page.get_by_text("Find the errors your captioner makes")).to_be_visible(timeout=30_000)
    page.goto("/run")
    page.get_by_role("button", name="Run the demo audit").click()
    page.wait_for_url("**/run?run=demo-synthetic-*", timeout=MINUTE)
    page.reload()  # progress survives a reload
    page.get_by_role("button", name="See the findings").click(timeout=5 * MINUTE)
    expect(page.get_by_text("demo (synthetic)").first).to_be_visible(timeout=30_000)

    open_first_finding(page)
    title = page.locator("h1.fl-title")
    expect(title).to_contain_text("handbag")
    expect(title).to_contain_text("bus")
    image = page.locator(".fl-gallery img").first
    expect(image).to_be_visible()
    assert image.get_attribute("src").startswith("/thumb/demo-synthetic-")
    assert image.get_attribute("loading") == "lazy"
    page.wait_for_function("document.querySelector('.fl-gallery img').naturalWidth > 0")
    expect(page.locator(".fl-gallery mark.fl-sentence").first).to_be_visible()
    expect(page.locator(".fl-gallery mark.fl-concept").first).to_have_text("handbag")

    page.get_by_placeholder("Note (optional)").fill("no handbag in any of them")
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("saved", exact=False).first).to_be_visible()
    stored = stored_labels(workspace)
    assert [(s["verdict"], s["note"]) for s in stored] == [("confirmed", "no handbag in any of them")]

    page.reload()
    expect(page.get_by_text("Confirmed").first).to_be_visible(timeout=30_000)
    expect(page.get_by_placeholder("Note (optional)")).to_have_value("no handbag in any of them")
    page.goto("/")
    expect(page.get_by_text("Confirmed").first).to_be_visible(timeout=30_000)


def test_a_verdict_by_key_and_its_undo(page, workspace):
    before = len(stored_labels(workspace))
    open_first_finding(page)
    page.keyboard.press("n")
    expect(page.get_by_text("Rejected").first).to_be_visible(timeout=15_000)
    page.keyboard.press("z")
    expect(page.get_by_text("taken back", exact=False)).to_have_count(1, timeout=15_000)
    assert len(stored_labels(workspace)) == before + 2, "labels are appended, never rewritten"


def test_thumbnails_serve_images_of_the_run_only(page, server, workspace):
    run = next(p.name for p in (workspace / "runs").iterdir())
    for path in (
        f"/thumb/{run}/{'0' * 64}",
        "/thumb/..%2f..%2fetc/passwd",
        f"/thumb/{run}/..%2f..%2frun.json",
    ):
        assert page.request.get(server + path).status in (400, 404)


def test_dark_theme_has_readable_text(browser, server):
    context = browser.new_context(base_url=server, color_scheme="dark")
    page = context.new_page()
    page.goto("/findings")
    page.get_by_text("demo (synthetic)").first.wait_for(timeout=30_000)
    back, text = page.evaluate(
        "[getComputedStyle(document.querySelector('.stApp')).backgroundColor,"
        " getComputedStyle(document.querySelector('.stApp h1')).color]"
    )
    dark, light = (sum(map(int, c[c.index("(") + 1 : -1].split(",")[:3])) for c in (back, text))
    assert dark < 200 < 500 < light
    context.close()
