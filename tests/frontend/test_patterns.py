"""The page of parts: each state is readable in both themes and fits a phone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from frontend.templatetags.hub import TONES
from tests import chromium
from tests.frontend.test_narrow import BEYOND


@pytest.mark.once
@pytest.mark.django_db
def test_every_state_is_shown(client: Client) -> None:
    page = client.get("/patterns/").content.decode()
    words = [word for words in TONES.values() for word in words]
    assert [word for word in words if f">{word}</span>" not in page] == []
    for part in ("lab/evaluated", "lab/probed", "lab/new", "lab/draft", "No rollout has finished"):
        assert part in page


@pytest.mark.browser
@pytest.mark.once
@pytest.mark.django_db(transaction=True)
def test_parts_have_contrast_and_fit_in_both_themes(live_server: LiveServer) -> None:
    problems: list[str] = []
    with chromium.running() as browser:
        for theme in ("light", "dark"):
            page = browser.new_page(viewport={"width": 390, "height": 844})
            page.on("console", lambda message: problems.append(message.text))
            page.goto(f"{live_server.url}/patterns/")
            page.get_by_role("button", name=theme.capitalize(), exact=True).click()
            assert page.locator("html").get_attribute("data-theme") == theme
            assert page.url == f"{live_server.url}/patterns/"
            problems.extend(f"{theme}: {box}" for box in page.evaluate(BEYOND))
            for violation in Axe().run(page).response["violations"]:
                problems.extend(
                    f"{theme}: {violation['id']} {node['html']}" for node in violation["nodes"]
                )
    assert problems == []
