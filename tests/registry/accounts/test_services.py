"""Registering people, and organisations."""

import pytest
from pytest_django import Settings

from registry.accounts import services
from registry.errors import Forbidden, HubError
from registry.models import Event, Membership, Organisation, Owner, User

GOOD = "correct horse battery"


def test_a_new_person_owns_their_name(db: None) -> None:
    user = services.register(username="dana", email="dana@example.com", password=GOOD)
    assert user.owner.name == "dana"
    assert user.check_password(GOOD)
    assert user.roles == {user.owner.pk: "owner"}
    assert Event.objects.filter(verb="user.registered", actor=user).exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("username", "Dana"),
        ("username", "-dana"),
        ("username", "d" * 40),
        ("username", "simple"),
        ("username", "api"),
        ("email", "nobody"),
        ("password", "short"),
        ("password", "password123"),
    ],
)
def test_a_registration_that_breaks_a_rule_leaves_nothing(db: None, field: str, value: str) -> None:
    fields = {"username": "dana", "email": "dana@example.com", "password": GOOD} | {field: value}
    with pytest.raises(HubError) as refused:
        services.register(**fields)
    assert refused.value.details["field"] == {"username": "name"}.get(field, field)
    assert not User.objects.exists()
    assert not Owner.objects.exists()


def test_one_name_belongs_to_one_person_or_organisation(alice: User, lab: Organisation) -> None:
    with pytest.raises(HubError, match="'lab' is taken"):
        services.register(username="lab", email="lab@example.com", password=GOOD)
    with pytest.raises(HubError, match="'alice' is taken"):
        services.create_organisation(name="alice", title="", by=alice)


def test_who_makes_an_organisation_owns_it(alice: User, bob: User) -> None:
    organisation = services.create_organisation(name="lab", title="Lab", by=alice)
    services.add_member(organisation=organisation, user=bob, role="maintainer", by=alice)
    assert alice.roles[organisation.owner.pk] == "owner"
    assert bob.roles[organisation.owner.pk] == "maintainer"


def test_a_person_makes_no_more_organisations_than_allowed_and_staff_make_any_number(
    alice: User, bob: User, root: User, settings: Settings
) -> None:
    settings.HUB_ORGANISATIONS_PER_PERSON = 2
    for name in ("lab-1", "lab-2"):
        organisation = services.create_organisation(name=name, title="", by=alice)
    services.add_member(organisation=organisation, user=bob, role="owner", by=alice)
    services.remove_member(
        organisation=organisation, user=alice, by=alice
    )  # it was made all the same
    with pytest.raises(HubError, match="alice has made 2 organisations, the most") as refused:
        services.create_organisation(name="lab-3", title="", by=alice)
    assert (refused.value.code, refused.value.status) == ("quota.organisations", 403)
    services.create_organisation(name="lab-3", title="", by=bob)
    for name in ("lab-4", "lab-5", "lab-6"):
        services.create_organisation(name=name, title="", by=root)


def test_granting_a_second_role_replaces_the_first(
    lab: Organisation, alice: User, bob: User
) -> None:
    services.add_member(organisation=lab, user=bob, role="owner", by=alice)
    assert Membership.objects.get(organisation=lab, user=bob).role == "owner"
    services.add_member(organisation=lab, user=alice, role="member", by=bob)
    assert Membership.objects.get(organisation=lab, user=alice).role == "member"


def test_an_organisation_keeps_an_owner(lab: Organisation, alice: User) -> None:
    with pytest.raises(HubError, match="only owner"):
        services.add_member(organisation=lab, user=alice, role="member", by=alice)
    assert Membership.objects.get(organisation=lab, user=alice).role == "owner"


def test_a_closed_account_does_not_count_as_an_owner(
    lab: Organisation, alice: User, bob: User, carol: User
) -> None:
    services.add_member(organisation=lab, user=bob, role="owner", by=alice)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    with pytest.raises(HubError, match="alice is the only owner of lab"):
        services.add_member(organisation=lab, user=alice, role="member", by=alice)
    with pytest.raises(HubError, match="alice is the only owner of lab"):
        services.remove_member(organisation=lab, user=alice, by=alice)
    services.remove_member(organisation=lab, user=bob, by=alice)
    assert Membership.objects.get(organisation=lab).user == alice


def test_members_of_an_organisation_without_an_active_owner_may_still_leave(
    lab: Organisation, alice: User, bob: User, carol: User, root: User
) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    services.remove_member(organisation=lab, user=bob, by=bob)
    services.add_member(organisation=lab, user=carol, role="member", by=root)
    with pytest.raises(HubError, match="alice is the only owner of lab"):
        services.remove_member(organisation=lab, user=alice, by=root)
    services.add_member(organisation=lab, user=carol, role="owner", by=root)
    services.remove_member(organisation=lab, user=alice, by=root)
    assert Membership.objects.get(organisation=lab).user == carol


def test_there_are_three_roles(lab: Organisation, alice: User, bob: User) -> None:
    with pytest.raises(HubError, match="role 'king' must be one of"):
        services.add_member(organisation=lab, user=bob, role="king", by=alice)


def test_former_owner_cannot_change_members(
    lab: Organisation, alice: User, bob: User, carol: User, root: User
) -> None:
    """The permission was checked before; the role ended while the request waited."""
    services.add_member(organisation=lab, user=bob, role="owner", by=alice)
    services.add_member(organisation=lab, user=bob, role="maintainer", by=alice)
    User.objects.filter(pk=root.pk).update(is_staff=False)
    for by in (bob, root):
        with pytest.raises(Forbidden, match="may not manage lab"):
            services.add_member(organisation=lab, user=carol, role="owner", by=by)
        with pytest.raises(Forbidden, match="may not manage lab"):
            services.remove_member(organisation=lab, user=alice, by=by)
    services.remove_member(organisation=lab, user=bob, by=bob)
    assert list(lab.memberships.values_list("user__username", "role")) == [("alice", "owner")]
