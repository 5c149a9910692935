"""Changing and confirming addresses, and which of them receive a link that sets the password."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from registry.accounts import services
from registry.models import User
from tests.frontend.people import link_in_mail, sign_in, text
from tests.frontend.test_accounts import RESET

pytestmark = pytest.mark.once

PASSWORD = "quite-a-long-one"
DORA, NEW, TYPO = "dora@example.com", "new@example.com", "typo@example.com"


def sign_up(name: str = "dora", email: str = DORA, *, confirmed: bool = False) -> User:
    return services.register(username=name, email=email, password=PASSWORD, verified=confirmed)


def change(client: Client, email: str) -> None:
    assert client.post("/email/", {"email": email, "action_add": ""}).status_code == 302


def links_after_reset(*emails: str) -> list[str]:
    """The addresses that a link for a new password was sent to; every address gets some mail."""
    mail.outbox.clear()
    for n, email in enumerate(emails):
        answer = Client().post(RESET, {"email": email}, REMOTE_ADDR=f"10.8.0.{n}")
        assert answer.headers["Location"] == f"{RESET}done/"
    assert len(mail.outbox) == len(emails)
    return [m.to[0] for m in mail.outbox if "/password/reset/key/" in str(m.body)]


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_pending_address_receives_no_password_reset_and_the_present_one_does(
    client: Client, db: None, confirmed: bool
) -> None:
    user = sign_up(confirmed=confirmed)
    sign_in(client, "dora", PASSWORD)
    change(client, TYPO)
    assert EmailAddress.objects.filter(email=TYPO, verified=False).exists()
    assert links_after_reset(TYPO, "TYPO@example.com", DORA) == [DORA]
    user.refresh_from_db()
    assert user.email == DORA


def test_an_account_that_never_confirmed_an_address_changes_it_as_often_as_it_likes(
    client: Client, db: None
) -> None:
    sign_up()
    sign_in(client, "dora", PASSWORD)
    for email in (TYPO, "second@example.com", NEW):
        change(client, email)
    rows = EmailAddress.objects.order_by("pk").values_list("email", flat=True)
    assert list(rows) == [DORA, NEW]
    page = text(client, "/email/")
    page = " ".join(page.split())
    assert "Email is sent to <b>dora@example.com</b>, which is not confirmed yet" in page
    assert "The address changes to <b>new@example.com</b>" in page
    client.post(link_in_mail(NEW))
    assert User.objects.get().email == NEW
    assert links_after_reset(DORA, NEW) == [NEW]


def test_the_address_of_an_account_cannot_be_taken_away(client: Client, db: None) -> None:
    for name, email, confirmed in (("dora", DORA, False), ("eve", "eve@example.com", True)):
        user = sign_up(name, email, confirmed=confirmed)
        sign_in(client, name, PASSWORD)
        client.post("/email/", {"email": email, "action_remove": ""})
        change(client, f"{name}-new@example.com")
        client.post("/email/", {"email": email, "action_remove": ""})
        client.post("/email/", {"email": f"{name}-new@example.com", "action_primary": ""})
        client.post("/email/", {"email": f"{name}-new@example.com", "action_remove": ""})
        user.refresh_from_db()
        assert (user.email, list(user.emailaddress_set.values_list("email", flat=True))) == (
            email,
            [email],
        )
        assert links_after_reset(email) == [email]


def test_an_address_does_not_become_the_accounts_before_it_is_confirmed(
    client: Client, db: None
) -> None:
    sign_up()
    sign_in(client, "dora", PASSWORD)
    change(client, TYPO)
    client.post("/email/", {"email": TYPO, "action_primary": ""})
    assert links_after_reset(TYPO) == []


def test_a_new_address_is_confirmed_by_who_is_signed_in_to_the_account(
    client: Client, db: None
) -> None:
    sign_up(confirmed=True)
    sign_up("eve", "eve@example.com", confirmed=True)
    sign_in(client, "dora", PASSWORD)
    change(client, TYPO)
    path = link_in_mail(TYPO)
    for stranger in (Client(), sign_in(Client(), "eve", PASSWORD)):
        for answer in (stranger.get(path), stranger.post(path)):
            assert answer.headers["Location"] == f"/login/?next={path.replace(':', '%3A')}"
    assert User.objects.get(username="dora").email == DORA
    assert links_after_reset(TYPO) == []
    elsewhere = Client()
    answer = elsewhere.post(f"/login/?next={path}", {"login": "dora", "password": PASSWORD})
    assert answer.headers["Location"] == path
    assert "Is <b>typo@example.com</b> the address of <b>dora</b>" in text(elsewhere, path)
    elsewhere.post(path)
    assert User.objects.get(username="dora").email == TYPO


def test_the_address_given_at_sign_up_is_confirmed_without_signing_in(
    client: Client, db: None
) -> None:
    form = {"username": "dora", "email": DORA, "password1": PASSWORD}
    client.post("/signup/", form)
    Client().post(link_in_mail(DORA))
    assert EmailAddress.objects.get().verified


def test_the_link_goes_to_the_address_of_sign_up_until_another_account_confirms_it(
    client: Client, db: None
) -> None:
    sign_up()
    sign_in(client, "dora", PASSWORD)
    form = {"username": "dora2", "email": DORA, "password1": PASSWORD}
    second = Client()
    second.post("/signup/", form)
    path = link_in_mail(DORA)
    mail.outbox.clear()
    Client().post(RESET, {"email": DORA})
    assert [m.to for m in mail.outbox if "/password/reset/key/" in str(m.body)] == [[DORA]] * 2
    assert "No link can be sent" not in "".join(str(m.body) for m in mail.outbox)
    warning = "no password reset link is sent for dora."
    assert warning in text(second, path)
    second.post(path)
    assert links_after_reset(DORA) == [DORA]
    body = str(mail.outbox[0].body)
    assert "new password of dora2" in body
    assert "No link can be sent for dora:" in " ".join(body.split())
    # what the mail names as the next step works
    change(client, NEW)
    client.post(link_in_mail(NEW))
    assert links_after_reset(NEW, DORA) == [NEW, DORA]
    assert "No link can be sent" not in "".join(str(m.body) for m in mail.outbox)


def test_account_page_does_not_reveal_another_account_with_the_address(
    client: Client, db: None, alice: User
) -> None:
    pages = []
    for name, email in (("dora", DORA), ("eve", "eve@example.com")):
        sign_up(name, email)
        sign_in(client, name, PASSWORD)
        pages.append(text(client, "/email/").replace(email, "").replace(name, ""))
        if name == "dora":
            sign_up("fay", "eve@example.com", confirmed=True)
    without = [_without_tokens(page) for page in pages]
    assert without[0] == without[1]


def _without_tokens(page: str) -> str:
    return re.sub(r'"csrfmiddlewaretoken" value="[^"]+"', "", page)


def test_staff_give_an_address_to_who_can_receive_no_link(
    client: Client, db: None, root: User, settings: Any
) -> None:
    user = sign_up()
    sign_up("dora2", confirmed=True)
    assert links_after_reset(DORA) == [DORA]
    staff = sign_in(Client(), "root")
    form = {"email": NEW, "is_active": "on"}
    staff.post(f"/admin/registry/user/{user.pk}/change/", form)
    assert links_after_reset(NEW) == [NEW]
