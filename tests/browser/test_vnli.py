"""From a finding to a sample in a real browser: a revision accepted by hand is kept over a reload."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from core.labels.revisions import accepted_revisions, decisions
from core.runs.workspace import Workspace
from core.views.open_run import labels_of, open_run
from tests.pages import audit_fixture
from tests.pages.vnli_fixture import add_vnli

KNOWN = ("_stcore/health", "_stcore/host-config", "404 (Not Found)")
WAIT = 60_000


@pytest.fixture(scope="module")
def critiqued(tmp_path_factory, start_dashboard):
    """(address, run) of a dashboard with one finished run whose sentences are judged and revised."""
    root = tmp_path_factory.mktemp("vnli") / "workspace"
    root.mkdir()
    run_id = add_vnli(root, audit_fixture.write_finished(root))
    return start_dashboard(root), open_run(Workspace(root), run_id)


@pytest.fixture(params=["light", "dark"])
def page(browser, critiqued, request):
    """A page in either theme; fails on script errors, console errors and failed requests."""
    context = browser.new_context(
        base_url=critiqued[0], viewport={"width": 1400, "height": 950}, color_scheme=request.param
    )
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("response", lambda r: problems.append(r.url) if r.status >= 400 else None)
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    yield page
    context.close()
    assert [p for p in problems if not any(known in p for known in KNOWN)] == []


def stored(run):
    return labels_of(run.workspace, run.fingerprint)


@pytest.mark.timeout(300)
def test_from_a_finding_to_a_sample_whose_revision_is_accepted(page, critiqued):
    _, run = critiqued
    finding = audit_fixture.finding_id("handbag", "bus")
    page.goto(f"/finding?run={run.run_id}&finding={finding}")
    cards = page.locator(".fl-card")
    expect(cards.first).to_be_visible(timeout=WAIT)
    link = cards.nth(0).get_by_role("link", name="Sentence by sentence: sample s000")
    expect(link).to_be_visible()
    link.click()
    page.wait_for_url(re.compile(r"/sample\?"), timeout=WAIT)
    assert parse_qs(urlsplit(page.url).query) == {"run": [run.run_id], "sample": ["s000"]}

    expect(page.locator(".fl-v-wrong").first).to_be_visible(timeout=WAIT)
    expect(page.locator(".fl-diff del").first).to_be_visible()
    page.get_by_role("button", name="Accept", exact=False).first.click()
    said = page.get_by_text(re.compile(r"^Accepted · "))
    expect(said).to_be_visible(timeout=WAIT)
    ((place, decision),) = decisions(stored(run)).items()
    revised = "There is a red thing near the middle of it, no handbag."
    assert (place[0], decision.verdict, decision.text) == ("s000", "accepted", revised)
    assert accepted_revisions(stored(run))["s000"][place[1:]].text == revised

    page.reload()
    expect(said).to_be_visible(timeout=WAIT)
    page.get_by_text("Caption with accepted revisions").click()
    expect(page.get_by_text(revised).last).to_be_visible()
    assert list(decisions(stored(run))) == [place]
    page.get_by_role("button", name="Undo").click()
    expect(said).to_have_count(0, timeout=WAIT)
    assert decisions(stored(run)) == {}
    assert len(stored(run).labels()) % 2 == 0, "taken back by a line of its own, nothing is deleted"
