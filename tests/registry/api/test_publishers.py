"""Trusted publishers and their exchange of tokens over HTTP."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts import tokens
from registry.models import Environment, Organisation, TrustedPublisher, User, Version
from tests.factories import bearer, make_environment
from tests.frontend.people import sign_in
from tests.registry.api.workflows import MINT, mint, upload
from tests.registry.publishers.conftest import FIELDS, issuer, publisher
from tests.registry.publishers.issuer import Issuer
from tests.wheels import make_wheel

__all__ = ["issuer"]

pytestmark = pytest.mark.once
AT = "/api/v1/environments/alice/demo-env/publishers/"
GITHUB = {"kind": "github", **FIELDS}


def test_a_workflow_gets_its_token_in_pypis_own_shape(
    client: Client, issuer: Issuer, alice: User
) -> None:
    publisher(make_environment(alice), alice)
    answer = mint(client, issuer)
    body = answer.json()
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    token = tokens.verify(body["token"])
    assert token is not None
    assert token.expires_at is not None
    assert body["success"] is True
    assert body["expires"] == int(token.expires_at.timestamp())
    older = {"token": issuer.token("http://127.0.0.1:8000")}
    assert client.post("/_/oidc/github/mint-token", older, "application/json").status_code == 200


def test_a_refusal_has_pypis_shape_and_ours(client: Client, issuer: Issuer) -> None:
    answer = mint(client, issuer)
    body = answer.json()
    assert answer.status_code == 422
    assert body["message"] == "Token request failed"
    assert body["errors"][0]["code"] == body["error"]["code"] == "publisher.no_match"
    assert "Lab/envs" in body["errors"][0]["description"]


@pytest.mark.parametrize(
    "body",
    ["", "{}", "[]", "7", '{"token": 7}', '{"token": "\\ud800"}', '{"token": "é"}', "x" * 99999],
)
def test_what_is_no_identity_token_is_refused(client: Client, db: None, body: str) -> None:
    answer = client.generic("POST", MINT, body, "application/json")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["code"] == "request.invalid"


def test_the_exchange_is_throttled(client: Client, issuer: Issuer) -> None:
    codes = [client.generic("POST", MINT, "{}").status_code for _ in range(2 * 60 + 1)]
    assert codes[0] == 422
    assert 429 in codes  # the counted minute may end in between, once


def test_maintainers_list_add_and_remove_publishers(
    client: Client, issuer: Issuer, alice: User
) -> None:
    make_environment(alice)
    admin = bearer(alice, "admin")
    body = client.post(AT, GITHUB, "application/json", headers=admin)
    assert body.status_code == 201
    assert body.json() | {"added_at": "", "id": 0} == {
        "id": 0,
        "environment": "alice/demo-env",
        "pending": False,
        "kind": "github",
        "issuer": issuer.url,
        "claims": {"ci_environment": "", "owner_id": "", **FIELDS},
        "added_by": "alice",
        "added_at": "",
        "last_used_at": None,
    }
    [listed] = client.get(AT, headers=admin).json()["results"]
    assert listed == body.json()
    assert client.post(AT, GITHUB, "application/json", headers=admin).status_code == 409
    assert client.delete(f"{AT}{listed['id']}/", headers=admin).status_code == 204
    assert client.delete(f"{AT}{listed['id']}/", headers=admin).status_code == 404


def test_pending_publishers_stand_under_their_owner(
    client: Client, issuer: Issuer, alice: User
) -> None:
    at, admin = "/api/v1/owners/alice/publishers/", bearer(alice, "admin")
    body = client.post(at, GITHUB | {"name": "later"}, "application/json", headers=admin).json()
    assert (body["environment"], body["pending"]) == ("alice/later", True)
    assert client.get(at, headers=admin).json()["results"] == [body]
    assert not Environment.objects.exists()
    assert client.delete(f"{at}{body['id']}/", headers=admin).status_code == 204


def test_others_neither_see_nor_change_publishers(
    client: Client, issuer: Issuer, lab: Organisation, alice: User, bob: User, carol: User
) -> None:
    environment = make_environment(lab, visibility="private")
    trusted = publisher(environment, alice)
    at = "/api/v1/environments/lab/demo-env/publishers/"
    requests = [
        (bearer(carol, "admin"), 404),
        (bearer(bob, "admin"), 403),
        (bearer(alice, "publish"), 403),
        ({}, 404),
    ]
    for headers, status in requests:
        for answer in (
            client.get(at, headers=headers),
            client.post(at, GITHUB, "application/json", headers=headers),
            client.delete(f"{at}{trusted.pk}/", headers=headers),
        ):
            assert answer.status_code == status
    other = make_environment(alice)
    assert client.delete(f"{AT}{trusted.pk}/", headers=bearer(alice, "admin")).status_code == 404
    assert other.publishers.count() == 0
    pending = client.get("/api/v1/owners/lab/publishers/", headers=bearer(bob, "admin"))
    assert pending.status_code == 403
    assert TrustedPublisher.objects.count() == 1


@pytest.mark.parametrize(
    "claims",
    [{"a\0b": "x"}, {"\ud800": "x"}, {str(n): "x" * 255 for n in range(12)}, {"x" * 9000: "x"}],
)
def test_claims_that_no_publisher_needs_are_refused(
    client: Client, issuer: Issuer, alice: User, settings: Any, claims: dict[str, str]
) -> None:
    settings.HUB_OIDC_ISSUERS = {issuer.url: "other"}
    at, admin = "/api/v1/owners/alice/publishers/", bearer(alice, "admin")
    fields = {"kind": "other", "name": "later", "sub": "build:7", "claims": claims}
    answer = client.post(at, fields, "application/json", headers=admin)
    assert (answer.status_code, answer.json()["error"]["details"]["field"]) == (400, "claims")
    assert not TrustedPublisher.objects.exists()


def test_a_list_of_publishers_costs_no_query_for_each(
    client: Client, lab: Organisation, alice: User, django_assert_max_num_queries: Any
) -> None:
    environment, admin = make_environment(lab), bearer(alice, "admin")
    for to, at in (
        (environment, "/api/v1/environments/lab/demo-env/publishers/"),
        (lab.owner, "/api/v1/owners/lab/publishers/"),
    ):
        for number in range(12):
            fields = FIELDS | {"workflow": f"p{number}.yml"}
            publisher(to, alice, fields=fields, **({} if to is environment else {"name": "later"}))
        with django_assert_max_num_queries(11):
            assert len(client.get(at, headers=admin).json()["results"]) == 12


def test_only_ones_own_tokens_are_listed(client: Client, issuer: Issuer, alice: User) -> None:
    publisher(make_environment(alice), alice)
    mint(client, issuer)
    admin = bearer(alice, "admin")
    [listed] = client.get("/api/v1/tokens/", headers=admin).json()["results"]
    assert listed["scope"] == "admin"


def test_a_token_of_several_people_is_nobodys_name(
    client: Client, issuer: Issuer, alice: User, carol: User
) -> None:
    publisher(make_environment(carol), carol)  # a stranger who names the same workflow, before her
    publisher(make_environment(alice), alice)
    text = mint(client, issuer).json()["token"]
    headers = {"Authorization": f"Bearer {text}"}
    for answer in (
        client.get("/api/v1/whoami/", headers=headers),
        client.get("/api/v1/user/whoami", headers=headers),
        client.post(
            "/api/v1/environmentshub/resolve",
            {"name": "demo-env"},
            "application/json",
            headers=headers,
        ),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "request.conflict")
    assert upload(client, text, make_wheel()).status_code == 200
    assert Version.objects.get().uploaded_by == alice


@pytest.mark.parametrize("pending", [True, False])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"repository": "lab/envs"}, {"repository": "LAB/envs"}),
        ({"ci_environment": "Release"}, {"ci_environment": "release"}),
    ],
)
def test_a_publisher_is_not_added_again_in_other_letter_case(
    client: Client,
    issuer: Issuer,
    alice: User,
    pending: bool,
    first: dict[str, str],
    second: dict[str, str],
) -> None:
    if not pending:
        make_environment(alice)
    at = "/api/v1/owners/alice/publishers/" if pending else AT
    admin, name = bearer(alice, "admin"), {"name": "later"} if pending else {}
    added = client.post(at, GITHUB | name | first, "application/json", headers=admin)
    assert added.status_code == 201
    again = client.post(at, GITHUB | name | second, "application/json", headers=admin)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "request.conflict")
    assert TrustedPublisher.objects.count() == 1


@pytest.mark.parametrize("mark", ["\n", "\r", "\t", "\x7f", "\u202e", "\u200b", "\u2028"])
@pytest.mark.parametrize("field", ["repository", "workflow", "ci_environment", "owner_id"])
def test_fields_of_publishers_hold_no_invisible_characters(
    client: Client, issuer: Issuer, alice: User, field: str, mark: str
) -> None:
    make_environment(alice)
    bad = GITHUB | {field: f"a{mark}b"}
    answer = client.post(AT, bad, "application/json", headers=bearer(alice, "admin"))
    assert (answer.status_code, answer.json()["error"]["details"]["field"]) == (400, field)


@pytest.mark.parametrize("name", ["torch", "Torch", "simple", "json", "demo-env", "Demo_Env"])
def test_a_pending_publisher_waits_only_for_a_name_that_can_be_had(
    client: Client, issuer: Issuer, alice: User, name: str
) -> None:
    make_environment(alice)
    at, admin = "/api/v1/owners/alice/publishers/", bearer(alice, "admin")
    answer = client.post(at, GITHUB | {"name": name}, "application/json", headers=admin)
    assert answer.status_code in (400, 409)
    assert answer.json()["error"]["details"]["field"] == "name"
    assert not TrustedPublisher.objects.exists()


def test_pending_publisher_moves_to_the_environment_that_its_upload_creates(
    client: Client, issuer: Issuer, alice: User
) -> None:
    trusted = publisher(alice.owner, alice, name="demo-env")
    make_environment(alice)
    admin = bearer(alice, "admin")
    listed = client.get(AT, headers=admin).json()["results"]
    assert [(row["id"], row["pending"]) for row in listed] == [(trusted.pk, True)]
    sign_in(client, "alice")
    page = client.get("/envs/alice/demo-env/settings/publishers/").content.decode()
    assert f"/{trusted.pk}/remove/" in page
    assert client.delete(f"{AT}{trusted.pk}/", headers=admin).status_code == 204
    assert not TrustedPublisher.objects.exists()
