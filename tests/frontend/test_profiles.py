"""The public pages of people and organisations: avatar, activity, shared organisations."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from frontend.render.avatars import avatar
from registry import events
from registry.catalog import overlays
from registry.models import Membership, Organisation, User, Version
from registry.runs import evaluations, suites
from tests.factories import make_environment, make_version
from tests.frontend.people import text

ALICE = "/owners/alice/"
EVIL = "<script>alert(1)</script>\u202e"


def published(version: Version, by: User) -> None:
    """The event of its upload."""
    events.record("version.uploaded", by=by, environment=version.environment, version=version)


def aside(client: Client, url: str) -> str:
    """The activity on the page."""
    return text(client, url).split("Public activity")[1].split("</aside>")[0]


def test_an_avatar_is_drawn_from_the_name_alone_and_cannot_run() -> None:
    drawn = {name: avatar(name) for name in ("alice", "bob", "lab", "x")}
    assert len(set(drawn.values())) == 4
    for name, svg in drawn.items():
        assert avatar(name) == svg
        assert set(re.findall(r"<(\w+)", svg)) <= {"svg", "rect"}
        assert not re.search(r"href|style|script|on\w+=|http", svg)
        columns = set(re.findall(r'x="(\d)" y="(\d)"', svg))
        assert columns == {(str(6 - int(x)), y) for x, y in columns}  # symmetrical
    assert "<script" not in avatar(EVIL)


def test_the_page_of_a_person_shows_what_they_did_in_public(
    client: Client, alice: User, carol: User
) -> None:
    version = make_version(alice, "shown-env")
    published(version, alice)
    overlays.yank(version=version, by=alice, reason="leaks")
    other = make_version(carol, "hers")
    run = evaluations.request(
        version=other, model="org/tiny", suite=suites.built_in("full"), by=alice
    )
    assert run.requested_by == alice
    shown = aside(client, ALICE)
    assert "alice published <a" in shown
    assert "alice yanked <a" in shown
    assert "carol/hers==0.1.0</a> with org/tiny" in shown
    assert "hers" not in aside(client, "/owners/carol/")  # she did nothing there
    assert "<svg" in text(client, ALICE).split("<h1>")[1].split("</h1>")[0]


def test_what_is_not_public_is_no_activity(client: Client, alice: User, carol: User) -> None:
    for name, state in {
        "private-env": {"visibility": "private"},
        "held-env": {"status": "held"},
        "rejected-env": {"status": "rejected"},
    }.items():
        published(make_version(alice, name, **state), alice)
    quarantined = make_version(alice, "quarantined-env")
    published(quarantined, alice)
    overlays.quarantine(version=quarantined, by=alice, reason="spam")
    events.record("token.minted", by=alice, owner=alice.owner, token="x")
    for reader in (None, carol, alice):
        if reader:
            client.force_login(reader)
        assert "Nothing public yet." in aside(client, ALICE)


def test_the_page_of_an_organisation_shows_what_members_did_there(
    client: Client, alice: User, bob: User, lab: Organisation
) -> None:
    published(make_version(lab, "lab-env"), bob)
    published(make_version(bob, "own-env"), bob)
    shown = aside(client, "/owners/lab/")
    assert "bob published <a" in shown
    assert "own-env" not in shown
    assert "lab-env" in aside(client, "/owners/bob/")


def test_organisations_are_shown_to_their_members_only(
    client: Client, alice: User, bob: User, carol: User, lab: Organisation
) -> None:
    assert Membership.objects.count() == 2
    for reader, sees in ((None, False), (carol, False), (bob, True), (alice, True)):
        if reader:
            client.force_login(reader)
        assert ('href="/owners/lab/"' in text(client, ALICE)) == sees
    assert "of you both" not in text(client, ALICE)


def test_hostile_text_in_activity_is_only_text(client: Client, alice: User) -> None:
    version = make_version(alice)
    events.record(
        "run.requested", by=alice, environment=version.environment, version=version, model=EVIL
    )
    page = client.get(ALICE).content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize("count", [2, 40])
def test_a_long_activity_costs_no_more_queries(
    client: Client, alice: User, count: int, django_assert_max_num_queries: Any
) -> None:
    for number in range(count):
        published(make_version(alice, f"env-{number}"), alice)
    make_environment(alice, "unlisted")
    with django_assert_max_num_queries(9):
        page = aside(client, ALICE)
    assert page.count("published") == min(count, 10)
