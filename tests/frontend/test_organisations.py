"""Organisations, invitations and owners, as pages."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from registry.accounts import invitations, token_format
from registry.models import Invitation, Membership, Organisation, User
from tests.factories import make_version
from tests.frontend.people import link_in_mail, sign_in, text

pytestmark = pytest.mark.once

CAROL = {"login": "carol", "password": "carol"}
LAB = "/orgs/lab/"


def test_one_makes_an_organisation_and_manages_it(client: Client, alice: User) -> None:
    sign_in(client, "alice")
    assert "You belong to no organisation" in text(client, "/settings/organisations/")
    refused = client.post("/settings/organisations/", {"name": "admin", "title": ""})
    assert "reserved" in refused.content.decode()
    response = client.post("/settings/organisations/", {"name": "lab", "title": "The lab"})
    assert response.headers["Location"] == LAB
    assert "The lab" in text(client, LAB)
    client.post(f"{LAB}title/", {"title": "Our lab"})
    assert "Our lab" in text(client, "/owners/lab/")


def test_only_those_inside_see_who_is_inside(
    client: Client, lab: Organisation, bob: User, carol: User
) -> None:
    text(client, "/owners/lab/")
    assert client.get(LAB).status_code == 302
    client.force_login(carol)
    text(client, LAB, 404)
    sign_in(client, "bob")
    page = text(client, LAB)
    assert "alice" in page
    assert "Invite" not in page
    for path, data in (
        (f"{LAB}title/", {"title": "x"}),
        (f"{LAB}invite/", {"to": "carol", "role": "owner"}),
        (f"{LAB}members/bob/", {"role": "owner"}),
    ):
        assert client.post(path, data).status_code == 403
    assert Membership.objects.get(user=bob).role == "member"


def test_an_organisations_page_marks_its_tab_of_the_settings(
    client: Client, lab: Organisation, alice: User
) -> None:
    client.force_login(alice)
    tabs = text(client, LAB).partition('aria-label="Settings"')[2].partition("</nav>")[0]
    assert re.findall(r'aria-current="page"\s*>(\w+)<', tabs) == ["Organisations"]


def test_granting_a_role_requires_the_password_again(
    client: Client, lab: Organisation, alice: User
) -> None:
    client.force_login(alice)  # a session of yesterday
    for path, data in (
        (f"{LAB}members/bob/", {"role": "owner"}),
        (f"{LAB}invite/", {"to": "x@example.com", "role": "owner"}),
    ):
        assert client.post(path, data).headers["Location"].startswith("/reauthenticate/?next=")
    assert not Invitation.objects.exists()
    assert Membership.objects.filter(role="owner").count() == 1


def test_owners_change_roles_and_remove(
    client: Client, lab: Organisation, alice: User, bob: User
) -> None:
    sign_in(client, "alice")
    client.post(f"{LAB}members/bob/", {"role": "maintainer"})
    assert Membership.objects.get(user=bob).role == "maintainer"
    refused = client.post(f"{LAB}members/alice/", {"role": "member"}, follow=True)
    assert "only owner of lab" in refused.content.decode()
    assert "only owner of lab" in client.post(f"{LAB}leave/", follow=True).content.decode()
    client.post(f"{LAB}members/bob/")
    assert not Membership.objects.filter(user=bob).exists()
    assert client.post(f"{LAB}members/bob/").status_code == 404


def test_holder_of_the_link_may_accept_an_invitation_by_mail(
    client: Client,
    lab: Organisation,
    alice: User,
    carol: User,
    django_capture_on_commit_callbacks: Any,
) -> None:
    sign_in(client, "alice")
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"{LAB}invite/", {"to": "New@example.com", "role": "maintainer"})
    assert mail.outbox[0].to == ["new@example.com"]
    link = link_in_mail("new@example.com")
    assert Invitation.objects.get().digest == token_format.sha256(link.split("/")[2])
    assert link.split("/")[2] not in text(client, LAB)
    client.logout()
    page = text(client, link)
    assert "<b>alice</b> invites new@example.com to <b>lab</b>" in page
    assert f'href="/login/?next={link}"' in page
    assert f'href="/signup/?next={link}"' in page
    assert client.post(link).headers["Location"] == f"/login/?next={link}"
    assert client.post(f"/login/?next={link}", CAROL).headers["Location"] == link
    assert "You have no open invitations" in text(client, "/settings/invitations/")
    assert "as <b>maintainer</b>" in text(client, link)
    assert client.post(link, {"answer": "accept"}).headers["Location"] == LAB
    assert Membership.objects.get(user=carol).role == "maintainer"
    assert "This invitation is not valid" in text(client, link, 404)


def test_invitation_link_without_its_secret_does_not_reveal_the_organisation(
    client: Client, lab: Organisation, alice: User
) -> None:
    invitations.invite(organisation=lab, to="x@example.com", role="member", by=alice)
    page = text(client, "/invitations/guessed/", 404)
    assert "This invitation is not valid" in page
    assert "alice" not in page
    assert "lab" not in page.replace("label", "")


def test_an_invitation_to_a_person_is_theirs_alone(
    client: Client,
    lab: Organisation,
    alice: User,
    carol: User,
    root: User,
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        invitation = invitations.invite(organisation=lab, to="carol", role="member", by=alice)
    link = link_in_mail("carol@example.com")
    client.force_login(root)
    text(client, link, 404)
    assert client.post(f"/settings/invitations/{invitation.pk}/").status_code == 404
    client.force_login(carol)
    assert "invites you" in text(client, "/settings/invitations/")
    client.post(f"/settings/invitations/{invitation.pk}/", {"answer": "decline"})
    assert not Membership.objects.filter(user=carol).exists()
    text(client, link, 404)


def test_an_old_invitation_is_over_and_makes_room_for_another(
    client: Client, lab: Organisation, alice: User, carol: User
) -> None:
    old = invitations.invite(organisation=lab, to="carol", role="member", by=alice)
    now = timezone.now()
    Invitation.objects.filter(pk=old.pk).update(
        created_at=now - timedelta(days=8), expires_at=now - timedelta(days=1)
    )
    client.force_login(carol)
    assert "You have no open invitations" in text(client, "/settings/invitations/")
    assert client.post(f"/settings/invitations/{old.pk}/").status_code == 404
    sign_in(client, "alice")
    client.post(f"{LAB}invite/", {"to": "carol", "role": "member"})
    invitation = Invitation.objects.exclude(pk=old.pk).get()
    assert "carol" in text(client, LAB)
    client.post(f"{LAB}invitations/{invitation.pk}/")
    invitation.refresh_from_db()
    assert invitation.ended_at


def test_accepting_never_lowers_a_role(lab: Organisation, alice: User, bob: User) -> None:
    invitation = invitations.invite(organisation=lab, to="x@example.com", role="member", by=alice)
    Membership.objects.filter(user=bob).update(role="maintainer")
    invitations.accept(invitation=invitation, user=bob)
    assert Membership.objects.get(user=bob).role == "maintainer"


@pytest.mark.parametrize("owner", ["alice", "lab"])
def test_an_owners_page_shows_what_its_reader_may_see(
    client: Client, lab: Organisation, alice: User, bob: User, owner: str
) -> None:
    whose = alice if owner == "alice" else lab
    make_version(whose, "open-env")
    make_version(whose, "secret-env", visibility="private")
    page = text(client, f"/owners/{owner}/")
    assert f"{owner}/open-env" in page
    assert "secret-env" not in page
    assert f'href="/owners/{owner}/"' in text(client, f"/envs/{owner}/open-env/")
    client.force_login(bob)
    assert ("secret-env" in text(client, f"/owners/{owner}/")) is (owner == "lab")
    assert client.get(f"/owners/{owner.upper()}/").headers["Location"] == f"/owners/{owner}/"
    text(client, "/owners/nobody/", 404)


def test_a_second_factor_that_is_missing_is_named(
    client: Client, lab: Organisation, alice: User, settings: Any
) -> None:
    settings.HUB_REQUIRE_MFA = "publish"
    sign_in(client, "alice")
    assert "add an authenticator app or a passkey" in text(client, LAB)
    answer = client.post(f"{LAB}title/", {"title": "x"})
    assert answer.status_code == 403
    assert f'<a href="{settings.HUB_URL}/settings/security/"' in answer.content.decode()
