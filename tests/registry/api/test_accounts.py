"""Whoami, tokens and device login over the REST API."""

import json
import time
from typing import Any

import pytest
from django.test import Client, RequestFactory

from registry import rate_limits
from registry.accounts import devices, services, tokens
from registry.errors import HubError, NotFound
from registry.models import Organisation, Token, User
from tests.factories import bearer, make_version

pytestmark = pytest.mark.once

JSON = "application/json"
WHOAMI, TOKENS, LOGIN = "/api/v1/whoami/", "/api/v1/tokens/", "/api/v1/login/"


def test_whoami_names_the_person_their_owners_and_the_token(
    client: Client, lab: Organisation, bob: User
) -> None:
    answer = client.get(WHOAMI, headers=bearer(bob, "publish")).json()
    assert answer["user"] == "bob"
    assert answer["owners"] == [
        {"name": "bob", "kind": "user", "role": "owner"},
        {"name": "lab", "kind": "organisation", "role": "member"},
    ]
    token = answer["token"]
    assert (token["name"], token["scope"], token["environment"]) == ("test", "publish", None)


def test_whoami_shows_that_a_second_factor_is_missing(
    client: Client, bob: User, settings: Any
) -> None:
    headers = bearer(bob, "publish")
    assert client.get(WHOAMI, headers=headers).json()["publish_refusal"] is None
    settings.HUB_REQUIRE_MFA = "publish"
    refusal = client.get(WHOAMI, headers=headers).json()["publish_refusal"]
    assert refusal["code"] == "account.mfa_required"
    assert "/settings/security/" in refusal["hint"]


def test_a_browser_session_has_no_token_and_a_stranger_is_nobody(
    client: Client, alice: User
) -> None:
    refused = client.get(WHOAMI)
    assert refused.status_code == 401
    assert refused["WWW-Authenticate"].startswith("Bearer")
    client.force_login(alice)
    assert client.get(WHOAMI).json()["token"] is None


@pytest.mark.parametrize("sent", ["Bearer hub_x", "Bearer hubr_x", "Bearer", "Digest x", "Basic !"])
def test_a_token_that_is_not_good_is_401(client: Client, alice: User, sent: str) -> None:
    answer = client.get(WHOAMI, headers={"Authorization": sent})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token.invalid")


def test_a_token_is_minted_shown_once_listed_and_revoked(client: Client, alice: User) -> None:
    headers = bearer(alice, "admin")
    sent = {"name": "ci", "scope": "publish", "days": 30}
    response = client.post(TOKENS, sent, content_type=JSON, headers=headers)
    assert response.status_code == 201
    text = response.json()["token"]
    assert tokens.verify(text) is not None
    listed = client.get(TOKENS, headers=headers)
    assert [t["name"] for t in listed.json()["results"]] == ["ci", "test"]
    assert text not in listed.content.decode()
    gone = client.delete(f"{TOKENS}{response.json()['public_id']}/", headers=headers)
    assert (gone.status_code, tokens.verify(text)) == (204, None)
    assert client.delete(f"{TOKENS}nothing/", headers=headers).status_code == 404


def test_a_token_may_be_bound_to_an_environment_that_one_sees(
    client: Client, alice: User, carol: User
) -> None:
    make_version(alice)
    make_version(carol, "secret", visibility="private")
    headers = bearer(alice, "admin")
    sent = {"name": "ci", "scope": "publish", "environment": "alice/demo-env"}
    response = client.post(TOKENS, sent, content_type=JSON, headers=headers)
    assert response.json()["environment"] == "alice/demo-env"
    for ref, status in (("carol/secret", 404), ("demo-env", 400)):
        sent["environment"] = ref
        answer = client.post(TOKENS, sent, content_type=JSON, headers=headers)
        assert answer.status_code == status


@pytest.mark.parametrize("scope", ["read", "publish", "admin"])
def test_any_token_may_end_itself(client: Client, alice: User, scope: str) -> None:
    headers = bearer(alice, scope)
    assert client.delete(f"{TOKENS}current/", headers=headers).status_code == 204
    assert client.get(WHOAMI, headers=headers).status_code == 401
    client.force_login(alice)
    assert client.delete(f"{TOKENS}current/").status_code == 404


@pytest.mark.parametrize("scope", ["read", "publish"])
def test_a_lesser_token_cannot_make_or_revoke_tokens(
    client: Client, alice: User, scope: str
) -> None:
    headers = bearer(alice, scope)
    sent = {"name": "more", "scope": "admin"}
    assert client.post(TOKENS, sent, content_type=JSON, headers=headers).status_code == 403
    assert client.get(TOKENS, headers=headers).status_code == 403
    public_id = Token.objects.get().public_id
    assert client.delete(f"{TOKENS}{public_id}/", headers=headers).status_code == 403
    assert Token.objects.count() == 1


def test_a_session_needs_its_csrf_token_to_change_anything(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    sent = {"name": "x", "scope": "read"}
    answer = client.post(TOKENS, sent, content_type=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "request.forbidden")
    headers = bearer(alice, "admin")
    assert client.post(TOKENS, sent, content_type=JSON, headers=headers).status_code == 201


def test_a_session_makes_tokens_on_the_page_alone(client: Client, alice: User) -> None:
    client.force_login(alice)
    answer = client.post(TOKENS, {"name": "x", "scope": "read"}, content_type=JSON)
    assert answer.status_code == 403
    assert "Tokens page" in answer.json()["error"]["hint"]
    assert not Token.objects.exists()


@pytest.mark.parametrize(("sent", "days"), [({}, 90), ({"days": 7}, 7), ({"days": None}, None)])
def test_token_expires_after_90_days_by_default(
    client: Client, alice: User, sent: dict[str, Any], days: int | None
) -> None:
    fields = {"name": "ci", "scope": "read"} | sent
    body = client.post(TOKENS, fields, content_type=JSON, headers=bearer(alice, "admin")).json()
    token = Token.objects.get(public_id=body["public_id"])
    life = token.expires_at and round((token.expires_at - token.created_at).total_seconds() / 86400)
    assert life == days


def test_a_second_factor_that_is_missing_is_named(
    client: Client, alice: User, settings: Any
) -> None:
    headers = bearer(alice, "admin")
    settings.HUB_REQUIRE_MFA = "publish"
    for scope, status in (("read", 201), ("publish", 403), ("admin", 403)):
        fields = {"name": "ci", "scope": scope}
        answer = client.post(TOKENS, fields, content_type=JSON, headers=headers)
        assert answer.status_code == status
    assert answer.json()["error"]["code"] == "account.mfa_required"
    assert answer.json()["error"]["hint"].endswith("/settings/security/")


def test_making_tokens_is_slowed_down(client: Client, alice: User) -> None:
    headers = bearer(alice, "admin")
    fields = {"name": "ci", "scope": "read"}
    for _ in range(30):
        response = client.post(TOKENS, fields, content_type=JSON, headers=headers)
        assert response.status_code == 201
    answer = client.post(TOKENS, fields, content_type=JSON, headers=headers)
    assert answer.status_code == 429
    assert 3500 < int(answer["Retry-After"]) <= 3600  # counted from the first request


def test_a_device_signs_in_through_the_browser(client: Client, alice: User) -> None:
    begun = client.post(LOGIN, {"device_name": "laptop"}, content_type=JSON).json()
    assert begun["interval"] == 2
    assert begun["expires_in"] == 600
    assert begun["verification_url_complete"] == (
        f"{begun['verification_url']}?code={begun['user_code']}"
    )
    sent = {"device_code": begun["device_code"]}
    waiting = client.post(f"{LOGIN}poll/", sent, content_type=JSON)
    assert (waiting.status_code, waiting.json()) == (202, {"status": "pending"})
    devices.approve(user_code=begun["user_code"], user=alice)
    done = client.post(f"{LOGIN}poll/", sent, content_type=JSON)
    assert (done.status_code, done.json()["user"]) == (200, "alice")
    me = client.get(WHOAMI, headers={"Authorization": f"Bearer {done.json()['token']}"}).json()
    assert (me["user"], me["token"]["scope"]) == ("alice", "publish")
    assert client.post(f"{LOGIN}poll/", sent, content_type=JSON).status_code == 410


def test_poll_of_a_denied_device_is_403(client: Client, alice: User) -> None:
    begun = client.post(LOGIN, {"device_name": "laptop"}, content_type=JSON).json()
    devices.deny(user_code=begun["user_code"], user=alice)
    sent = {"device_code": begun["device_code"]}
    assert client.post(f"{LOGIN}poll/", sent, content_type=JSON).status_code == 403


@pytest.mark.parametrize(("endpoint", "times"), [("", 30), ("poll/", 240)])
def test_requests_over_the_rate_are_refused_until_its_time_ends(
    client: Client, db: None, endpoint: str, times: int
) -> None:
    for _ in range(times):
        answer = client.post(LOGIN + endpoint, {}, content_type=JSON)
        assert answer.status_code == 400
    answer = client.post(LOGIN + endpoint, {}, content_type=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "request.throttled")
    assert int(answer["Retry-After"]) > 0
    other = client.post(LOGIN + endpoint, {}, content_type=JSON, REMOTE_ADDR="10.0.0.9")
    assert other.status_code == 400


def test_an_address_is_taken_from_trusted_proxies_only(client: Client, settings: Any) -> None:
    request = RequestFactory().get("/", headers={"X-Forwarded-For": "6.6.6.6, 10.1.1.1"})
    settings.HUB_PROXIES = 0
    assert rate_limits.address(request) == "127.0.0.1"
    settings.HUB_PROXIES = 1
    assert rate_limits.address(request) == "10.1.1.1"
    settings.HUB_PROXIES = 3
    assert rate_limits.address(request) == "127.0.0.1"


def test_one_customers_ipv6_addresses_are_one_client() -> None:
    assert rate_limits.subnet("2001:db8:1:2:3::4") == rate_limits.subnet("2001:db8:1:2::1")
    assert rate_limits.subnet("2001:db8:1:3::1") != rate_limits.subnet("2001:db8:1:2::1")
    assert rate_limits.subnet("10.0.0.1") == "10.0.0.1"
    assert rate_limits.subnet("unknown") == "unknown"


@pytest.mark.parametrize(
    "sent", ["Basic", "Basic !", "Basic \u00e9", "Basic Og==", "Bearer \u00e9", "X y"]
)
def test_credentials_that_cannot_be_read_are_no_good(client: Client, db: None, sent: str) -> None:
    for path in ("/api/v1/whoami/", "/alice/simple/demo-env/", "/integrity/a/b/1/c/provenance"):
        answer = client.get(path, headers={"Authorization": sent})
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token.invalid"), path


def test_retry_after_is_what_is_left_of_the_window(client: Client, db: None) -> None:
    for _ in range(30):
        rate_limits.check(RequestFactory().post("/"), "device")
    with pytest.raises(HubError) as first:
        rate_limits.check(RequestFactory().post("/"), "device")
    time.sleep(2.1)
    with pytest.raises(HubError) as later:
        rate_limits.check(RequestFactory().post("/"), "device")
    seconds = first.value.details["retry_after"]
    assert seconds - 4 <= later.value.details["retry_after"] <= seconds - 2
    assert str(later.value.details["retry_after"]) in later.value.hint


@pytest.mark.parametrize("mark", ["\n", "\u202e", "\u2028"])
def test_names_of_devices_and_tokens_hold_no_invisible_characters(
    client: Client, alice: User, mark: str
) -> None:
    name = f"a{mark}b"
    answer = client.post(LOGIN, {"device_name": name}, content_type=JSON)
    assert answer.status_code == 400
    sent = {"name": name, "scope": "read"}
    headers = bearer(alice, "admin")
    answer = client.post("/api/v1/tokens/", sent, content_type=JSON, headers=headers)
    assert answer.status_code == 400
    assert not Token.objects.filter(name=name).exists()


def test_a_missing_csrf_token_is_named(alice: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    sent = {"name": "lab", "title": "Lab"}
    answer = browser.post("/api/v1/organisations/", sent, content_type=JSON)
    assert answer.status_code == 403
    assert "X-CSRFToken" in answer.json()["error"]["hint"]


def test_an_unknown_code_of_a_device_suggests_a_new_login(db: None) -> None:
    with pytest.raises(NotFound) as refused:
        devices.find(user_code="AAAA-AAAA")
    assert "hub login" in refused.value.hint


def test_a_misspelt_field_is_refused_and_not_ignored(client: Client, alice: User) -> None:
    headers = bearer(alice, "admin")
    for url, body, field in (
        ("tokens", {"name": "ci", "scope": "read", "enviroment": "alice/x"}, "enviroment"),
        ("environments", {"name": "new-env", "visbility": "private"}, "visbility"),
        ("organisations", {"name": "new-lab", "tittle": "x"}, "tittle"),
    ):
        answer = client.post(
            f"/api/v1/{url}/", json.dumps(body), content_type="application/json", headers=headers
        )
        error = answer.json()["error"]
        assert (answer.status_code, error["details"]) == (400, {"field": field})


def test_a_change_of_an_organisation_without_a_title_keeps_the_title(
    client: Client, alice: User
) -> None:
    headers = bearer(alice, "admin")
    services.create_organisation(name="deep-lab", title="Deep Lab", by=alice)
    url = "/api/v1/organisations/deep-lab/"
    for body in (dict[str, str](), {"name": "deeper-lab"}):
        answer = client.patch(
            url, json.dumps(body), content_type="application/json", headers=headers
        )
        assert answer.status_code == 400
    assert client.get(url).json()["title"] == "Deep Lab"
