"""The staff's screens."""

import pytest
from django.contrib import admin
from django.core import mail
from django.test import Client, TestCase
from django.urls import reverse

from registry.accounts import services
from registry.models import Event, Organisation, User, Version
from tests.factories import bearer, make_run, make_version

pytestmark = pytest.mark.once

MODELS = sorted(model._meta.model_name or "" for model in admin.site._registry)
OURS = [name for name in MODELS if name != "group"]


@pytest.mark.parametrize("name", OURS)
def test_staff_can_list_and_open_everything(
    client: Client, root: User, alice: User, name: str
) -> None:
    make_run(make_version(alice), status="running")
    bearer(alice)
    client.force_login(root)
    assert client.get(reverse(f"admin:registry_{name}_changelist")).status_code == 200
    assert client.get(reverse("admin:registry_user_change", args=[alice.pk])).status_code == 200


@pytest.mark.parametrize("name", OURS)
def test_nobody_else_gets_in(client: Client, alice: User, name: str) -> None:
    client.force_login(alice)
    assert client.get(reverse(f"admin:registry_{name}_changelist")).status_code == 302


def test_staff_quarantine_and_release_a_version(client: Client, root: User, alice: User) -> None:
    version = make_version(alice)
    client.force_login(root)
    for action, there in (("quarantine", True), ("release", False)):
        client.post(
            reverse("admin:registry_version_changelist"),
            {"action": action, "_selected_action": [version.pk]},
        )
        assert (Version.objects.get().quarantined_at is not None) is there
    verbs = list(Event.objects.filter(actor=root).values_list("verb", flat=True))
    assert verbs == ["version.quarantined", "version.released"]


def test_no_status_and_no_secret_can_be_edited(client: Client, root: User, alice: User) -> None:
    version = make_version(alice, status="rejected")
    bearer(alice)
    client.force_login(root)
    url = reverse("admin:registry_version_change", args=[version.pk])
    client.post(url, {"status": "listed"})
    assert Version.objects.get().status == "rejected"
    token = alice.tokens.get()
    shown = client.get(reverse("admin:registry_token_change", args=[token.pk])).content.decode()
    assert token.public_id in shown
    assert token.digest not in shown


def close_account(client: Client, user: User) -> str:
    """The page after staff switched the account off."""
    form = {"username": user.username, "date_joined_0": "2026-01-01", "date_joined_1": "10:00"}
    url = reverse("admin:registry_user_change", args=[user.pk])
    return client.post(url, form, follow=True).content.decode()


def test_closing_the_account_of_the_last_active_owner_warns_staff(
    client: Client, root: User, lab: Organisation, alice: User, bob: User
) -> None:
    services.add_member(organisation=lab, user=bob, role="owner", by=alice)
    client.force_login(root)
    warning = "Organisation lab has no owner with an active account"
    assert warning not in close_account(client, bob)
    assert warning in close_account(client, alice)
    alice.refresh_from_db()
    assert not alice.is_active


def test_a_password_or_address_that_staff_set_is_mailed_to_the_person(
    client: Client, root: User, alice: User
) -> None:
    client.force_login(root)
    change = reverse("admin:registry_user_change", args=[alice.pk])
    password = reverse("admin:auth_user_password_change", args=[alice.pk])
    new = {"password1": "a-wholly-new-one", "password2": "a-wholly-new-one"}
    form = {"username": "mallory", "email": "new@example.com", "is_active": "on"}
    with TestCase.captureOnCommitCallbacks(execute=True):
        client.post(password, new | {"usable_password": "true", "set-password": ""})
        client.post(change, form)
        client.post(change, form)  # nothing is new
    alice.refresh_from_db()
    assert (alice.username, alice.email) == ("alice", "new@example.com")
    assert alice.check_password("a-wholly-new-one")
    sent = [(m.to, m.subject) for m in mail.outbox]
    assert sent == [
        (["alice@example.com"], "Staff set the password of alice"),
        (["alice@example.com"], "Staff set the email of alice"),
        (["new@example.com"], "Staff set the email of alice"),
    ]
    verbs = Event.objects.filter(owner=alice.owner, actor=root).values_list("verb", flat=True)
    assert list(verbs) == ["account.password_set_by_staff", "account.email_set_by_staff"]


def test_journal_records_who_becomes_staff_under_admin(
    client: Client, root: User, alice: User
) -> None:
    client.force_login(root)
    change = reverse("admin:registry_user_change", args=[alice.pk])
    for form in ({"is_staff": "on"}, {"is_staff": "on"}, {}):
        client.post(change, {"email": alice.email, "is_active": "on"} | form)
    rows = Event.objects.filter(actor=root).values_list("verb", "owner__name", "data__user")
    assert list(rows) == [
        ("user.staff_added", "alice", "alice"),
        ("user.staff_removed", "alice", "alice"),
    ]
