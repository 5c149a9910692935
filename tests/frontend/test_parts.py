"""Parts of pages in a browser: copy buttons, the message that an address names."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from frontend.templatetags.hub import sentence
from registry.models import User
from tests import chromium
from tests.frontend import gallery

pytestmark = [pytest.mark.browser, pytest.mark.once, pytest.mark.django_db(transaction=True)]


def test_copy_buttons_are_shown_only_where_they_work(live_server: LiveServer) -> None:
    with chromium.running() as browser:
        for scripts in (True, False):
            page = browser.new_context(java_script_enabled=scripts).new_page()
            page.goto(f"{live_server.url}/publish/")
            button = page.locator("[data-copy]").first
            expect(button).to_be_visible(visible=scripts, timeout=60_000)


def test_the_message_that_an_address_names_is_marked(live_server: LiveServer, alice: User) -> None:
    address = live_server.url + gallery.listed(alice)["rollout"]
    with chromium.running() as browser:
        page = browser.new_page()
        page.goto(f"{address}#turn-2")
        expect(page.locator("#turn-2")).to_have_css("outline-style", "solid", timeout=60_000)
        expect(page.locator("#turn-1")).to_have_css("outline-style", "none")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [("broken verifier", "broken verifier."), ("Why? ", "Why?"), ("Wrong.", "Wrong.")],
)
def test_a_reason_ends_as_a_sentence(typed: str, shown: str) -> None:
    assert sentence(typed) == shown
