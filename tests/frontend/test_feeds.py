"""Atom feeds: valid, the same for every reader, and only of what an anonymous reader may see."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import datetime
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from registry import events
from registry.catalog import overlays
from registry.catalog.lifecycle import move
from registry.catalog.transfer import transfer
from registry.models import Environment, Owner, Run, User, Version
from registry.read_models import feeds
from registry.runs import suites
from registry.runs.endings import end
from tests.factories import make_environment, make_run, make_version

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"
HUB, OWNER, ENV = "/envs/atom.xml", "/owners/alice/atom.xml", "/envs/alice/demo-env/atom.xml"


def listed(owner: Any, name: str = "demo-env", number: str = "0.1.0", **fields: Any) -> Version:
    """A version that the pipeline's own transition listed."""
    version = make_version(owner, name, number, status="evaluating", **fields)
    move(version, "listed")
    return version


def feed(client: Client, path: str) -> ET.Element:
    """The parsed feed; what RFC 4287 requires of every feed and entry is there."""
    response = client.get(path)
    assert response.status_code == 200, path
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    root = ET.fromstring(response.content)
    assert root.tag == f"{ATOM}feed"
    links = {link.get("rel"): link.get("href") for link in root.findall(f"{ATOM}link")}
    assert str(links["self"]).endswith(path)
    for element in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            (only,) = element.findall(f"{ATOM}{name}")
            assert only.text
        assert datetime.fromisoformat(str(element.findtext(f"{ATOM}updated"))).tzinfo
    for entry in root.findall(f"{ATOM}entry"):
        assert entry.findtext(f"{ATOM}author/{ATOM}name")
        assert entry.find(f"{ATOM}link[@rel='alternate']") is not None
    ids = [entry.findtext(f"{ATOM}id") for entry in root.findall(f"{ATOM}entry")]
    assert len(set(ids)) == len(ids)
    return root


def titles(client: Client, path: str) -> list[str]:
    """The titles of the feed's entries, the newest first."""
    entries = feed(client, path).findall(f"{ATOM}entry")
    return [str(entry.findtext(f"{ATOM}title")) for entry in entries]


def test_a_feed_has_what_happened_to_listed_versions(
    client: Client, alice: User, root: User
) -> None:
    version = listed(alice)
    overlays.yank(version=version, by=alice, reason="leaks <answers> & more")
    overlays.unyank(version=version, by=alice)
    overlays.quarantine(version=version, by=root, reason="malware")
    overlays.release(version=version, by=root)
    evaluated(version, "qwen3-8b")
    expected = [
        "alice/demo-env 0.1.0 was evaluated with qwen3-8b",
        "alice/demo-env 0.1.0 was released from quarantine",
        "alice/demo-env 0.1.0 was quarantined",
        "The yank of alice/demo-env 0.1.0 was taken back",
        "alice/demo-env 0.1.0 was yanked",
        "alice/demo-env 0.1.0 was listed",
    ]
    for path in (HUB, OWNER, ENV):
        assert titles(client, path) == expected
    entry = feed(client, ENV).findall(f"{ATOM}entry")[4]
    assert entry.findtext(f"{ATOM}summary") == "leaks &lt;answers&gt; &amp; more"  # it is HTML
    link = entry.find(f"{ATOM}link[@rel='alternate']")
    assert link is not None
    assert str(link.get("href")).endswith("/envs/alice/demo-env/0.1.0/")


def evaluated(version: Version, model: str) -> None:
    """An evaluation of the version that succeeded."""
    shape = {"purpose": "evaluation", "suite": suites.built_in("full"), "model": model}
    end(run=make_run(version, status="queued", **shape), status=Run.Status.SUCCEEDED)


def test_no_feed_has_what_is_private_or_was_not_listed(
    client: Client, alice: User, root: User
) -> None:
    listed(alice, "open-env")
    listed(alice, "secret-env", visibility="private")
    rejected = make_version(alice, "open-env", "0.2.0", status="evaluating")
    move(rejected, "rejected", reason="it does not load")
    move(make_version(alice, "open-env", "0.3.0", status="evaluating"), "held", reason="no GPU")
    make_version(alice, "draft-env", status="held")
    for reader in (None, alice, root):  # the same for its owner and for staff
        if reader:
            client.force_login(reader)
        for path in (HUB, OWNER, "/envs/alice/open-env/atom.xml"):
            assert titles(client, path) == ["alice/open-env 0.1.0 was listed"]
        for name in ("secret-env", "draft-env", "none-env"):
            assert client.get(f"/envs/alice/{name}/atom.xml").status_code == 404


def test_an_environment_that_becomes_private_leaves_the_feeds(client: Client, alice: User) -> None:
    env = listed(alice).environment
    Environment.objects.filter(pk=env.pk).update(visibility="private")
    assert titles(client, HUB) == titles(client, OWNER) == []
    assert client.get(ENV).status_code == 404


def test_evaluations_of_quarantined_versions_are_not_in_feeds(
    client: Client, alice: User, root: User
) -> None:
    version = listed(alice)
    evaluated(version, "m")
    overlays.quarantine_environment(environment=version.environment, by=root, reason="malware")
    assert titles(client, HUB) == [
        "alice/demo-env was quarantined",
        "alice/demo-env 0.1.0 was listed",
    ]


def test_runs_that_decide_on_listing_and_passed_remeasurements_are_no_entries(
    client: Client, alice: User
) -> None:
    version = listed(alice)
    run = make_run(version, status="queued")
    end(run=run, status=Run.Status.SUCCEEDED)
    for outcome in ("passed", "unconfirmed", "undecided"):
        events.record(
            "version.remeasured", environment=version.environment, version=version, outcome=outcome
        )
    assert titles(client, ENV) == ["alice/demo-env 0.1.0 was listed"]
    events.record(
        "version.remeasured", environment=version.environment, version=version, outcome="failed"
    )
    assert titles(client, ENV)[0] == "alice/demo-env 0.1.0 does not pass any more"


def test_a_transferred_environment_keeps_its_entries_and_their_ids(
    client: Client, alice: User, bob: User
) -> None:
    env = listed(alice).environment
    (before,) = feed(client, ENV).findall(f"{ATOM}entry/{ATOM}id")
    transfer(environment=env, to=bob.owner, by=alice)
    assert client.get(ENV).headers["Location"] == "/envs/bob/demo-env/atom.xml"
    (after,) = feed(client, "/envs/bob/demo-env/atom.xml").findall(f"{ATOM}entry/{ATOM}id")
    assert before.text == after.text
    assert titles(client, OWNER) == []


def test_an_unchanged_feed_is_not_sent_again(client: Client, alice: User) -> None:
    make_environment(alice)
    for path in (HUB, OWNER):
        empty = client.get(path)
        assert client.get(path, headers={"If-None-Match": empty["ETag"]}).status_code == 304
    listed(alice)
    for path in (HUB, OWNER, ENV):
        response = client.get(path)
        assert "Cookie" not in response.get("Vary", "")
        assert response["Cache-Control"] == "public, max-age=300"
        unchanged = client.get(path, headers={"If-None-Match": response["ETag"]})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
    overlays.yank(version=Version.objects.get(), by=alice, reason="old")
    changed: HttpResponse = client.get(ENV, headers={"If-None-Match": response["ETag"]})
    assert changed.status_code == 200


def test_feeds_are_bounded_and_cost_the_same_for_any_number_of_entries(
    client: Client, alice: User, django_assert_num_queries: Any
) -> None:
    for number in range(60):
        listed(alice, f"env-{number}")
    first = listed(alice)
    for _ in range(30):
        overlays.yank(version=first, by=alice, reason="old")
        overlays.unyank(version=first, by=alice)
    for path, queries in ((HUB, 2), (OWNER, 3), (ENV, 3)):
        with django_assert_num_queries(queries):
            assert len(titles(client, path)) == 50


def test_the_feed_of_an_owner_is_among_their_newest_events(alice: User) -> None:
    for number in range(60):
        listed(alice, f"env-{number}")
    owner = Owner.objects.get(name="alice")
    everything = feeds.of_owner(owner)
    assert len(everything) == 50
    assert feeds.of_owner(owner, scanned=150) == everything  # of newest events alone
    assert feeds.of_owner(owner, scanned=3) == everything  # too few of them


@pytest.mark.once
def test_text_that_no_xml_may_hold_is_replaced(client: Client, alice: User) -> None:
    listed(alice, summary="bell \x07, \uffff and \x1b[31m red")
    assert "�" in str(feed(client, HUB).findtext(f"{ATOM}entry/{ATOM}summary"))


@pytest.mark.once
def test_pages_name_their_feed(client: Client, alice: User) -> None:
    listed(alice)
    listed(alice, "secret-env", visibility="private")
    client.force_login(alice)
    for page, path in (
        ("/", HUB),
        ("/envs/", HUB),
        ("/owners/alice/", OWNER),
        ("/envs/alice/demo-env/", ENV),
        ("/envs/alice/demo-env/0.1.0/", ENV),
    ):
        html = " ".join(client.get(page).content.decode().split())
        assert 'rel="alternate" type="application/atom+xml"' in html
        assert f'href="{path}"' in html
    assert "atom.xml" not in client.get("/envs/alice/secret-env/").content.decode()


@pytest.mark.once
def test_markup_in_a_reason_is_text_for_feed_readers_too(client: Client, alice: User) -> None:
    version = listed(alice)
    overlays.yank(version=version, by=alice, reason="]]> <script>alert(1)</script>")
    summary = feed(client, HUB).find(f"{ATOM}entry/{ATOM}summary")
    assert summary is not None
    assert summary.get("type") == "html"
    assert summary.text == "]]&gt; &lt;script&gt;alert(1)&lt;/script&gt;"


def test_the_hubs_feed_reaches_behind_many_private_events(client: Client, alice: User) -> None:
    listed(alice, "open-env")
    secret = listed(alice, "secret-env", visibility="private")
    newest = events.Event.objects.order_by("pk").last()
    assert newest is not None
    assert newest.version_id == secret.pk
    rows = [
        events.Event(verb=newest.verb, environment_id=newest.environment_id, version=secret)
        for _ in range(1_001)
    ]
    events.Event.objects.bulk_create(rows)
    assert titles(client, HUB) == ["alice/open-env 0.1.0 was listed"]
