"""The Fact map in a real browser: an outline selects exactly the points inside it."""

from __future__ import annotations

import math
import random

import pytest
from playwright.sync_api import expect

from core.runs.workspace import Workspace
from core.views.map_data import map_data
from core.views.open_run import open_run
from tests.pages import audit_fixture
from tests.pages.map_fixture import add_map

PIXELS = """([...places]) => {
  const plot = document.querySelector('.fl-map-plot'), { xaxis, yaxis } = plot._fullLayout
  const box = plot.getBoundingClientRect()
  const left = box.left + xaxis._offset, top = box.top + yaxis._offset
  return places.map(([x, y]) => [left + xaxis.l2p(x), top + yaxis.l2p(y)])
}"""
KNOWN = ("_stcore/health", "_stcore/host-config", "404 (Not Found)")
"""Streamlit's own probes under the address of a page, and the console's word for them."""


@pytest.fixture(scope="module")
def mapped(tmp_path_factory, start_dashboard):
    """(address, run) of a dashboard with one finished run that has its maps."""
    root = tmp_path_factory.mktemp("mapped") / "workspace"
    root.mkdir()
    run_id = add_map(root, audit_fixture.write_finished(root))
    return start_dashboard(root), open_run(Workspace(root), run_id)


@pytest.fixture
def page(browser, mapped):
    """The map page, drawn; fails the test on script errors, console errors and failed requests."""
    context = browser.new_context(base_url=mapped[0], viewport={"width": 1400, "height": 950})
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("response", lambda r: problems.append(r.url) if r.status >= 400 else None)
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    open_map(page)
    yield page
    context.close()
    assert [p for p in problems if not any(known in p for known in KNOWN)] == []


def open_map(page, address="/fact_map"):
    page.goto(address)
    page.locator(".fl-map[data-points]").wait_for(timeout=60_000)


def pixels_of(page, run):
    return page.evaluate(PIXELS, map_data(run, "facts").places.tolist())


def crosses(x, y, polygon):
    odd = False
    for (x1, y1), (x2, y2) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            odd = not odd
    return odd


def distance(point, start, end):
    """Of a point from a line between two points, pixels."""
    (x, y), (x1, y1), (x2, y2) = point, start, end
    along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)
    along = min(1.0, max(0.0, along))
    return math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1))


def clear_of_points(middle, pixels):
    """An outline that passes no point within 3 pixels: the drawn path itself is exact to about 2."""
    rng = random.Random(7)
    for _ in range(20_000):
        angles = sorted(rng.uniform(0, 2 * math.pi) for _ in range(5))
        reach = [rng.uniform(15, 110) for _ in angles]
        outline = [
            (middle[0] + r * math.cos(a), middle[1] + r * math.sin(a))
            for a, r in zip(angles, reach, strict=True)
        ]
        edges = list(zip(outline, [*outline[1:], outline[0]], strict=True))
        if all(distance(p, *edge) > 3 for p in pixels for edge in edges) and (
            5 <= sum(crosses(x, y, outline) for x, y in pixels) <= 25
        ):
            return outline
    raise AssertionError("no outline keeps clear of all points")


def draw(page, polygon):
    page.mouse.move(*polygon[0])
    page.mouse.down()
    for corner in [*polygon[1:], polygon[0]]:
        page.mouse.move(*corner, steps=8)
    page.mouse.up()


def rows_shown(page):
    """(sample id, sentence) of the lines of the list."""
    buttons = page.locator("tbody button")
    found = buttons.evaluate_all("all => all.map(b => [b.title.split(' · ')[0], b.textContent])")
    return sorted(map(tuple, found))


def rows_of(run, ids):
    from core.views.map_selection import point_rows

    return sorted((row.sample_id, row.text) for row in point_rows(run, map_data(run, "facts"), ids))


def test_an_outline_selects_exactly_what_is_inside(page, mapped):
    _, run = mapped
    pixels = pixels_of(page, run)
    middle = [sum(p[k] for p in pixels[::4]) / len(pixels[::4]) for k in (0, 1)]
    polygon = clear_of_points(middle, pixels)
    expected = [i for i, (x, y) in enumerate(pixels) if crosses(x, y, polygon)]
    assert 5 <= len(expected) <= 25, "the outline holds some points, and one page shows them all"
    sent = []
    page.on("websocket", lambda _: sent.append("new connection"))
    draw(page, polygon)
    expect(page.get_by_text(f"{len(expected)} sentences inside the outline")).to_be_visible(timeout=20_000)
    expect(page.locator("tbody button")).to_have_count(len(expected))
    assert rows_shown(page) == rows_of(run, expected)
    expect(page.locator(".fl-map-strip img").first).to_be_visible()
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(page.get_by_text("All 120 sentences")).to_be_visible(timeout=20_000)
    assert sent == []


def test_hover_shows_the_sentence_as_text_and_a_click_its_neighbours(page, mapped):
    _, run = mapped
    x, y = pixels_of(page, run)[0]
    page.mouse.move(x - 3, y)
    page.mouse.move(x, y, steps=4)
    tip = page.locator(".fl-map-tip")
    expect(tip).to_be_visible(timeout=10_000)
    expect(tip).to_contain_text("Alignment:")
    page.mouse.click(x, y)
    expect(page.get_by_text("Nearest in meaning")).to_be_visible(timeout=20_000)
    assert "fact=" in page.url
    assert page.evaluate("window.__injected") is None
    page.reload()
    expect(page.get_by_text("Nearest in meaning")).to_be_visible(timeout=30_000)


def test_filters_are_drawn_by_masks_only(page, mapped):
    asked = []
    page.on("request", lambda r: asked.append(r.url) if "/map/" in r.url else None)
    page.get_by_placeholder("words of a sentence").fill("chair")
    page.keyboard.press("Enter")
    expect(page.get_by_text("20 sentences that pass the filters")).to_be_visible(timeout=20_000)
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(e => e.name.includes('/mask?'))"
    )
    assert all("/mask?" in url for url in asked)
    assert "q=chair" in page.url


def test_dark_theme(browser, mapped):
    context = browser.new_context(base_url=mapped[0], color_scheme="dark")
    page = context.new_page()
    open_map(page, "/fact_map?colour=cluster")
    back = page.evaluate(
        "document.querySelector('.fl-map-plot')._fullLayout.annotations[0].bgcolor.match(/[0-9a-f]{2}/gi)"
    )
    assert sum(int(part, 16) for part in back[:3]) < 200
    expect(page.locator(".fl-map-key").first).to_contain_text("1. handbag")
    context.close()
