"""The pages of notifications: what is unread, what is watched, and what comes by email."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from registry import events
from registry.catalog import overlays
from registry.models import User, Version
from registry.notifications import services, watches
from registry.notifications.models import Notification
from tests.factories import make_version
from tests.frontend.people import flat, text
from tests.frontend.test_gallery import walk

pytestmark = pytest.mark.once
PAGE, SETTINGS, ENV = "/notifications/", "/settings/notifications/", "/envs/alice/demo-env/"


@pytest.fixture
def yanked(alice: User, carol: User) -> Version:
    """A version that was yanked while carol watched its environment."""
    version = make_version(alice)
    watches.watch(environment=version.environment, by=carol)
    overlays.yank(version=version, by=alice, reason="leaks <b>answers</b>")
    services.deliver()
    return version


def test_a_signed_in_person_begins_and_ends_a_watch_on_the_page(
    client: Client, alice: User, carol: User
) -> None:
    make_version(alice)
    assert f'href="/login/?next={ENV}">Watch</a>' in text(client, ENV)
    client.force_login(carol)
    assert 'aria-pressed="false">Watch</button>' in text(client, ENV)
    assert client.post(f"{ENV}watch/", {"watch": "on"}).headers["Location"] == ENV
    assert 'aria-pressed="true">Watching</button>' in text(client, ENV)
    assert "alice/demo-env" in text(client, SETTINGS)
    answer = client.post(f"{ENV}watch/", {"watch": "off", "from": "settings"})
    assert answer.headers["Location"] == SETTINGS
    assert "You watch no environments" in text(client, SETTINGS)


def test_unread_notifications_are_counted_above_every_page(
    client: Client, yanked: Version, carol: User
) -> None:
    client.force_login(carol)
    assert 'aria-label="Notifications, 1 unread"' in text(client, "/")
    page = text(client, PAGE)
    assert "alice/demo-env 0.1.0 was yanked</a>" in page
    assert "leaks &lt;b&gt;answers&lt;/b&gt;" in page
    row = Notification.objects.get(user=carol)
    answer = client.post(f"{PAGE}{row.pk}/read/", {"next": f"{PAGE}?unread=1"})
    assert answer.headers["Location"] == f"{PAGE}?unread=1"
    assert "No unread notifications" in text(client, f"{PAGE}?unread=1")
    page = text(client, PAGE)
    assert "was yanked</a>" in page
    assert "Mark" not in page
    assert "unread" not in text(client, "/")


def test_all_are_marked_as_read_at_once(client: Client, yanked: Version, carol: User) -> None:
    overlays.unyank(version=yanked, by=carol)
    event = events.record("version.listed", environment=yanked.environment, version=yanked)
    services.deliver()
    client.force_login(carol)
    assert "Notifications, 2 unread" in text(client, PAGE)
    assert Notification.objects.filter(user=carol, event=event).exists()
    assert client.post(f"{PAGE}read/").headers["Location"] == PAGE
    assert services.unread_count(carol) == 0


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_marking_as_read_leads_to_no_other_site(
    client: Client, yanked: Version, carol: User, back: str
) -> None:
    client.force_login(carol)
    assert client.post(f"{PAGE}read/", {"next": back}).headers["Location"] == PAGE


def test_nobody_reads_or_marks_what_is_anothers(
    client: Client, yanked: Version, bob: User, carol: User
) -> None:
    client.force_login(bob)
    assert "No notifications yet" in text(client, PAGE)
    row = Notification.objects.get(user=carol)
    assert client.post(f"{PAGE}{row.pk}/read/").status_code == 404
    assert services.unread_count(carol) == 1


def test_mail_is_chosen_by_kind(client: Client, carol: User) -> None:
    client.force_login(carol)
    page = text(client, SETTINGS)
    assert "confirmed addresses only" in page
    assert 'value="invitation"' not in page
    EmailAddress.objects.create(user=carol, email=carol.email, primary=True, verified=True)
    assert "confirmed addresses only" not in text(client, SETTINGS)
    answer = client.post(SETTINGS, {"kinds": ["yanked", "listed"]}, follow=True)
    assert "was saved" in flat(answer)
    assert services.mail_kinds(carol) == ["listed", "yanked"]
    assert 'value="yanked" id="id_kinds_3" checked' in text(client, SETTINGS)
    client.post(SETTINGS, {})
    assert services.mail_kinds(carol) == []
    assert client.post(SETTINGS, {"kinds": ["nothing"]}).status_code == 200


def test_the_list_has_pages_and_costs_the_same_for_any_number(
    client: Client, alice: User, carol: User, django_assert_num_queries: Any
) -> None:
    client.force_login(carol)
    for number in range(25):
        version = make_version(alice, f"env-{number}")
        watches.watch(environment=version.environment, by=carol)
        overlays.yank(version=version, by=alice, reason="old")
    services.deliver()
    with django_assert_num_queries(7):  # session, person, names, roles, rows, and two counts
        page = text(client, PAGE)
    assert page.count("was yanked</a>") == 20
    following = page.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    assert text(client, f"{PAGE}{following}").count("was yanked</a>") == 5
    assert text(client, SETTINGS).count("Stop watching") == 2 * 20


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.extended
def test_pages_of_notifications_fit_and_read_well(
    live_server: LiveServer, yanked: Version, carol: User
) -> None:
    overlays.unyank(version=yanked, by=carol)
    long = make_version(User.objects.get(username="alice"), "a" * 80, summary="word " * 80)
    watches.watch(environment=long.environment, by=carol)
    events.record("version.listed", environment=long.environment, version=long)
    services.deliver()
    services.mark_read(user=carol, pk=Notification.objects.filter(user=carol).latest("pk").pk)
    pages = {"notifications": PAGE, "notification-settings": SETTINGS, "watched": ENV}
    problems = walk(live_server.url, "carol", pages)
    problems += walk(live_server.url, "carol", {f"{k}-dark": v for k, v in pages.items()}, "dark")
    assert not problems, "\n".join(problems)
