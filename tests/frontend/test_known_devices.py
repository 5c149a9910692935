"""Guessing stays slow from everywhere, and locks nobody out of a browser they used before."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.test.client import RequestFactory

from frontend.known_devices import COOKIE
from registry import rate_limits
from registry.accounts import devices
from registry.errors import HubError
from registry.models import Organisation, User
from tests.factories import make_version
from tests.frontend.people import link_in_mail, sign_in
from tests.frontend.test_accounts import NEW, RESET, SECURITY, add_totp

pytestmark = pytest.mark.once

RIGHT = {"login": "alice", "password": "alice"}
WRONG = {"login": "alice", "password": "guess"}
TOKEN = {"name": "ci", "scope": "read", "environment": "", "days": "90"}


def known(name: str) -> Client:
    """A browser from which that person signed in, and out again."""
    client = sign_in(Client(), name)
    client.post("/logout/")
    return client


def attack(times: int = 12, **fields: str) -> list[int]:
    """Wrong passwords, each from an address of its own."""
    return [
        Client().post("/login/", WRONG | fields, REMOTE_ADDR=f"10.9.0.{n}").status_code
        for n in range(times)
    ]


def test_an_attack_from_many_addresses_is_slowed_down_and_the_owner_gets_in(alice: User) -> None:
    device = known("alice")
    assert attack()[-2:] == [429, 429]
    assert Client().post("/login/", RIGHT).status_code == 429
    assert device.post("/login/", RIGHT).status_code == 302


def test_the_owner_gets_in_from_the_address_of_the_attack(alice: User, bob: User) -> None:
    device = known("alice")
    for name in ("alice", "bob", "nobody") * 30:
        Client().post("/login/", {"login": name, "password": "guess"})
    assert Client().post("/login/", {"login": "bob", "password": "bob"}).status_code == 429
    assert device.post("/login/", RIGHT).status_code == 302


def test_a_known_browser_guesses_no_faster(alice: User) -> None:
    device = known("alice")
    answers = [device.post("/login/", WRONG).status_code for _ in range(11)]
    assert answers == [200] * 10 + [429]
    assert device.post("/login/", RIGHT).status_code == 429
    assert Client().post("/login/", RIGHT).status_code == 302


def test_a_browser_known_to_one_account_is_a_stranger_to_another(alice: User, bob: User) -> None:
    device = known("bob")
    attack()
    assert device.post("/login/", RIGHT).status_code == 429


def test_a_browser_of_two_people_is_known_to_both(alice: User, bob: User) -> None:
    device = known("bob")
    device.post("/login/", RIGHT)
    device.post("/logout/")
    attack()
    attack(login="bob")
    assert device.post("/login/", {"login": "bob", "password": "bob"}).status_code == 302
    device.post("/logout/")
    assert device.post("/login/", RIGHT).status_code == 302


@pytest.mark.parametrize("forged", ["x", "W10:x:y", ""])
def test_a_forged_cookie_makes_no_browser_known(alice: User, forged: str) -> None:
    attack()
    client = Client()
    client.cookies[COOKIE] = forged
    assert client.post("/login/", RIGHT).status_code == 429


def test_new_password_removes_the_known_browsers(alice: User) -> None:
    thief = known("alice")
    owner = sign_in(Client(), "alice")
    new = {"oldpassword": "alice", "password1": "another-good-one", "password2": "another-good-one"}
    assert owner.post("/password/change/", new).status_code == 302
    owner.post("/logout/")
    attack()
    right = RIGHT | {"password": "another-good-one"}
    assert thief.post("/login/", right).status_code == 429
    assert owner.post("/login/", right).status_code == 302


def test_a_link_by_mail_lets_in_who_has_no_known_browser(alice: User) -> None:
    attack(60)
    client = Client()
    client.post(RESET, {"email": alice.email})
    for n in range(5):  # the attacker cannot use it up either
        Client().post(RESET, {"email": alice.email}, REMOTE_ADDR=f"10.9.1.{n}")
    assert len(mail.outbox) == 3
    form = client.get(link_in_mail(alice.email)).headers["Location"]
    new = {"password1": "another-good-one", "password2": "another-good-one"}
    assert client.post(form, new).status_code == 302
    attack(12)
    right = RIGHT | {"password": "another-good-one"}
    assert client.post("/login/", right).status_code == 302


def test_who_guesses_codes_locks_the_second_factor_of_nobody_else(alice: User) -> None:
    device = sign_in(Client(), "alice")
    add_totp(device)
    page = device.get(f"{SECURITY}recovery-codes/").content.decode()
    recovery = re.findall(r"\b\d{8}\b", page)
    device.post("/logout/")
    thief = Client()  # who has the password
    thief.post("/login/", RIGHT, REMOTE_ADDR="10.9.0.1")
    assert COOKIE not in thief.cookies
    path = f"{SECURITY}authenticate/"
    wrong = [
        thief.post(path, {"code": "000000"}, REMOTE_ADDR=f"10.9.0.{n}").status_code
        for n in range(11)
    ]
    assert wrong == [200] * 10 + [429]
    device.post("/login/", RIGHT)
    assert device.post(path, {"code": recovery[0]}).status_code == 302


def test_new_passwords_through_the_mailbox_give_no_more_codes_to_guess(alice: User) -> None:
    owner = sign_in(Client(), "alice")
    add_totp(owner)
    answers = []
    for n in range(2):
        thief, address = Client(), f"10.9.2.{n}"  # who reads the mail and has no second factor
        thief.post(RESET, {"email": alice.email}, REMOTE_ADDR=address)
        form = thief.get(link_in_mail(alice.email, "assword")).headers["Location"]
        password = f"the-good-one-of-round-{n}"
        new = {"password1": password, "password2": password}
        assert thief.post(form, new, REMOTE_ADDR=address).status_code == 302
        right = RIGHT | {"password": password}
        assert thief.post("/login/", right, REMOTE_ADDR=address).status_code == 302
        for _ in range(10):
            wrong = thief.post(f"{SECURITY}authenticate/", {"code": "000000"}, REMOTE_ADDR=address)
            answers.append(wrong.status_code)
    assert answers == [200] * 10 + [429] * 10


def test_the_signed_in_owner_proves_a_password_during_an_attack(alice: User, settings: Any) -> None:
    client = sign_in(Client(), "alice")
    del client.cookies[COOKIE]  # signed in before browsers were remembered
    attack()
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 0
    answer = client.post("/reauthenticate/?next=/settings/tokens/", {"password": "alice"})
    assert answer.headers["Location"] == "/settings/tokens/"


def test_spellings_of_one_name_share_its_tries(alice: User) -> None:
    names = ("alice", "ALICE", " alice ", "Alice")
    for n in range(12):
        form = WRONG | {"login": names[n % 4]}
        Client().post("/login/", form, REMOTE_ADDR=f"10.9.0.{n}")
    assert Client().post("/login/", RIGHT).status_code == 429


def test_an_unknown_name_is_slowed_down_like_a_known_one(db: None) -> None:
    assert attack(login="nobody") == [200] * 10 + [429] * 2


def test_device_codes_are_counted_for_the_person(alice: User, bob: User) -> None:
    guesser, owner = sign_in(Client(), "bob"), sign_in(Client(), "alice")
    answers = [guesser.post("/device/", {"code": "BBBB-BBBB"}) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429]
    assert "20 requests" in answers[-1].content.decode()
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    code = devices.begin(device_name="laptop").user_code
    assert "laptop" in owner.get("/device/", {"code": code}).content.decode()
    moved = guesser.get("/device/", {"code": code}, REMOTE_ADDR="10.9.0.1")
    assert "laptop" not in moved.content.decode()
    assert (moved.status_code, "Retry-After" in moved.headers) == (429, True)
    approved = guesser.post("/device/", {"code": code, "answer": "approve"})
    assert approved.status_code == 429
    assert guesser.get("/device/").status_code == 200  # the empty form counts for nothing


@pytest.mark.parametrize(
    ("path", "form", "times", "typed"),
    [
        ("/settings/tokens/", TOKEN, 30, "ci"),
        ("/settings/organisations/", {"name": "Not a name"}, 20, "Not a name"),
        ("/orgs/lab/invite/", {"to": "nobody", "role": "member"}, 30, "nobody"),
        ("/envs/alice/demo-env/report/", {"reason": "broken", "text": "It fails."}, 20, "It fails"),
    ],
)
def test_a_form_over_its_rate_answers_429_and_keeps_what_was_typed(
    lab: Organisation, path: str, form: dict[str, str], times: int, typed: str
) -> None:
    make_version(User.objects.get(username="alice"))
    client = sign_in(Client(), "alice")
    for _ in range(times):
        assert client.post(path, form).status_code != 429
    answer = client.post(path, form)
    assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)
    assert f"More than {times} requests" in answer.content.decode()
    assert typed in answer.content.decode()


@pytest.mark.parametrize("how", ["change", "reset", "staff"])
def test_a_new_password_ends_the_device_logins_that_were_confirmed_before(
    alice: User, root: User, how: str
) -> None:
    thief = sign_in(Client(), "alice")
    begun = devices.begin(device_name="thief")
    thief.post("/device/", {"code": begun.user_code, "answer": "approve"})
    owner, good = Client(), {"password1": "another-good-one", "password2": "another-good-one"}
    if how == "change":
        sign_in(owner, "alice").post("/password/change/", good | {"oldpassword": "alice"})
    elif how == "reset":
        owner.post(RESET, {"email": alice.email})
        owner.post(owner.get(link_in_mail(alice.email)).headers["Location"], good)
    else:
        path = f"/admin/registry/user/{alice.pk}/password/"
        set_now = good | {"usable_password": "true", "set-password": ""}
        sign_in(owner, "root").post(path, set_now)
    alice.refresh_from_db()
    assert alice.check_password("another-good-one")
    with pytest.raises(HubError) as over:
        devices.poll(device_code=begun.device_code)
    assert over.value.status == 410
    assert not alice.tokens.exists()


def test_first_token_after_signing_up_needs_no_second_password(db: None) -> None:
    client = Client()
    client.post("/signup/", NEW)
    assert "hub_" in client.post("/settings/tokens/", TOKEN).content.decode()
    assert COOKIE in client.cookies


@pytest.mark.parametrize(
    ("sent", "address"),
    [
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("1.2.3.4:5678", "1.2.3.4"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("unknown", "unknown"),
    ],
)
def test_one_client_has_one_address_however_a_proxy_writes_it(
    settings: Any, sent: str, address: str
) -> None:
    settings.HUB_PROXIES = 1
    request = RequestFactory().get("/", headers={"X-Forwarded-For": f"6.6.6.6, {sent}"})
    assert rate_limits.address(request) == address


def test_addresses_of_one_customer_share_the_tries_of_signing_in(alice: User, bob: User) -> None:
    for n in range(10):
        Client().post("/login/", WRONG, REMOTE_ADDR=f"2001:db8::{n:x}")
    form = {"login": "bob", "password": "bob"}
    assert Client().post("/login/", form, REMOTE_ADDR="2001:db8::ffff:1").status_code == 429
    assert Client().post("/login/", form, REMOTE_ADDR="2001:db8:0:1::1").status_code == 302
