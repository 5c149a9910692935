"""The main ways through the pages with the keyboard alone; what has the focus is always seen."""

from __future__ import annotations

import re

import pytest
from django.test import override_settings
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from registry.models import User, Version
from registry.runs import suites
from tests import chromium
from tests.factories import make_version
from tests.registry.runs.measured_models import evaluated

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
]
PATIENCE = 60_000  # milliseconds, for one page of a busy machine
MOST = 150  # times that Tab is pressed on the way to one element
FOCUSED = """() => {
    const on = document.activeElement;
    const style = getComputedStyle(on), box = on.getBoundingClientRect();
    const name = on.getAttribute("aria-label") ?? on.labels?.[0]?.textContent ?? on.textContent;
    const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    const there = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0;
    return [name.trim().replace(/\\s+/g, " "), seen && there];
}"""


def reach(page: Page, name: str) -> None:
    """Press Tab until the element of that name has the focus; each on the way must be seen."""
    for _ in range(MOST):
        page.keyboard.press("Tab")
        focused, seen = page.evaluate(FOCUSED)
        assert seen, f"{page.url}: {focused!r} has the focus and is not seen"
        if focused == name:
            return
    raise AssertionError(f"{page.url}: Tab does not reach {name!r}")


def follow(page: Page, name: str) -> None:
    """Reach it, press Enter, and wait for the next page."""
    reach(page, name)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def sign_in(page: Page, url: str, name: str) -> None:
    """Through the form, whose first field has the focus."""
    page.goto(f"{url}/")
    follow(page, "Sign in")
    expect(page.get_by_label("Username")).to_be_focused()
    page.keyboard.type(name)
    reach(page, "Password")
    page.keyboard.type(name)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


@pytest.fixture
def version(alice: User) -> Version:
    """alice/useful==0.1.0, on which two models were evaluated."""
    version, full = make_version(alice, "useful"), suites.built_in("full")
    evaluated(version, "org/strong", full, rate=0.55)
    evaluated(version, "org/weak", full, rate=0.05)
    return version


def test_the_keyboard_alone_searches_evaluates_compares_and_yanks(
    live_server: LiveServer, version: Version
) -> None:
    expect.set_options(timeout=PATIENCE)
    # Links of read models begin with the hub's address.
    with override_settings(HUB_URL=live_server.url), chromium.running() as browser:
        page = browser.new_context(reduced_motion="reduce").new_page()
        page.set_default_timeout(PATIENCE)
        sign_in(page, live_server.url, "alice")
        _find(page)
        _request(page)
        _compare(page)
        _yank_and_delete(page)
    version.refresh_from_db()
    assert (version.yanked_reason, version.status) == ("a wrong reward", "listed")
    assert version.deleted_at is not None


def _find(page: Page) -> None:
    """Search, open the environment, and go through its tabs."""
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox").first).to_be_focused()
    page.keyboard.type("useful")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    follow(page, "alice/useful")
    for tab in ("Versions", "Rollouts", "Evaluations"):
        follow(page, tab)
        expect(page.locator(".tabs [aria-current]")).to_have_text(tab)


def _request(page: Page) -> None:
    """Request an evaluation, which leads to its place in the queue."""
    follow(page, "Request an evaluation")
    reach(page, "Model")
    page.keyboard.type("org/new")
    follow(page, "Request the evaluation")
    assert page.url.endswith("/queue/"), page.url
    expect(page.get_by_text("org/new").first).to_be_visible()


def _compare(page: Page) -> None:
    """Compare the two models from the leaderboard, and look at one task of both."""
    follow(page, "Evaluations")
    follow(page, "Compare")
    follow(page, "Compare")
    expect(page.get_by_text("20 won, 20 tied, 0 lost of 40")).to_be_visible()


def _yank_and_delete(page: Page) -> None:
    """Yank with a reason, then delete after the version was typed."""
    page.goto(re.sub(r"(//[^/]+).*", r"\1/envs/alice/useful/", page.url))
    reach(page, "0.1.0")  # the list of versions
    page.keyboard.press("Enter")
    follow(page, "0.1.0")
    reach(page, "Reason to yank")
    page.keyboard.type("a wrong reward")
    follow(page, "Yank this version")
    expect(page.locator(".note.warn")).to_contain_text("a wrong reward")
    reach(page, "Delete this version")
    page.keyboard.press("Enter")
    reach(page, "Type 0.1.0 to confirm")
    page.keyboard.type("0.1.1")
    follow(page, "Delete permanently")
    expect(page.get_by_text("not deleted")).to_be_visible()
    reach(page, "Delete this version")
    page.keyboard.press("Enter")
    reach(page, "Type 0.1.0 to confirm")
    page.keyboard.type("0.1.0")
    follow(page, "Delete permanently")
