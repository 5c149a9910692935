"""Where a person is signed in, and how each browser is signed out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from registry.accounts import sessions
from registry.events import Event
from registry.models import SignedInBrowser, User
from tests.frontend.people import flat, sign_in, text

LIST = "/settings/sessions/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0"
)


def browser(user_agent: str, address: str, name: str = "alice") -> Client:
    """A browser where that person signed in."""
    return sign_in(Client(headers={"user-agent": user_agent}, REMOTE_ADDR=address), name)


def test_the_page_lists_browsers_by_family_and_network(alice: User, bob: User) -> None:
    here = browser(FIREFOX, "192.0.2.77")
    browser(SAFARI, "2001:db8:1:2::5")
    browser(EDGE, "198.51.100.4", "bob")
    page = text(here, LIST)
    assert "Firefox on Linux" in page
    assert "192.0.2.0/24" in page
    assert "Safari on iOS" in page
    assert "2001:db8:1::/48" in page
    assert "Edge on Windows" not in page
    for stored in SignedInBrowser.objects.values():
        assert "192.0.2.77" not in str(stored)
        assert "::5" not in str(stored)
    for key in Session.objects.values_list("session_key", flat=True):
        assert key not in page


def test_a_browser_is_signed_out_by_another(alice: User) -> None:
    here, lost, third = (browser(FIREFOX, f"192.0.2.{n}") for n in (1, 2, 3))
    other = SignedInBrowser.objects.get(session=lost.session.session_key)
    assert "Firefox on Linux is signed out." in flat(
        here.post(f"{LIST}{other.pk}/end/", follow=True)
    )
    assert lost.get(LIST).status_code == 302
    assert third.get(LIST).status_code == 200
    assert here.post(f"{LIST}{other.pk}/end/").status_code == 404
    page = flat(here.post(f"{LIST}end-others/", follow=True))
    assert "1 other browser is signed out." in page
    assert "You are signed in nowhere else." in page
    assert third.get(LIST).status_code == 302
    assert here.get(LIST).status_code == 200
    verbs = Event.objects.filter(actor=alice).values_list("verb", flat=True)
    assert {"account.session_ended", "account.sessions_ended"} <= set(verbs)
    assert "alice signed out Firefox on Linux" in text(here, "/owners/alice/journal/")


def test_sessions_of_others_cannot_be_ended(alice: User, bob: User) -> None:
    hers, his = browser(FIREFOX, "192.0.2.1"), browser(FIREFOX, "192.0.2.2", "bob")
    row = SignedInBrowser.objects.get(user=alice)
    assert his.post(f"{LIST}{row.pk}/end/").status_code == 404
    his.post(f"{LIST}end-others/")
    assert hers.get(LIST).status_code == 200


def test_sign_out_and_a_new_password_end_rows_too(alice: User) -> None:
    here, gone = browser(FIREFOX, "192.0.2.1"), browser(SAFARI, "192.0.2.2")
    gone.post("/logout/")
    assert SignedInBrowser.objects.count() == 1
    other = browser(EDGE, "192.0.2.3")
    here.post(
        "/password/change/",
        {"oldpassword": "alice", "password1": "a-Long-One-77", "password2": "a-Long-One-77"},
    )
    assert other.get(LIST).status_code == 302
    page = text(here, LIST)
    assert "Firefox on Linux" in page
    assert "Edge" not in page


def test_an_expired_session_is_not_listed(alice: User) -> None:
    here, old = browser(FIREFOX, "192.0.2.1"), browser(SAFARI, "192.0.2.2")
    past = timezone.now() - timedelta(days=1)
    Session.objects.filter(pk=old.session.session_key).update(expire_date=past)
    assert "Safari" not in text(here, LIST)


@pytest.mark.parametrize(
    ("user_agent", "address", "family", "network"),
    [
        ("", "", "Unknown browser", ""),
        ("<script>alert(1)</script>", "unix:", "Unknown browser", ""),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) Chrome/130 Safari/537", "::1",
         "Chrome on macOS", "::/48"),
        ("Mozilla/5.0 (Linux; Android 14) Chrome/130 Mobile Safari/537", "10.1.2.3",
         "Chrome on Android", "10.1.2.0/24"),
    ],
)  # fmt: skip
def test_any_browser_and_address_is_stored(
    alice: User, user_agent: str, address: str, family: str, network: str
) -> None:
    browser(user_agent, address)
    row = SignedInBrowser.objects.get()
    assert (row.family, row.address_prefix) == (family, network)


def test_a_used_session_is_written_rarely(
    alice: User, django_assert_num_queries: Any, django_assert_max_num_queries: Any
) -> None:
    here = browser(FIREFOX, "192.0.2.1")
    for number in range(2, 9):
        browser(SAFARI, f"192.0.2.{number}")
    row = SignedInBrowser.objects.get(session=here.session.session_key)
    here.get("/settings/tokens/")
    row.refresh_from_db()
    seen = row.seen_at
    here.get("/settings/tokens/")
    row.refresh_from_db()
    assert row.seen_at == seen
    with django_assert_max_num_queries(9):
        text(here, LIST)
    key, later = here.session.session_key, timezone.now() + timedelta(hours=1)
    with django_assert_num_queries(1):
        sessions.seen(
            session_key=key, user_id=alice.pk, user_agent=SAFARI, address="10.0.0.1", now=later
        )
    row.refresh_from_db()
    assert (row.seen_at, row.address_prefix) == (later, "10.0.0.0/24")


def test_a_session_that_has_ended_is_not_stored(alice: User) -> None:
    sessions.seen(
        session_key="0" * 32, user_id=alice.pk, user_agent="", address="", now=timezone.now()
    )
    assert not SignedInBrowser.objects.exists()
