"""Tokens and devices, as pages."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.utils import timezone

from registry.accounts import devices, tokens
from registry.models import Token, User
from tests.frontend.people import sign_in, text

pytestmark = pytest.mark.once

FORM = {"name": "ci", "scope": "publish", "environment": "", "days": "90"}


def test_guessing_device_codes_is_slowed_down(client: Client, alice: User) -> None:
    sign_in(client, "alice")
    for _ in range(20):
        answer = client.post("/device/", {"code": "BCDF-GHJK", "answer": "approve"})
        assert "No device waits" in answer.content.decode()
        assert "or run <code>hub login</code> again" in answer.content.decode()
    begun = devices.begin(device_name="box")
    client.post("/device/", {"code": begun.user_code, "answer": "approve"})
    assert devices.poll(device_code=begun.device_code) is None


def test_a_token_is_shown_once_and_can_be_revoked(
    client: Client, alice: User, django_capture_on_commit_callbacks: Any
) -> None:
    assert client.get("/settings/tokens/").status_code == 302
    sign_in(client, "alice")
    with django_capture_on_commit_callbacks(execute=True):
        page = client.post("/settings/tokens/", FORM).content.decode()
    token = Token.objects.get()
    assert "hub_" in page
    assert token.scope == "publish"
    assert token.expires_at
    assert (token.expires_at - timezone.now()).days in (89, 90)
    assert mail.outbox[0].to == ["alice@example.com"]
    assert token.public_id in mail.outbox[0].body
    assert f"{settings.HUB_URL}/settings/tokens/" in mail.outbox[0].body
    assert "hub_" not in text(client, "/settings/tokens/").replace("hub_...", "")
    address = f"/settings/tokens/{token.public_id}/revoke/"
    assert "Revoke ci?" in text(client, address)
    token.refresh_from_db()
    assert token.usable
    client.post(address)
    token.refresh_from_db()
    assert not token.usable
    text(client, address, 404)


def test_token_list_shows_why_a_token_ended(client: Client, alice: User) -> None:
    old, _ = tokens.mint(user=alice, name="old", scope="read", days=1)
    now = timezone.now()
    Token.objects.filter(pk=old.pk).update(
        created_at=now - timedelta(days=2), expires_at=now - timedelta(days=1)
    )
    _, leaked = tokens.mint(user=alice, name="leaked", scope="read")
    tokens.revoke_leaked(leaked, where="a public repository")
    client.force_login(alice)
    page = text(client, "/settings/tokens/")
    assert ">expired<" in page
    assert "leaked: a public repository" in page
    assert "/revoke/" not in page


def test_one_cannot_revoke_anothers_token(client: Client, alice: User, carol: User) -> None:
    token, _ = tokens.mint(user=alice, name="ci", scope="read")
    client.force_login(carol)
    client.post(f"/settings/tokens/{token.public_id}/revoke/")
    text(client, f"/settings/tokens/{token.public_id}/revoke/", 404)
    token.refresh_from_db()
    assert token.usable


def test_a_device_is_confirmed_by_its_code(client: Client, alice: User) -> None:
    begun = client.post(
        "/api/v1/login/", {"device_name": "box"}, content_type="application/json"
    ).json()
    path = begun["verification_url_complete"].partition("/device")[2]
    assert client.get(f"/device{path}").status_code == 302
    sign_in(client, "alice")
    page = text(client, f"/device{path}")
    assert "box" in page
    assert "expires after 90 days" in page
    answer = client.post("/device/", {"code": begun["user_code"], "answer": "approve"})
    assert "Return to your terminal" in answer.content.decode()
    polled = client.post(
        "/api/v1/login/poll/",
        {"device_code": begun["device_code"]},
        content_type="application/json",
    ).json()
    assert polled["token"].startswith("hub_")
    assert "No device waits" in text(client, f"/device/?code={begun['user_code']}")


def test_a_device_waits_for_the_second_factor(client: Client, alice: User, settings: Any) -> None:
    settings.HUB_REQUIRE_MFA = "publish"
    sign_in(client, "alice")
    begun = devices.begin(device_name="box")
    answer = client.post("/device/", {"code": begun.user_code, "answer": "approve"})
    assert "/settings/security/" in answer.content.decode()
    assert devices.poll(device_code=begun.device_code) is None


def test_tokens_that_work_stand_before_revoked_ones(client: Client, alice: User) -> None:
    for name in ("first", "gone", "last"):
        token, _ = tokens.mint(user=alice, name=name, scope="read")
        if name == "gone":
            tokens.revoke(user=alice, public_id=token.public_id)
    sign_in(client, "alice")
    listed = client.get("/settings/tokens/").context["tokens"]
    assert [token.name for token in listed] == ["last", "first", "gone"]
