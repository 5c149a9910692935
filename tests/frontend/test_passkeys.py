"""Passkeys in a real browser, whose authenticator is Chromium's own virtual one."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from registry.models import Event
from tests import chromium
from tests.people import person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@contextmanager
def tab() -> Iterator[Page]:
    """A tab whose browser has a finger on its key; complaints of its pages fail the test.

    Ask the database before and after, not within: Playwright's loop runs in this very thread, and
    Django would open a connection for it that nobody closes.
    """
    problems: list[str] = []
    with chromium.running() as browser:
        page = browser.new_context().new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        devtools = page.context.new_cdp_session(page)
        devtools.send("WebAuthn.enable")
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})
        yield page
    assert not problems


def test_a_passkey_is_added_and_signs_in(live_server: LiveServer) -> None:
    alice = person("alice")
    # Browsers offer passkeys to names, never to bare addresses.
    url = str(live_server).replace("127.0.0.1", "localhost")
    with tab() as page:
        page.goto(f"{url}/login/")
        page.get_by_label("Username").fill("alice")
        page.get_by_label("Password").fill("alice")
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.goto(f"{url}/settings/security/webauthn/add/")
        page.get_by_label("Name").fill("laptop")
        page.get_by_label("Passwordless").check()
        page.get_by_role("button", name="Add").click()
        expect(page.get_by_role("heading", name="Recovery Codes")).to_be_visible()
        page.goto(f"{url}/settings/security/webauthn/")
        expect(page.get_by_role("cell", name="laptop")).to_contain_text("Passkey")
        page.get_by_role("button", name="Sign out").click()
        page.goto(f"{url}/login/?next=/settings/tokens/")
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.get_by_role("heading", name="Tokens", exact=True)).to_be_visible()
    assert Authenticator.objects.get(user=alice, type="webauthn").last_used_at
    assert Event.objects.filter(verb="account.webauthn_added", actor=alice).exists()
