"""Every state of runs, versions and runners in a browser: it fits, reads well, runs nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from cryptography.fernet import Fernet
from django.test import override_settings
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from registry.models import User
from tests import chromium
from tests.frontend import gallery, gallery_learnability, gallery_needs
from tests.frontend.test_narrow import BEYOND, SCREEN

pytestmark = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),  # some sixty pages and an audit of each
]
UNSEEN = r"/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText)"
WHOLE = bool(os.environ.get("WALK_WHOLE"))  # every theme at every width: an hour
VIOLATED = {"resultTypes": ["violations"]}  # the details of all else are slow
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # all that the theme changes
# Of each kind of page the one with most on it.
IN_THE_DARK = ("version-listed", "run-stopping", "run-failed", "rollout", "rollout-failed")
FOCUSED = """() => {
    const on = document.activeElement;
    const style = getComputedStyle(on), box = on.getBoundingClientRect();
    const name = on.getAttribute("aria-label") ?? on.textContent.trim().replace(/\\s+/g, " ");
    const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    const there = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0;
    return [name, seen && there];
}"""


def signed_in(
    browser: Browser, url: str, name: str, scheme: str = "light"
) -> tuple[Page, list[str]]:
    """A narrow tab of that person, and what goes wrong in it."""
    context = browser.new_context(
        viewport=SCREEN,  # type: ignore[arg-type]
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",  # or a page still scrolls to what has the focus
    )
    page, problems = context.new_page(), list[str]()
    page.on("console", lambda message: problems.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
    page.goto(f"{url}/login/")
    # Chromium reports an autofocus that comes after another field has the focus.
    expect(page.get_by_label("Username")).to_be_focused(timeout=60_000)
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(name)
    page.get_by_role("button", name="Sign in", exact=True).click()
    return page, problems


def wrong(page: Page, name: str, **options: Any) -> list[str]:
    """What is wrong with the page that is shown, by name, with all its details open; `options` are
    axe's."""
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    problems = [f"{name}: {problem}" for problem in page.evaluate(BEYOND)]
    if page.evaluate(UNSEEN) or page.title() == "owned":
        problems.append(f"{name}: it shows what cannot be seen, or was owned")
    for violation in Axe().run(page, options=VIOLATED | options).response["violations"]:
        problems += [
            f"{name}: {violation['id']} {node['html'][:200]}" for node in violation["nodes"]
        ]
    if shots := os.environ.get("SHOTS"):
        page.screenshot(path=Path(shots, f"{name}.png"), full_page=True)
    return problems


def walk(url: str, person: str, pages: dict[str, str], scheme: str = "light") -> list[str]:
    """What is wrong with the pages, by name, as that person sees them; dark ones only if WHOLE."""
    if scheme == "dark" and not WHOLE:
        return []  # test_walk audits each page in the dark, test_patterns each part
    with chromium.running() as browser:
        page, problems = signed_in(browser, url, person, scheme)
        for name, path in pages.items():
            page.goto(url + path)
            problems += wrong(page, name, **(COLOURS if scheme == "dark" else {}))
    return problems


@pytest.mark.extended
def test_every_state_fits_reads_well_and_runs_nothing(
    live_server: LiveServer, alice: User, root: User
) -> None:
    pages = gallery.pages(alice)
    cancel = f"{pages['run-running']}cancel/"
    dark = {f"{name}-dark": pages[name] for name in IN_THE_DARK}
    staff = {"moderation": "/moderation/", "staff": pages["version-errored"]}
    problems = [
        *walk(live_server.url, "alice", {**pages, "cancel": cancel, "runner": "/runner/"}),
        *walk(live_server.url, "alice", dark, "dark"),
        *walk(live_server.url, "root", staff),
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.extended
def test_every_state_of_needs_and_provisions_fits_reads_well_and_runs_nothing(
    live_server: LiveServer, alice: User, root: User
) -> None:
    with override_settings(HUB_SECRETS_KEYS=(Fernet.generate_key().decode(),)):
        pages = gallery_needs.pages(alice, root)
        dark = ("held-several", "needs-listed", "run-network", "provisions", "rollout-judge")
        staff = {"moderation-needs": "/moderation/", "moderation-hosts": "/moderation/hosts/"}
        problems = [
            *walk(live_server.url, "alice", pages),
            *walk(live_server.url, "alice", {f"{name}-dark": pages[name] for name in dark}, "dark"),
            *walk(live_server.url, "root", {**staff, "provisions-staff": pages["provisions"]}),
        ]
    assert not problems, "\n".join(problems)


@pytest.mark.extended
def test_what_a_model_can_learn_fits_reads_well_and_runs_nothing(
    live_server: LiveServer, alice: User
) -> None:
    pages = gallery_learnability.pages(alice)
    dark = {f"{name}-dark": path for name, path in pages.items() if "useful" in name}
    problems = [
        *walk(live_server.url, "alice", pages),
        *walk(live_server.url, "alice", dark, "dark"),
    ]
    assert not problems, "\n".join(problems)


def test_the_keyboard_reaches_everything_in_order_and_is_seen(
    live_server: LiveServer, alice: User
) -> None:
    path, names = gallery.under_way(alice)["run-running"], list[str]()
    with chromium.running() as browser:
        page, _ = signed_in(browser, live_server.url, "alice")
        page.goto(live_server.url + path)
        while "API" not in names:  # the last one of the page
            page.keyboard.press("Tab")
            name, visible = page.evaluate(FOCUSED)
            assert visible, name
            names.append(name)
    order = ["Skip to content", "Cancel this run", "Log", "Log", "Filter", "silent · task 0", "API"]
    assert [name for name in names if name in order] == order, names
