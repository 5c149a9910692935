"""Trusted publishing, provenance and leaked tokens over HTTP."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from registry.accounts import tokens
from registry.index import content
from registry.models import Environment, Event, Organisation, Token, TrustedPublisher, User, Version
from tests.factories import bearer, make_environment, make_version
from tests.registry.attestations.sigstore_here import Signer, Sigstore, statement
from tests.registry.publishers.conftest import FIELDS, issuer, publisher
from tests.registry.publishers.issuer import Issuer
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel

__all__ = ["issuer"]
MINT = "/_/oidc/mint-token"
AT = "/api/v1/environments/alice/demo-env/publishers/"
GITHUB = {"kind": "github", **FIELDS}


def mint(client: Client, issuer: Issuer, **claims: Any) -> Any:
    audience = client.get("/_/oidc/audience").json()["audience"]
    return client.generic("POST", MINT, json.dumps({"token": issuer.token(audience, **claims)}), "")


def test_a_workflow_gets_its_token_in_pypis_own_shape(
    client: Client, issuer: Issuer, alice: User
) -> None:
    publisher(make_environment(alice), alice)
    answer = mint(client, issuer)
    said = answer.json()
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    token = tokens.verify(said["token"])
    assert token is not None
    assert token.expires_at is not None
    assert said["success"] is True
    assert said["expires"] == int(token.expires_at.timestamp())
    older = {"token": issuer.token("http://127.0.0.1:8000")}
    assert client.post("/_/oidc/github/mint-token", older, "application/json").status_code == 200


def test_a_refusal_has_pypis_shape_and_ours(client: Client, issuer: Issuer) -> None:
    answer = mint(client, issuer)
    said = answer.json()
    assert answer.status_code == 422
    assert said["message"] == "Token request failed"
    assert said["errors"][0]["code"] == said["error"]["code"] == "publisher.no_match"
    assert "Lab/envs" in said["errors"][0]["description"]


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
    made = client.post(AT, GITHUB, "application/json", headers=admin)
    assert made.status_code == 201
    assert made.json() | {"added_at": "", "id": 0} == {
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
    assert listed == made.json()
    assert client.post(AT, GITHUB, "application/json", headers=admin).status_code == 409
    assert client.delete(f"{AT}{listed['id']}/", headers=admin).status_code == 204
    assert client.delete(f"{AT}{listed['id']}/", headers=admin).status_code == 404


def test_pending_publishers_stand_under_their_owner(
    client: Client, issuer: Issuer, alice: User
) -> None:
    at, admin = "/api/v1/owners/alice/publishers/", bearer(alice, "admin")
    made = client.post(at, GITHUB | {"name": "later"}, "application/json", headers=admin).json()
    assert (made["environment"], made["pending"]) == ("alice/later", True)
    assert client.get(at, headers=admin).json()["results"] == [made]
    assert not Environment.objects.exists()
    assert client.delete(f"{at}{made['id']}/", headers=admin).status_code == 204


def test_others_neither_see_nor_change_publishers(
    client: Client, issuer: Issuer, lab: Organisation, alice: User, bob: User, carol: User
) -> None:
    environment = make_environment(lab, visibility="private")
    made = publisher(environment, alice)
    at = "/api/v1/environments/lab/demo-env/publishers/"
    asked = [
        (bearer(carol, "admin"), 404),
        (bearer(bob, "admin"), 403),
        (bearer(alice, "publish"), 403),
        ({}, 404),
    ]
    for headers, status in asked:
        for answer in (
            client.get(at, headers=headers),
            client.post(at, GITHUB, "application/json", headers=headers),
            client.delete(f"{at}{made.pk}/", headers=headers),
        ):
            assert answer.status_code == status
    other = make_environment(alice)
    assert client.delete(f"{AT}{made.pk}/", headers=bearer(alice, "admin")).status_code == 404
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
    said = {"kind": "other", "name": "later", "sub": "build:7", "claims": claims}
    answer = client.post(at, said, "application/json", headers=admin)
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


def upload(client: Client, token: str, data: bytes, **fields: str) -> Any:
    form = form_of(data) | {name: [value] for name, value in fields.items()}
    return client.post(
        "/legacy/alice/",
        {**form, "content": SimpleUploadedFile(filename(), data)},
        headers={"Authorization": f"Bearer {token}"},
    )


@pytest.fixture
def published(
    client: Client, issuer: Issuer, alice: User, settings: Any, tmp_path: Path
) -> Version:
    """alice/demo-env==0.1.0 with an attestation, by a trusted publisher."""
    sigstore = Sigstore()
    settings.HUB_SIGSTORE_TRUST = str(sigstore.root(tmp_path))
    publisher(alice.owner, alice, name="demo-env")
    data = make_wheel()
    payload = statement(filename(), hashlib.sha256(data).hexdigest())
    attestation = sigstore.attest(payload, Signer(issuer.url, issuer.url))
    text = mint(client, issuer).json()["token"]
    answer = upload(client, text, data, attestations=json.dumps([attestation]))
    assert answer.status_code == 200, answer.content
    return Version.objects.select_related("environment__owner").get()


def provenance(version: Version) -> str:
    environment = version.environment
    place = f"{environment.owner}/{environment.name}/{version.version}/{version.filename}"
    return f"/integrity/{place}/provenance"


def test_a_version_shows_where_it_comes_from(
    client: Client, published: Version, alice: User, issuer: Issuer
) -> None:
    assert published.uploaded_by == alice
    assert published.published_with["workflow"] == "publish.yml"
    said = client.get(
        "/api/v1/environments/alice/demo-env/versions/0.1.0/", headers=bearer(alice)
    ).json()
    assert said["published_with"]["repository"] == "Lab/envs"
    assert said["provenance"] == f"http://127.0.0.1:8000{provenance(published)}"
    answer = client.get(provenance(published), headers=bearer(alice))
    assert answer["Content-Type"] == "application/vnd.pypi.integrity.v1+json"
    [bundle] = answer.json()["attestation_bundles"]
    assert bundle["publisher"]["repository"] == "Lab/envs"
    again = client.get(
        provenance(published), headers=bearer(alice) | {"If-None-Match": answer["ETag"]}
    )
    assert again.status_code == 304


def test_the_index_tells_where_the_provenance_is(published: Version, alice: User) -> None:
    make_version(alice, version="0.2.0")
    Version.objects.update(status="listed", listed_at=published.uploaded_at)
    [first, second] = content.environment(published.environment)["files"]
    assert first["provenance"] == f"http://127.0.0.1:8000{provenance(published)}"
    assert "provenance" not in second


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


def test_provenance_is_negotiated_and_shown_to_whom_the_file_is(
    client: Client, published: Version, alice: User, carol: User
) -> None:
    at = provenance(published)
    asked = {
        "application/vnd.pypi.integrity.v1+json": 200,
        "application/json": 200,
        "*/*": 200,
        "text/html": 406,
    }
    for accept, status in asked.items():
        headers = bearer(alice) | {"Accept": accept}
        answer = client.get(at, headers=headers)
        assert answer.status_code == status
        assert "public" not in answer["Cache-Control"]  # strangers may not see it yet
    assert client.get(at, headers=bearer(carol)).status_code == 404  # it is not listed yet
    assert client.get(at).status_code == 404
    assert client.get(at.replace("0.1.0/", "0.2.0/"), headers=bearer(alice)).status_code == 404
    Version.objects.update(status="listed", listed_at=published.uploaded_at)
    public = client.get(at)
    assert public.status_code == 200
    assert public["Cache-Control"].startswith("public")
    Version.objects.update(quarantined_at=published.uploaded_at)
    assert client.get(at, headers=bearer(alice)).status_code == 404


def test_a_version_without_attestations_has_no_provenance(client: Client, alice: User) -> None:
    version = make_version(alice)
    assert client.get(provenance(version)).status_code == 404
    said = client.get("/api/v1/environments/alice/demo-env/versions/0.1.0/").json()
    assert (said["provenance"], said["published_with"]) == (None, None)


def test_a_wheel_with_a_bad_attestation_is_refused_whole(
    client: Client, issuer: Issuer, alice: User
) -> None:
    publisher(make_environment(alice), alice)
    token = mint(client, issuer).json()["token"]
    answer = upload(client, token, make_wheel(), attestations='[{"version": 1}]')
    assert answer.status_code == 400
    assert b"attestation.unreadable" in answer.content
    own = tokens.mint(user=alice, name="own", scope="publish")[1]
    answer = upload(client, own, make_wheel(), attestations='[{"version": 1}]')
    assert b"attestation.no_publisher" in answer.content
    assert not Version.objects.exists()


def test_github_reports_leaked_tokens_and_learns_which_were_ours(
    client: Client, alice: User
) -> None:
    text = tokens.mint(user=alice, name="laptop", scope="publish")[1]
    url = "https://github.com/lab/envs/blob/main/.env"
    found = [
        {"token": text, "type": "hub_token", "url": url, "source": "content"},
        {"token": "hub_none", "type": "hub_token", "url": "", "source": "content"},
    ]
    answer = client.post("/api/v1/leaks/", found, "application/json")
    assert [one["label"] for one in answer.json()] == ["true_positive", "false_positive"]
    assert answer.json()[0] == {
        "token_raw": text,
        "token_type": "hub_token",
        "label": "true_positive",
    }
    token = Token.objects.get()
    assert token.revoked_because == f"leaked: {url}"
    assert Event.objects.filter(verb="token.leaked").count() == 1


def test_anybody_ends_a_token_that_they_can_show(client: Client, alice: User) -> None:
    text = tokens.mint(user=alice, name="laptop", scope="read")[1]
    said = {"token": text, "where": "a screenshot"}
    for _ in range(2):
        answer = client.post("/api/v1/leaks/", said, "application/json")
        assert (answer.status_code, answer.json()) == (200, {"revoked": True})
    other = client.post("/api/v1/leaks/", {"token": "hub_x"}, "application/json")
    assert other.json() == {"revoked": False}
    assert tokens.verify(text) is None


@pytest.mark.parametrize("body", [[], [7], [{"token": 7}], {"token": ""}, {}, [{}] * 101])
def test_an_odd_report_of_a_leak_is_refused(client: Client, db: None, body: Any) -> None:
    answer = client.post("/api/v1/leaks/", body, "application/json")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "request.invalid"


def test_reports_of_leaks_are_throttled(client: Client, db: None) -> None:
    cache.clear()
    codes = {
        client.post("/api/v1/leaks/", {"token": "hub_x"}, "application/json").status_code
        for _ in range(2 * 60 + 1)
    }
    assert codes == {200, 429}  # the counted minute may end in between, once
    cache.clear()
