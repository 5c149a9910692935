"""Pages of an environment in a browser: what is on the first screen, widths and themes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import ViewportSize
from pytest_django.live_server_helper import LiveServer

from frontend.pages import environment_head
from registry.catalog import locks
from registry.models import User, Version
from tests import chromium
from tests.factories import make_run, make_version
from tests.frontend import gallery_learnability
from tests.frontend.test_environment_head import PLATFORM
from tests.frontend.test_gallery import wrong
from tests.frontend.test_narrow import BEYOND, SCREEN
from tests.wheels import make_wheel

pytestmark = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
]
PAGE = "/envs/alice/useful/"
TABS = {tab: f"{PAGE}?tab={tab}" for tab in environment_head.TABS}
LINES, LONG = "a_line_of_code = 1\n" * 9, "x" * 300
WIDE: ViewportSize = {"width": 1440, "height": 900}


@pytest.fixture
def version(alice: User) -> Version:
    """alice/useful==0.1.0 with a card, a lock, and versions in other states."""
    gallery_learnability.played(
        alice,
        "useful",
        gallery_learnability.REWARDS["useful"],
        model="org/Tiny-0.1B",
        part="format",
    )
    version = Version.objects.get()
    lock = f"demo==1.0 --hash=sha256:{'0' * 64}\n"
    run = make_run(version)
    assert locks.agree(version=version, run_id=run.pk, platform=PLATFORM, offered=lock)
    wheels = [
        make_wheel("useful", number, files={"useful/__init__.py": LINES, "useful/rewards.py": text})
        for number, text in (("0.0.8", f"{LINES}a = 1\n"), ("0.0.9", f"{LINES}a = {LONG}\n"))
    ]
    make_version(alice, "useful", "0.0.8", wheel=wheels[0], license="MIT")
    make_version(alice, "useful", "0.0.9", wheel=wheels[1], yanked_at="2026-01-01T00:00:00Z")
    return version


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.extended)])
@pytest.mark.extended
def test_pages_of_an_environment_fit_read_well_and_show_install_first(
    scheme: str, live_server: LiveServer, version: Version
) -> None:
    pages = TABS | {
        "version": f"{PAGE}0.1.0/",
        "changes": f"{PAGE}compare/?from=0.0.8&to=0.0.9",
        "changes-card": f"{PAGE}compare/?from=0.0.9&to=0.1.0",
    }
    problems: list[str] = []
    with chromium.running() as browser:
        for size in (SCREEN, WIDE):
            context = browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            page = context.new_page()
            for name, path in pages.items():
                page.goto(f"{live_server.url}{path}")
                label = f"env-{name}-{size['width']}-{scheme}"
                if shots := os.environ.get("SHOTS"):
                    page.screenshot(path=Path(shots, f"{label}-closed.png"), full_page=True)
                install = page.locator(".use .copy").first.bounding_box()
                assert install is not None, label
                if install["y"] + install["height"] > size["height"]:
                    problems.append(f"{label}: Install is below the first screen")
                problems += page.evaluate(BEYOND)
                if size == SCREEN:
                    problems += wrong(page, label)
            context.close()
    assert not problems, "\n".join(problems)
