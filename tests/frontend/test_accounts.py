"""Signing up, in and out, passwords, addresses and second factors."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core import mail
from django.test import Client

from registry.accounts import services
from registry.models import Event, Owner, User
from tests.frontend.people import LINK, flat, link_in_mail, sign_in, text
from tests.people import person

pytestmark = pytest.mark.once

LONG_EMAIL = f"a@{('b' * 62 + '.') * 4}example"
NEW = {"username": "dora", "email": "dora@example.com", "password1": "quite-a-long-one"}
SECURITY = "/settings/security/"
RESET = "/password/reset/"


def test_one_can_sign_up_sign_out_and_in(client: Client, db: None) -> None:
    answer = client.post("/signup/?next=/publish/", NEW)
    assert answer.headers["Location"] == "/publish/"
    assert "dora" in text(client, "/")
    assert Owner.objects.get(name="dora").user == User.objects.get()
    assert Event.objects.filter(verb="user.registered").exists()
    client.post("/logout/")
    assert "Sign in" in text(client, "/")
    form = {"login": "dora", "password": NEW["password1"]}
    answer = client.post("/login/?next=//evil.example/", form)
    assert answer.headers["Location"] == "/"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"username": "alice"}, "is taken"),
        ({"username": "Al ice"}, "lower-case letters"),
        ({"username": "admin"}, "reserved"),
        ({"username": "confirm-email"}, "reserved"),
        ({"password1": "123"}, "too short"),
        ({"email": LONG_EMAIL}, "is not an email address"),
        ({"email": "nobody"}, "valid email address"),
    ],
)
def test_a_refused_sign_up_names_field_and_rule(
    client: Client, alice: User, change: dict[str, str], message: str
) -> None:
    answer = client.post("/signup/", NEW | change)
    assert message in answer.content.decode()
    assert User.objects.get() == alice


def test_signing_up_does_not_reveal_a_registered_address(client: Client, alice: User) -> None:
    answer = client.post("/signup/", NEW | {"email": alice.email})
    assert answer.status_code == 302
    assert User.objects.count() == 2


def test_signing_in_leads_back_to_the_whole_address(client: Client, alice: User) -> None:
    answer = client.get("/envs/?mine=1&q=word")
    assert answer.headers["Location"] == "/login/?next=/envs/%3Fmine%3D1%26q%3Dword"
    answer = client.post(answer.headers["Location"], {"login": "alice", "password": "alice"})
    assert answer.headers["Location"] == "/envs/?mine=1&q=word"


def test_guessing_passwords_is_slowed_down(client: Client, alice: User, bob: User) -> None:
    for _ in range(10):
        client.post("/login/", {"login": "alice", "password": "guess"})
    right = {"login": "alice", "password": "alice"}
    answer = client.post("/login/", right)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "300")
    assert "Try again in 5 minutes" in answer.content.decode()
    assert "from a browser that you signed in from before" in flat(answer)
    assert client.post("/login/", right, REMOTE_ADDR="10.0.0.9").status_code == 429
    others = {"login": "bob", "password": "bob"}
    assert client.post("/login/", others).status_code == 429
    assert client.post("/login/", others, REMOTE_ADDR="10.0.0.9").status_code == 302


def test_behind_a_proxy_its_clients_are_slowed_down_one_by_one(
    client: Client, settings: Any, alice: User, bob: User
) -> None:
    settings.HUB_PROXIES = 1
    guess = {"login": "alice", "password": "guess"}
    for _ in range(10):
        client.post("/login/", guess, headers={"X-Forwarded-For": "6.6.6.6, 10.1.1.1"})
    form = {"login": "bob", "password": "bob"}
    answer = client.post("/login/", form, headers={"X-Forwarded-For": "7.7.7.7, 10.1.1.1"})
    assert answer.status_code == 429
    answer = client.post("/login/", form, headers={"X-Forwarded-For": "10.1.1.2"})
    assert answer.status_code == 302


@pytest.mark.parametrize(
    ("path", "times", "form"),
    [("/signup/", 10, {}), (RESET, 3, {"email": "a@example.com"})],
)
def test_other_doors_are_slowed_down_too(
    client: Client, db: None, path: str, times: int, form: dict[str, str]
) -> None:
    for _ in range(times):
        assert client.post(path, form).status_code != 429
    answer = client.post(path, form)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "300")
    assert "If this is your account" not in answer.text
    assert ("Reset links of the last three days remain valid" in answer.text) == (path == RESET)


def test_a_lost_password_is_replaced_through_the_mail_that_was_written_to_a_file(
    client: Client, alice: User, settings: Any, tmp_path: Path
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = tmp_path
    known = client.post(RESET, {"email": "alice@example.com"}, headers={"Host": "localhost"})
    unknown = client.post(RESET, {"email": "nobody@example.com"})
    assert known.headers["Location"] == unknown.headers["Location"] == f"{RESET}done/"
    assert "If an account has this address" in client.get(f"{RESET}done/").content.decode()
    letters = [file.read_text() for file in sorted(tmp_path.iterdir())]
    assert len(letters) == 2
    written = next(letter for letter in letters if "To: alice@" in letter)
    link = next(link for link in LINK.findall(written) if "/key/" in link)
    assert link.startswith(f"{settings.HUB_URL}/password/reset/key/")
    path = link.removeprefix(settings.HUB_URL)
    form = client.get(path, follow=True)
    assert "New password" in form.content.decode()
    new = {"password1": "a-wholly-new-one", "password2": "a-wholly-new-one"}
    done = flat(client.post(form.request["PATH_INFO"], new, follow=True))
    assert '<a href="/login/">Sign in</a> with the new one' in done
    sign_in(client, "alice", "a-wholly-new-one")
    assert Event.objects.filter(verb="account.password_reset", owner=alice.owner).exists()
    assert "This link is not valid" in client.get(path, follow=True).content.decode()


def test_an_address_changes_once_the_new_one_was_confirmed(client: Client, db: None) -> None:
    user = services.register(
        username="dora", email="dora@example.com", password="quite-a-long-one", verified=True
    )
    sign_in(client, "dora", "quite-a-long-one")
    client.post("/email/", {"email": "new@example.com", "action_add": ""})
    user.refresh_from_db()
    assert user.email == "dora@example.com"
    assert "when you open the link" in text(client, "/email/")
    client.post(link_in_mail("new@example.com"))
    user.refresh_from_db()
    assert user.email == "new@example.com"
    assert EmailAddress.objects.get(user=user).verified
    assert "new@example.com" in str(mail.outbox[-1].body)
    assert mail.outbox[-1].to == ["dora@example.com"]


def test_the_reset_mail_of_a_closed_account_does_not_deny_that_it_existed(
    client: Client, db: None
) -> None:
    password = "quite-a-long-one"
    user = services.register(
        username="dora", email="dora@example.com", password=password, verified=True
    )
    User.objects.filter(pk=user.pk).update(is_active=False)
    mail.outbox.clear()
    client.post(RESET, {"email": "dora@example.com"})
    (message,) = mail.outbox
    text = " ".join(str(message.body).split())
    assert "do not have any record" not in text
    assert "no active account with the address dora@example.com" in text
    assert "closed" in text
    assert "/password/reset/key/" not in text


def test_an_address_signs_nobody_in(client: Client, db: None) -> None:
    services.register(
        username="dora", email="dora@example.com", password="quite-a-long-one", verified=True
    )
    client.post("/login/", {"login": "dora@example.com", "password": "quite-a-long-one"})
    assert "_auth_user_id" not in client.session


def test_where_addresses_must_be_confirmed_nobody_enters_before(
    client: Client, db: None, settings: Any
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    client.post("/signup/", NEW)
    assert "_auth_user_id" not in client.session
    client.post(link_in_mail("dora@example.com"))
    sign_in(client, "dora", NEW["password1"])


def code(secret: str) -> str:
    """What an authenticator app shows now."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def add_totp(client: Client) -> str:
    """Activate an authenticator app as a person does; the secret that it holds."""
    page = text(client, f"{SECURITY}totp/activate/")
    secret = re.search(r'id="authenticator_secret"[^>]*value="(\w+)"', page)
    assert secret
    answer = client.post(f"{SECURITY}totp/activate/", {"code": code(secret[1])})
    assert answer.headers["Location"] == f"{SECURITY}recovery-codes/"
    return secret[1]


@pytest.mark.django_db(transaction=True)
def test_next_sign_in_requires_the_authenticator_code(client: Client) -> None:
    alice = person("alice")
    sign_in(client, "alice")
    secret = add_totp(client)
    assert "Authenticator App Activated" in mail.outbox[-1].subject
    assert Event.objects.filter(verb="account.totp_activated", owner=alice.owner).exists()
    codes = re.findall(r"\b\d{8}\b", text(client, f"{SECURITY}recovery-codes/"))
    assert len(codes) == 10
    client.post("/logout/")
    response = client.post("/login/?next=/publish/", {"login": "alice", "password": "alice"})
    assert response.headers["Location"].startswith(f"{SECURITY}authenticate/")
    assert "_auth_user_id" not in client.session
    wrong = client.post(f"{SECURITY}authenticate/", {"code": "000000"})
    assert "Incorrect code" in wrong.content.decode()
    client.get("/logout/")
    used = client.post(f"{SECURITY}authenticate/", {"code": code(secret)})
    assert "Incorrect code" in used.content.decode()
    done = client.post(f"{SECURITY}authenticate/", {"code": codes[0]})
    assert done.headers["Location"] == "/publish/"


def test_the_code_that_activated_an_app_is_used_up(client: Client, alice: User) -> None:
    while time.time() % 30 > 25:  # a code of the next half minute would be another one
        time.sleep(0.5)
    sign_in(client, "alice")
    secret = add_totp(client)
    other = Client()
    other.post("/login/", {"login": "alice", "password": "alice"})
    answer = other.post(f"{SECURITY}authenticate/", {"code": code(secret)})
    assert "Incorrect code" in answer.content.decode()
    assert "_auth_user_id" not in other.session


def test_guessing_codes_is_slowed_down(client: Client, alice: User) -> None:
    sign_in(client, "alice")
    add_totp(client)
    client.post("/logout/")
    client.post("/login/", {"login": "alice", "password": "alice"})
    for _ in range(10):
        client.post(f"{SECURITY}authenticate/", {"code": "000000"})
    answer = client.post(f"{SECURITY}authenticate/", {"code": "000000"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "300")
    assert "sign in with a security key" in flat(answer)
    assert "reset your password" not in answer.text


def test_dangerous_actions_require_the_password_again(
    client: Client, alice: User, settings: Any
) -> None:
    client.force_login(alice)  # a session of yesterday
    for path in (f"{SECURITY}totp/activate/", f"{SECURITY}webauthn/add/"):
        answer = client.get(path)
        assert answer.headers["Location"].startswith("/reauthenticate/?next=")
    form = {"name": "ci", "scope": "publish", "environment": "", "days": "90"}
    response = client.post("/settings/tokens/", form)
    assert not alice.tokens.exists()
    done = client.post(response.headers["Location"], {"password": "alice"})
    assert "hub_" in done.content.decode()
    assert alice.tokens.get().name == "ci"
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 0
    assert client.post("/settings/tokens/", form).status_code == 302


def test_staff_screens_are_behind_the_same_door(client: Client, root: User) -> None:
    answer = client.get("/admin/login/?next=/admin/")
    assert answer.headers["Location"].startswith("/login/?next=")
    sign_in(client, "root")
    text(client, "/admin/")


def test_every_settings_page_opens(client: Client, alice: User) -> None:
    sign_in(client, "alice")
    page = text(client, "/settings/tokens/")
    for path in re.findall(r'href="([^"]+)"', page[page.index('aria-label="Settings"') :])[:6]:
        assert 'aria-current="page"' in text(client, path), path
    for path in ("totp/activate/", "webauthn/add/", "webauthn/", "recovery-codes/"):
        client.get(f"{SECURITY}{path}")


def test_pages_that_need_a_second_factor_name_the_missing_one(
    client: Client, alice: User, settings: Any
) -> None:
    settings.HUB_REQUIRE_MFA = "publish"
    sign_in(client, "alice")
    form = {"name": "ci", "scope": "publish", "environment": "", "days": "90"}
    page = client.post("/settings/tokens/", form).content.decode()
    assert "alice has none" in page
    assert f'href="{SECURITY}"' in page
    add_totp(client)
    assert "hub_" in client.post("/settings/tokens/", form).content.decode()
