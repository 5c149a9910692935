"""Environments and versions in prime's fields, and their permissions."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.test import Client

from registry.catalog import overlays, stars
from registry.models import Organisation, User, Version
from tests import wheels
from tests.factories import bearer, make_environment, make_version

HUB = "/api/v1/environmentshub"


def get(client: Client, at: str, user: User | None = None, **query: Any) -> Any:
    headers = bearer(user, "admin") if user else {}
    answer = client.get(f"{HUB}/{at}", query, headers=headers)
    return answer.status_code, answer.json()


def names(client: Client, user: User | None = None, **query: Any) -> list[str]:
    status, body = get(client, "", user, **query)
    assert status == 200, body
    return [f"{row['owner']['name']}/{row['name']}" for row in body["data"]]


def test_prime_environment_list_filters_sorts_and_pages(
    client: Client, alice: User, bob: User, lab: Organisation
) -> None:
    make_version(alice, "first-env", keywords=["math"])
    make_version(alice, "second-env", keywords=["math", "words"])
    make_version(lab, "hidden-env", visibility="private")
    stars.star(environment=make_environment(alice, "first-env"), by=bob)
    assert names(client) == ["alice/second-env", "alice/first-env"]
    assert names(client, sort_by="name", sort_order="asc")[0] == "alice/first-env"
    assert names(client, sort_by="stars")[0] == "alice/first-env"
    assert names(client, tags=["math", "words"]) == ["alice/second-env"]
    assert names(client, search="second") == ["alice/second-env"]
    assert names(client, owner="LAB") == []
    assert names(client, bob, visibility="PRIVATE") == ["lab/hidden-env"]
    assert names(client, bob, starred_only=True) == ["alice/first-env"]
    assert names(client, bob, mine_only="true") == ["lab/hidden-env"]
    status, body = get(client, "", limit=1, offset=1)
    assert (status, body["total_count"], len(body["data"])) == (200, 2, 1)
    assert names(client, owner="'; --") == []


@pytest.mark.parametrize(
    "query",
    [
        {"limit": 0},
        {"limit": 10**30},
        {"offset": -1},
        {"offset": "x"},
        {"sort_by": "id"},
        {"sort_order": "up"},
        {"visibility": "SECRET"},
        {"starred_only": "maybe"},
    ],
)
def test_prime_environment_list_names_the_invalid_parameter(
    client: Client, db: None, query: dict[str, Any]
) -> None:
    status, body = get(client, "", **query)
    assert status == 400
    assert next(iter(query)) in body["detail"]


def test_mine_only_and_starred_only_require_sign_in(client: Client, db: None) -> None:
    assert get(client, "", mine_only=True)[0] == 401
    assert get(client, "", starred_only=True)[0] == 401


def test_prime_version_is_found_by_latest_number_and_hash(client: Client, alice: User) -> None:
    old = make_version(alice, version="0.1.0")
    new = make_version(alice, version="0.2.0")
    for text, version in (
        ("latest", new),
        ("0.1.0", old),
        ("v0.1.0", old),
        (old.sha256, old),
        (old.sha256[:8], old),
    ):
        status, body = get(client, f"alice/demo-env/@{text}")
        assert (status, body["data"]["semantic_version"]) == (200, version.version), text
    for text in (old.sha256[:7] + "!", "0" * 64, "9" * 500, "../0.1.0", "%00", "0.9"):
        assert get(client, f"alice/demo-env/@{text}")[0] in (400, 404), text
    assert [row["version"] for row in get(client, "alice/demo-env/versions")[1]["data"]["versions"]]
    assert get(client, "alice/demo-env/status")[1]["data"]["latest_version"]["content_hash"] == (
        new.sha256
    )


def test_public_environment_is_installed_by_wheel_address_and_sha256(
    client: Client, alice: User
) -> None:
    """An index's address would be given to pip as --extra-index-url."""
    version = make_version(alice)
    for user in (None, alice):
        body = get(client, "alice/demo-env/@latest", user)[1]["data"]
        assert body["install_index_url"] is body["simple_index_url"] is None
        assert body["wheel_url"].endswith(f"{version.filename}#sha256={version.sha256}")
        assert "@" not in body["wheel_url"]


def test_wheel_address_of_a_private_environment_has_a_short_lived_credential(
    client: Client, bob: User, carol: User, lab: Organisation
) -> None:
    make_version(lab, visibility="private", wheel=wheels.make_wheel())
    assert get(client, "lab/demo-env/@latest")[0] == 404
    assert get(client, "lab/demo-env/@latest", carol)[0] == 404
    body = get(client, "lab/demo-env/@latest", bob)[1]["data"]
    parts = urlsplit(body["wheel_url"])
    assert parts.username == "__token__"
    headers = {"Authorization": f"Bearer {unquote(parts.password or '')}"}
    for path in ("/lab/simple/demo-env/", parts.path):
        assert client.head(path).status_code == 404
        assert client.head(path, headers=headers).status_code == 200


def test_unlisted_version_has_a_wheel_address_and_a_quarantined_one_has_none(
    client: Client, alice: User, root: User
) -> None:
    version = make_version(alice, status="rejected")
    body = get(client, "alice/demo-env/@0.1.0", alice)[1]["data"]
    assert "hublent_" in body["wheel_url"]
    overlays.quarantine(version=version, by=root, reason="x")
    body = get(client, "alice/demo-env/@0.1.0", alice)[1]["data"]
    assert "wheel_url" not in body
    assert get(client, "alice/demo-env/@0.1.0/inspect", alice)[0] in (403, 404)


def test_inspect_shows_a_wheel_as_a_tree_and_its_files(client: Client, alice: User) -> None:
    wheel = wheels.make_wheel(files={"demo_env/__init__.py": "A = 1\n", "demo_env/data/x.txt": "y"})
    make_version(alice, wheel=wheel)
    at = "alice/demo-env/@latest/inspect"
    root = get(client, at)[1]["data"]
    assert [(e["path"], e["is_directory"]) for e in root["entries"]] == [
        ("demo_env", True),
        ("demo_env-0.1.0.dist-info", True),
    ]
    assert [e["name"] for e in get(client, at, path="/demo_env/")[1]["data"]["entries"]] == [
        "data",
        "__init__.py",
    ]
    file = get(client, at, path="demo_env/__init__.py", max_bytes=3)[1]["data"]
    assert (file["kind"], file["content"], file["total_bytes"], file["truncated"]) == (
        *("file", "A =", 6),
        True,
    )


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"path": "../../etc/passwd"}, 400),
        ({"path": "demo_env/../.."}, 400),
        ({"path": "."}, 400),
        ({"path": "/etc/passwd"}, 404),
        ({"path": "no/such"}, 404),
        ({"path": "demo_env/__init__.py/x"}, 404),
        ({"path": "\\..\\x"}, 404),
        ({"path": "x" * 5000}, 404),
        ({"max_bytes": 0}, 400),
        ({"max_bytes": 500_001}, 400),
        ({"max_bytes": "1e9"}, 400),
    ],
)
def test_inspect_refuses_paths_outside_the_archive(
    client: Client, alice: User, query: dict[str, Any], status: int
) -> None:
    make_version(alice, wheel=wheels.make_wheel())
    assert get(client, "alice/demo-env/@latest/inspect", **query)[0] == status


def test_prime_deletion_requires_an_owner_and_is_final(
    client: Client, alice: User, bob: User, lab: Organisation
) -> None:
    version = make_version(lab)
    at = f"{HUB}/lab/demo-env/@{version.sha256[:12]}"
    assert client.delete(at).status_code == 401
    assert client.delete(at, headers=bearer(bob, "admin")).status_code == 403
    assert client.delete(at, headers=bearer(alice, "publish")).status_code == 403
    assert client.delete(at, headers=bearer(alice, "admin")).status_code == 200
    assert client.delete(at, headers=bearer(alice, "admin")).status_code == 404
    assert Version.objects.get().deleted_at is not None
    pk = make_environment(lab).pk
    for path in (f"{HUB}/env_{pk}", f"{HUB}/lab/demo-env"):
        assert client.delete(path, headers=bearer(bob, "admin")).status_code == 403
    assert client.delete(f"{HUB}/env_{pk}", headers=bearer(alice, "admin")).status_code == 200
    assert client.delete(f"{HUB}/lab/demo-env", headers=bearer(alice, "admin")).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "hosted-evaluations",
        "hosted-evaluations/x/logs",
        "secrets/",
        "environmentshub/env_1/secrets",
        "environmentshub/env_1/variables/x",
        "rft/models",
        "sandbox/x",
    ],
)
def test_prime_paths_that_the_hub_does_not_offer_are_refused(
    client: Client, db: None, path: str
) -> None:
    for answer in (
        client.get(f"/api/v1/{path}"),
        client.post(f"/api/v1/{path}", {}, content_type="application/json"),
    ):
        assert answer.status_code == 403
        assert "does not offer" in answer.json()["detail"]


def test_traces_are_refused_by_the_code_that_makes_verifiers_push_samples(
    client: Client, db: None
) -> None:
    answer = client.post("/api/v1/traces", b"{}", content_type="application/x-ndjson")
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "service_not_enabled"


def test_prime_whoami_teams_and_members_show_the_person(
    client: Client, alice: User, bob: User, carol: User, lab: Organisation
) -> None:
    headers = bearer(bob)
    me = client.get("/api/v1/user/whoami", headers=headers).json()["data"]
    assert (me["id"], me["slug"]) == ("bob", "bob")
    assert me["scope"]["environments"] == {"read": True, "write": False}
    teams = client.get("/api/v1/user/teams", headers=headers).json()
    assert [(t["slug"], t["role"]) for t in teams["data"]] == [("lab", "member")]
    members = client.get("/api/v1/teams/lab/members", headers=headers).json()["data"]
    assert [m["userId"] for m in members] == ["alice", "bob"]
    for team in ("lab", "alice", "nobody"):
        answer = client.get(f"/api/v1/teams/{team}/members", headers=bearer(carol))
        assert answer.status_code == 404
    assert client.get("/api/v1/user/whoami").status_code == 401


def test_whoami_hides_the_person_from_a_token_of_one_environment(
    client: Client, bob: User, lab: Organisation
) -> None:
    headers = bearer(bob, "read", make_version(lab, visibility="private").environment)
    assert client.get("/api/v1/user/whoami", headers=headers).json()["data"]["email"] is None
    assert client.get("/api/v1/user/teams", headers=headers).json()["data"] == []
    assert client.get("/api/v1/teams/lab/members", headers=headers).status_code == 404
    own = client.get("/api/v1/whoami/", headers=headers).json()
    assert (own["user"], own["owners"]) == ("bob", [])
