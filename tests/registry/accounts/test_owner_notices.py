"""Owners get mail when staff change who owns a thing or who belongs to an organisation."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client, TestCase

from registry.accounts import invitations, services
from registry.catalog.deletion import delete_environment, delete_version
from registry.catalog.transfer import transfer
from registry.models import Environment, Event, Membership, Organisation, User
from tests.factories import bearer, make_environment, make_version

ALICE, BOB, CAROL = "alice@example.com", "bob@example.com", "carol@example.com"
JSON = "application/json"


def mailed(act: Callable[[], object]) -> list[str]:
    """Who got mail about a change by staff while `act` ran."""
    mail.outbox.clear()
    with TestCase.captureOnCommitCallbacks(execute=True):
        act()
    messages = [m for m in mail.outbox if m.subject.startswith("Staff ")]
    assert all("root, staff of" in str(m.body) for m in messages)
    return sorted(m.to[0] for m in messages)


def test_staff_who_join_an_organisation_as_owner_are_reported_to_its_owners(
    lab: Organisation, alice: User, root: User
) -> None:
    def join() -> None:
        sent = invitations.invite(organisation=lab, to="root", role="owner", by=root)
        invitations.accept(invitation=sent, user=root)

    assert mailed(join) == [ALICE, ALICE]  # the invitation and the new owner
    assert "root joined lab as owner, invited by root" in str(mail.outbox[-1].body)
    journal = Event.objects.filter(owner=lab.owner, verb="member.joined", data__sender="root")
    assert journal.exists()
    environment = make_environment(lab)
    own = lambda: transfer(environment=environment, to=root.owner, by=root)  # noqa: E731
    assert mailed(own) == []  # an owner by now


def test_owners_learn_of_every_role_that_staff_change(
    lab: Organisation, alice: User, bob: User, root: User
) -> None:
    def give(user: User, role: str, by: User) -> Callable[[], object]:
        return lambda: services.add_member(organisation=lab, user=user, role=role, by=by)

    assert mailed(give(bob, "owner", root)) == [ALICE, BOB]
    assert mailed(give(alice, "member", root)) == [ALICE, BOB]  # the former owner too
    take = lambda: services.remove_member(organisation=lab, user=alice, by=root)  # noqa: E731
    assert mailed(take) == [ALICE, BOB]


def test_an_owner_whose_account_staff_closed_is_mailed_too(
    lab: Organisation, alice: User, bob: User, root: User
) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    give = lambda: services.add_member(organisation=lab, user=bob, role="owner", by=root)  # noqa: E731
    assert ALICE in mailed(give)


def test_the_owners_learn_of_a_transfer_by_staff(
    alice: User, bob: User, carol: User, root: User, lab: Organisation
) -> None:
    guild = services.create_organisation(name="guild", title="", by=carol)
    Membership.objects.create(organisation=guild, user=root, role="maintainer")
    mine, shared = make_environment(alice), make_environment(lab, "other-env")
    assert mailed(lambda: transfer(environment=mine, to=root.owner, by=root)) == [ALICE]
    assert "alice/demo-env went from alice to root" in str(mail.outbox[0].body)
    assert mailed(lambda: transfer(environment=shared, to=guild.owner, by=root)) == [ALICE, CAROL]


def test_a_transfer_over_the_api_by_staff_is_mailed(
    client: Client, alice: User, root: User
) -> None:
    make_environment(alice)
    path = "/api/v1/environments/alice/demo-env/transfer/"
    headers = bearer(root, "admin")

    def ask() -> None:
        answer = client.post(path, {"owner": "root"}, content_type=JSON, headers=headers)
        assert answer.status_code == 200, answer.content

    assert mailed(ask) == [ALICE]
    assert Environment.objects.get().owner == root.owner


def test_owners_get_mail_when_staff_delete(alice: User, root: User) -> None:
    version = make_version(alice)
    make_version(alice, version="0.2.0")
    assert mailed(lambda: delete_version(version=version, by=root)) == [ALICE]
    assert "alice/demo-env==0.1.0 is deleted for good" in str(mail.outbox[0].body)
    environment = Environment.objects.get()
    assert mailed(lambda: delete_environment(environment=environment, by=root)) == [ALICE]
    other = make_version(alice, "other-env")
    assert mailed(lambda: delete_version(version=other, by=alice)) == []
    assert mailed(lambda: delete_environment(environment=other.environment, by=alice)) == []


@pytest.mark.parametrize("staff", [False, True])
def test_changes_by_an_owner_cause_no_mail(
    lab: Organisation, alice: User, bob: User, carol: User, staff: bool
) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=staff)
    alice.refresh_from_db()

    def change() -> None:
        sent = invitations.invite(organisation=lab, to="carol", role="owner", by=alice)
        invitations.accept(invitation=sent, user=carol)
        services.add_member(organisation=lab, user=bob, role="maintainer", by=alice)
        services.remove_member(organisation=lab, user=bob, by=bob)
        transfer(environment=make_environment(alice), to=lab.owner, by=alice)

    assert mailed(change) == []
