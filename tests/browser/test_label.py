"""Labelling by keys in a real browser: saved at once, undone, kept over a reload, by two people at once."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from core.labels.fact_labels import FACT_VERDICTS, verdicts_by_annotator
from core.runs.workspace import Workspace
from core.views.label_queue import label_queue, live_prevalence
from core.views.open_run import labels_of, open_run
from tests.pages import audit_fixture

WAIT = 30_000


@pytest.fixture(scope="module")
def labelled(tmp_path_factory, start_dashboard):
    """(address, workspace folder, run) of a dashboard with one finished run."""
    root = tmp_path_factory.mktemp("label") / "workspace"
    root.mkdir()
    run_id = audit_fixture.write_finished(root)
    return start_dashboard(root), root, open_run(Workspace(root), run_id)


def open_as(browser, address, run_id, name=None):
    page = browser.new_context(base_url=address, viewport={"width": 1400, "height": 950}).new_page()
    page.goto(f"/label?run={run_id}")
    expect(page.locator(".fl-label mark.fl-sentence")).to_be_visible(timeout=2 * WAIT)
    expect(page.get_by_role("button", name="Skip")).to_be_visible(timeout=WAIT)
    expect(page.get_by_text("Agreement").first).to_be_visible(timeout=WAIT)
    page.wait_for_timeout(500)  # shortcuts are bound after the buttons are drawn
    if name:
        page.locator("[data-testid=stPopover] button").first.click()
        field = page.get_by_role("textbox", name="Your name")
        field.fill(name)
        field.press("Enter")
        expect(page.locator("[data-testid=stPopover] button").first).to_contain_text(name, timeout=WAIT)
        page.keyboard.press("Escape")
        judged(page, 0)
    return page


def judged(page, n):
    expect(page.get_by_text(re.compile(rf"· {n} of 60 judged"))).to_be_visible(timeout=WAIT)
    app = page.locator("[data-testid=stApp]")
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=WAIT)
    page.wait_for_timeout(150)  # the buttons of the next sentence are bound


def press(page, key, n):
    """A key, again if it came before the new buttons were bound: such a key is lost, and changes nothing."""
    for _ in range(4):
        page.keyboard.press(key)
        try:
            expect(page.get_by_text(re.compile(rf"· {n} of 60 judged"))).to_be_visible(timeout=4000)
        except AssertionError:
            continue
        break
    judged(page, n)


def stored(root):
    files = sorted(root.glob("labels/*/*.jsonl"))
    return [json.loads(line) for f in files for line in f.read_text().splitlines()]


@pytest.mark.timeout(400)
def test_twelve_by_keys_one_undone_and_all_kept_over_a_reload(browser, labelled):
    address, root, run = labelled
    page = open_as(browser, address, run.run_id)
    keys = [1, 3, 1, 2, 1, 4, 1, 3, 1, 1, 2, 1]
    for n, key in enumerate(keys, 1):
        press(page, str(key), n)
    assert [s["verdict"] for s in stored(root)] == [FACT_VERDICTS[k - 1] for k in keys]
    page.keyboard.press("Control+z")
    judged(page, 11)
    page.reload()
    judged(page, 11)
    by = verdicts_by_annotator(labels_of(run.workspace, run.fingerprint).labels())
    ((_, mine),) = by.items()
    found = live_prevalence(label_queue(run), mine)
    expect(page.locator(".fl-rate")).to_contain_text(f"{100 * found.share:.0f} %")
    expect(page.locator(".fl-rate")).to_contain_text(
        f"{100 * found.interval.low:.0f} to {100 * found.interval.high:.0f} %"
    )
    assert page.locator(".fl-rate").bounding_box()["height"] > 15, "the figure is there to be read"
    expect(page.locator(".fl-stop")).to_contain_text("at least 12 verdicts are needed")
    page.context.close()


@pytest.mark.timeout(400)
def test_two_people_at_once_lose_nothing(browser, labelled):
    address, root, run = labelled
    before = len(stored(root))
    ann, bob = (open_as(browser, address, run.run_id, name) for name in ("Ann", "Bob"))
    for n in range(1, 5):
        press(ann, "1", n)
        press(bob, "1" if n % 2 else "3", n)
    by = verdicts_by_annotator(labels_of(run.workspace, run.fingerprint).labels())
    assert (len(by["Ann"]), len(by["Bob"])) == (4, 4)
    assert set(by["Ann"]) == set(by["Bob"]), "both get the same sentences, so that agreement can be seen"
    assert len(stored(root)) == before + 8
    ann.reload()
    ann.context.close()
    bob.context.close()


@pytest.mark.timeout(400)
def test_keys_pressed_too_fast_never_change_or_misplace_a_verdict(browser, labelled):
    address, root, run = labelled
    page = open_as(browser, address, run.run_id, "Eve")
    for key in "1313":
        page.keyboard.press(key)
    expect(page.get_by_text(re.compile(r"· [1-4] of 60 judged"))).to_be_visible(timeout=WAIT)
    page.wait_for_timeout(3000)
    mine = [label for label in stored(root) if label["annotator"] == "Eve"]
    order = [f"fact:{a}-{b}:{s}" for s, a, b in label_queue(run).place]
    assert mine[0]["verdict"] == FACT_VERDICTS[0]
    assert [label["target"] for label in mine] == order[: len(mine)], "one verdict a sentence, in order"
    page.context.close()
