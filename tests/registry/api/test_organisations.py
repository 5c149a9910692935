"""Organisations, members and invitations over the REST API."""

import json
from typing import Any

import pytest
from django.core import mail
from django.test import Client, TestCase

from registry.accounts import invitations, services, tokens
from registry.accounts.permissions import can
from registry.errors import NotFound
from registry.models import Event, Invitation, Membership, Organisation, User
from tests.factories import bearer, make_environment, make_version
from tests.people import person

pytestmark = pytest.mark.once

JSON = "application/json"
ORGS = "/api/v1/organisations/"
LAB = f"{ORGS}lab/"
MINE = "/api/v1/invitations/"


@pytest.fixture
def admin(lab: Organisation, alice: User) -> dict[str, str]:
    """alice, who owns lab, with a token that may manage it."""
    return bearer(alice, "admin")


def send(client: Client, method: str, path: str, headers: Any, data: Any = None) -> tuple[int, Any]:
    """Status and JSON of the answer."""
    body = "" if data is None else json.dumps(data)
    answer = client.generic(method, path, body, content_type=JSON, headers=headers)
    return answer.status_code, answer.json() if answer.content else None


def test_who_makes_an_organisation_owns_it(client: Client, carol: User) -> None:
    headers = bearer(carol, "admin")
    status, body = send(client, "POST", ORGS, headers, {"name": "guild", "title": "The guild"})
    assert (status, body["name"], body["role"]) == (201, "guild", "owner")
    status, mine = send(client, "GET", ORGS, headers)
    assert [o["name"] for o in mine["results"]] == ["guild"]
    status, again = send(client, "POST", ORGS, headers, {"name": "guild"})
    assert (status, again["error"]["details"]["field"]) == (409, "name")


def test_strangers_see_name_and_title_and_nobody_inside(
    client: Client, admin: dict[str, str], carol: User
) -> None:
    for headers in ({}, bearer(carol, "admin")):
        status, response = send(client, "GET", LAB, headers)
        assert (status, response["title"], response["role"]) == (200, "Lab", None)
        for method, path in (("GET", "members/"), ("GET", "invitations/"), ("PATCH", "")):
            assert send(client, method, LAB + path, headers, {"title": "x"})[0] == 404, path


def test_members_see_each_other_and_only_owners_manage(
    client: Client, admin: dict[str, str], bob: User
) -> None:
    headers = bearer(bob, "admin")
    _, response = send(client, "GET", f"{LAB}members/", headers)
    assert [(m["user"], m["role"]) for m in response["results"]] == [
        ("alice", "owner"),
        ("bob", "member"),
    ]
    for method, path, data in (
        ("PATCH", "", {"title": "Mine"}),
        ("PUT", "members/bob/", {"role": "owner"}),
        ("DELETE", "members/alice/", None),
        ("GET", "invitations/", None),
        ("POST", "invitations/", {"to": "carol", "role": "owner"}),
    ):
        assert send(client, method, LAB + path, headers, data)[0] == 403, path
    assert send(client, "PATCH", LAB, admin, {"title": "New"})[1]["title"] == "New"
    assert Event.objects.get(verb="organisation.renamed").owner.name == "lab"


def test_an_organisation_keeps_an_owner(client: Client, admin: dict[str, str], bob: User) -> None:
    for method, data in (("DELETE", None), ("PUT", {"role": "member"})):
        status, refused = send(client, method, f"{LAB}members/alice/", admin, data)
        assert (status, refused["error"]["details"]["field"]) == (409, "role")
        assert "another owner" in refused["error"]["hint"]
    assert send(client, "PUT", f"{LAB}members/bob/", admin, {"role": "owner"})[0] == 200
    assert send(client, "DELETE", f"{LAB}members/alice/", admin)[0] == 204
    assert list(Membership.objects.values_list("user__username", flat=True)) == ["bob"]
    assert send(client, "PUT", f"{LAB}members/carol/", admin, {"role": "member"})[0] == 404


def test_anyone_may_leave(client: Client, admin: dict[str, str], bob: User) -> None:
    assert send(client, "DELETE", f"{LAB}members/bob/", bearer(bob, "publish"))[0] == 403
    assert send(client, "DELETE", f"{LAB}members/bob/", bearer(bob, "admin"))[0] == 204
    assert not Membership.objects.filter(user=bob).exists()


def test_removing_a_member_ends_what_their_tokens_may_do_there(
    client: Client, admin: dict[str, str], lab: Organisation, bob: User
) -> None:
    make_version(lab, "secret", visibility="private")
    unbound = bearer(bob, "admin")
    bound = bearer(bob, "read", make_environment(lab, "secret"))
    page = "/api/v1/environments/lab/secret/"
    for headers in (unbound, bound):
        assert client.get(page, headers=headers).status_code == 200
    assert send(client, "DELETE", f"{LAB}members/bob/", admin)[0] == 204
    for headers in (unbound, bound):
        assert client.get(page, headers=headers).status_code == 404
    assert Event.objects.filter(verb="member.removed", owner=lab.owner).exists()


def test_a_demoted_maintainer_publishes_no_more(lab: Organisation, bob: User) -> None:
    Membership.objects.filter(user=bob).update(role="maintainer")
    _, text = tokens.mint(user=bob, name="ci", scope="publish")
    for role, may in (("maintainer", True), ("member", False)):
        Membership.objects.filter(user=bob).update(role=role)
        token = tokens.verify(text)
        assert token
        assert can(token.user, "owner.publish", lab.owner, token) is may


def test_a_person_is_invited_by_name_and_accepts(
    client: Client, admin: dict[str, str], carol: User, bob: User
) -> None:
    sent = {"to": "carol", "role": "maintainer"}
    status, body = send(client, "POST", f"{LAB}invitations/", admin, sent)
    assert (status, body["to"], body["role"]) == (201, "carol", "maintainer")
    assert send(client, "POST", f"{LAB}invitations/", admin, sent)[0] == 409
    headers_of_other = bearer(carol, "admin")
    assert [i["id"] for i in send(client, "GET", MINE, headers_of_other)[1]["results"]] == [
        body["id"]
    ]
    assert send(client, "POST", f"{MINE}{body['id']}/accept/", bearer(bob, "admin"))[0] == 404
    assert send(client, "POST", f"{MINE}{body['id']}/accept/", bearer(carol, "publish"))[0] == 403
    assert send(client, "POST", f"{MINE}{body['id']}/accept/", headers_of_other)[0] == 204
    assert Membership.objects.get(user=carol).role == "maintainer"
    assert send(client, "POST", f"{MINE}{body['id']}/accept/", headers_of_other)[0] == 404
    assert send(client, "POST", f"{LAB}invitations/", admin, sent)[0] == 409


def test_an_invitation_is_declined_or_withdrawn(
    client: Client, admin: dict[str, str], carol: User
) -> None:
    sent = {"to": "carol", "role": "owner"}
    body = send(client, "POST", f"{LAB}invitations/", admin, sent)[1]
    assert send(client, "POST", f"{MINE}{body['id']}/decline/", bearer(carol, "admin"))[0] == 204
    body = send(client, "POST", f"{LAB}invitations/", admin, sent)[1]
    assert send(client, "DELETE", f"{LAB}invitations/{body['id']}/", admin)[0] == 204
    assert send(client, "DELETE", f"{LAB}invitations/{body['id']}/", admin)[0] == 404
    assert send(client, "GET", MINE, bearer(carol, "admin"))[1]["results"] == []
    assert not Membership.objects.filter(user=carol).exists()
    verbs = list(
        Event.objects.filter(verb__startswith="invitation.").values_list("verb", flat=True)
    )
    assert verbs == [
        "invitation.sent",
        "invitation.declined",
        "invitation.sent",
        "invitation.withdrawn",
    ]


@pytest.mark.parametrize(
    ("sent", "status", "field"),
    [
        ({"to": "nobody", "role": "member"}, 400, "to"),
        ({"to": "no@body", "role": "member"}, 400, "to"),
        ({"to": "carol", "role": "king"}, 400, "role"),
        ({"to": "bob", "role": "member"}, 409, None),
    ],
)
def test_refused_invitation_names_the_reason(
    client: Client,
    admin: dict[str, str],
    carol: User,
    sent: dict[str, str],
    status: int,
    field: str | None,
) -> None:
    result, refused = send(client, "POST", f"{LAB}invitations/", admin, sent)
    assert (result, refused["error"]["details"].get("field")) == (status, field)
    assert not Invitation.objects.exists()


def test_inviting_is_slowed_down(client: Client, admin: dict[str, str]) -> None:
    for number in range(30):
        sent = {"to": f"p{number}@example.com", "role": "member"}
        assert send(client, "POST", f"{LAB}invitations/", admin, sent)[0] == 201
    status, refused = send(client, "POST", f"{LAB}invitations/", admin, sent)
    assert (status, refused["error"]["code"]) == (429, "request.throttled")


@pytest.mark.parametrize("change", ["removed", "demoted", "barred"])
def test_an_invitation_is_worth_no_more_than_its_sender(
    client: Client,
    admin: dict[str, str],
    lab: Organisation,
    bob: User,
    carol: User,
    change: str,
) -> None:
    send(client, "PUT", f"{LAB}members/bob/", admin, {"role": "owner"})
    sent = {"to": "carol", "role": "owner"}
    status, body = send(client, "POST", f"{LAB}invitations/", bearer(bob, "admin"), sent)
    assert status == 201
    if change == "barred":
        User.objects.filter(pk=bob.pk).update(is_active=False)
    elif change == "removed":
        send(client, "DELETE", f"{LAB}members/bob/", admin)
    else:
        send(client, "PUT", f"{LAB}members/bob/", admin, {"role": "maintainer"})
    headers_of_other = bearer(carol, "admin")
    assert send(client, "GET", MINE, headers_of_other)[1]["results"] == []
    with pytest.raises(NotFound):
        invitations.accept(invitation=Invitation.objects.get(pk=body["id"]), user=carol)
    assert not Membership.objects.filter(user=carol).exists()
    status, again = send(client, "POST", f"{LAB}invitations/", admin, sent)
    assert (status, again["invited_by"]) == (201, "alice")


@pytest.mark.parametrize("change", ["removed", "demoted", "barred", "left", "no longer staff"])
def test_an_invitation_stays_over_when_its_sender_regains_the_right(
    client: Client,
    admin: dict[str, str],
    lab: Organisation,
    alice: User,
    bob: User,
    carol: User,
    change: str,
) -> None:
    if change == "no longer staff":
        services.set_staff(username="bob", staff=True)
    else:
        send(client, "PUT", f"{LAB}members/bob/", admin, {"role": "owner"})
    bob = User.objects.get(pk=bob.pk)
    headers_of_other = bearer(bob, "admin")
    sent = {"to": "carol", "role": "owner"}
    status, body = send(client, "POST", f"{LAB}invitations/", headers_of_other, sent)
    assert status == 201
    if change == "barred":
        set_active(client, bob, active=False)
        set_active(client, bob, active=True)
    elif change == "no longer staff":
        services.set_staff(username="bob", staff=False)
        services.set_staff(username="bob", staff=True)
    else:
        sender = headers_of_other if change == "left" else admin
        if change == "demoted":
            send(client, "PUT", f"{LAB}members/bob/", admin, {"role": "member"})
        else:
            send(client, "DELETE", f"{LAB}members/bob/", sender)
        services.add_member(organisation=lab, user=bob, role="owner", by=alice)
    invitation = Invitation.objects.get(pk=body["id"])
    assert invitation.ended_at is not None
    with pytest.raises(NotFound):
        invitations.accept(invitation=invitation, user=carol)
    assert not Membership.objects.filter(user=carol).exists()


def set_active(client: Client, user: User, *, active: bool) -> None:
    """Switch the account off or on as staff do, on the admin screen."""
    staff = User.objects.filter(username="root").first() or person("root", staff=True)
    client.force_login(staff)
    at = "2026-01-01"
    form = {"username": user.username, "date_joined_0": at, "date_joined_1": "10:00"}
    if active:
        form["is_active"] = "on"
    answer = client.post(f"/admin/registry/user/{user.pk}/change/", form)
    assert answer.status_code == 302, answer.content.decode()
    user.refresh_from_db()
    assert user.is_active == active
    client.logout()


def test_a_browser_session_gives_no_rights_over_the_api(client: Client, lab: Organisation) -> None:
    client.login(username="alice", password="alice")
    make_environment(lab)
    workflow = {"kind": "github", "repository": "lab/envs", "workflow": "p.yml", "name": "x"}
    for method, path, data in (
        ("POST", f"{LAB}invitations/", {"to": "x@example.com", "role": "owner"}),
        ("PUT", f"{LAB}members/bob/", {"role": "owner"}),
        ("POST", "/api/v1/environments/lab/demo-env/publishers/", workflow),
        ("POST", "/api/v1/owners/lab/publishers/", workflow),
    ):
        status, refused = send(client, method, path, {}, data)
        assert (status, refused["error"]["code"]) == (403, "request.forbidden"), path
        assert "browser session" in refused["error"]["message"]
    assert send(client, "GET", f"{LAB}invitations/", {})[0] == 200


@pytest.mark.parametrize("mark", ["\n", "\u202e", "\x00", "\u2028"])
def test_titles_hold_no_invisible_characters(
    client: Client, admin: dict[str, str], mark: str
) -> None:
    status, refused = send(client, "PATCH", LAB, admin, {"title": f"a{mark}b"})
    assert status == 400
    assert "title" in refused["error"]["message"]


def test_the_mail_states_who_may_accept(lab: Organisation, alice: User, carol: User) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        invitations.invite(organisation=lab, to="carol", role="member", by=alice)
        invitations.invite(organisation=lab, to="x@example.com", role="member", by=alice)
    named, addressed = (str(message.body) for message in mail.outbox)
    assert "for carol alone" in named
    assert "Whoever holds this link" not in named
    assert "Whoever holds this link" in addressed
