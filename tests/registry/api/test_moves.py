"""What becomes of an environment over the REST API: starred, deprecated, moved, deleted."""

import json
from typing import Any

import pytest
from django.test import Client

from registry.accounts import tokens
from registry.catalog.services import set_visibility
from registry.catalog.transfer import transfer
from registry.models import Environment, Organisation, Star, User, Version
from tests.factories import bearer, make_version

ENV = "/api/v1/environments/alice/demo-env/"
NOT_FOUND = "request.not_found"


def send(
    client: Client, method: str, path: str, reader: User, body: Any = None, scope: str = "admin"
) -> Any:
    """The answer to JSON sent with a fresh token of that person."""
    headers = bearer(reader, scope)
    data = "" if body is None else json.dumps(body)
    return client.generic(method, path, data, "application/json", headers=headers)


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_a_star_is_set_and_taken_away_any_number_of_times(
    client: Client, alice: User, carol: User
) -> None:
    make_version(alice)
    for _ in range(2):
        answer = send(client, "PUT", f"{ENV}star/", carol, scope="publish")
        assert answer.json() == {"starred": True, "stars": 1}
    assert client.get(ENV, headers=bearer(carol)).json()["starred"] is True
    assert client.get(ENV, headers=bearer(alice)).json()["starred"] is False
    assert client.get(ENV).json()["starred"] is False
    for _ in range(2):
        answer = send(client, "DELETE", f"{ENV}star/", carol, scope="publish")
        assert answer.json() == {"starred": False, "stars": 0}


def test_star_without_permission_is_401_403_or_404(
    client: Client, alice: User, carol: User
) -> None:
    make_version(alice)
    make_version(alice, "secret", visibility="private")
    assert client.put(f"{ENV}star/").status_code == 401
    assert code(send(client, "PUT", f"{ENV}star/", carol, scope="read")) == (403, "token.scope")
    hidden = send(client, "PUT", "/api/v1/environments/alice/secret/star/", carol)
    assert code(hidden) == (404, NOT_FOUND)
    assert not Star.objects.exists()


def test_a_deprecation_names_its_successor(client: Client, alice: User, carol: User) -> None:
    make_version(alice)
    make_version(carol, "better")
    sent = {"reason": "a better one is here", "successor": "carol/better"}
    answer = send(client, "POST", f"{ENV}deprecate/", alice, sent, scope="publish")
    body = client.get(ENV).json()["deprecated"]
    assert answer.json()["deprecated"] == body
    assert body["reason"] == "a better one is here"
    assert body["successor"]["ref"] == "carol/better"
    assert body["successor"]["url"].endswith("/envs/carol/better/")
    undone = send(client, "DELETE", f"{ENV}deprecate/", alice, scope="publish")
    assert undone.json()["deprecated"] is None
    again = send(client, "DELETE", f"{ENV}deprecate/", alice, scope="publish")
    assert code(again) == (409, "request.conflict")


def test_a_successor_that_becomes_private_is_not_named_any_more(
    client: Client, alice: User, carol: User
) -> None:
    make_version(alice)
    make_version(carol, "better")
    sent = {"reason": "r", "successor": "carol/better"}
    send(client, "POST", f"{ENV}deprecate/", alice, sent)
    better = Environment.objects.get(name="better")
    set_visibility(environment=better, visibility="private", by=carol)
    assert client.get(ENV).json()["deprecated"]["successor"] is None
    assert b"better" not in client.get("/api/v1/environments/").content


@pytest.mark.parametrize("successor", ["carol/secret", "carol/nothing", "nobody/x"])
def test_hidden_and_missing_successors_are_refused_alike(
    client: Client, alice: User, carol: User, successor: str
) -> None:
    make_version(alice)
    make_version(carol, "secret", visibility="private")
    sent = {"reason": "r", "successor": successor}
    answer = send(client, "POST", f"{ENV}deprecate/", alice, sent)
    error = answer.json()["error"]
    assert (answer.status_code, error["details"]) == (400, {"field": "successor"})
    assert error["message"] == f"successor {successor!r} is no environment that you may see"


def test_members_and_strangers_may_not_deprecate_transfer_or_delete(
    client: Client, lab: Organisation, bob: User, carol: User
) -> None:
    make_version(lab)
    make_version(lab, "secret", visibility="private")
    for name, member, stranger in (("demo-env", 403, 403), ("secret", 403, 404)):
        base = f"/api/v1/environments/lab/{name}/"
        for method, path, body in (
            ("POST", f"{base}deprecate/", {"reason": "r"}),
            ("POST", f"{base}transfer/", {"owner": "carol"}),
            ("DELETE", base, None),
            ("DELETE", f"{base}versions/0.1.0/", None),
        ):
            assert send(client, method, path, bob, body).status_code == member
            assert send(client, method, path, carol, body).status_code == stranger
    assert not Version.objects.exclude(deleted_at=None).exists()


def test_a_transfer_leaves_a_way_from_the_old_address(
    client: Client, alice: User, bob: User, lab: Organisation
) -> None:
    make_version(alice)
    answer = send(client, "POST", f"{ENV}transfer/", alice, {"owner": "lab"})
    assert (answer.status_code, answer.json()["ref"]) == (200, "lab/demo-env")
    for path in ("", "versions/", "versions/0.1.0/", "runs/"):
        moved = client.get(f"{ENV}{path}?limit=1")
        assert (moved.status_code, moved["Cache-Control"]) == (301, "no-cache")
        assert moved["Location"] == f"/api/v1/environments/lab/demo-env/{path}?limit=1"
        assert moved.json()["error"]["details"]["moved_to"] == "lab/demo-env"
        assert client.get(moved["Location"]).status_code == 200


def test_write_to_a_former_name_is_409_with_the_new_name(
    client: Client, alice: User, lab: Organisation
) -> None:
    version = make_version(alice)
    transfer(environment=version.environment, to=lab.owner, by=alice)
    for method, path in (("DELETE", ""), ("PUT", "star/"), ("POST", "versions/0.1.0/yank/")):
        answer = send(client, method, f"{ENV}{path}", alice, {"reason": "r"})
        assert code(answer) == (409, "request.moved")
        assert answer.json()["error"]["message"] == "alice/demo-env moved to lab/demo-env"
    sent = {"name": "t", "scope": "read", "environment": "alice/demo-env"}
    assert code(send(client, "POST", "/api/v1/tokens/", alice, sent)) == (409, "request.moved")


def test_the_old_address_of_something_private_leads_nowhere_for_strangers(
    client: Client, alice: User, bob: User, carol: User, lab: Organisation
) -> None:
    version = make_version(alice, visibility="private")
    transfer(environment=version.environment, to=lab.owner, by=alice)
    assert client.get(ENV, headers=bearer(bob)).status_code == 301
    for headers in ({}, bearer(carol)):
        assert code(client.get(ENV, headers=headers)) == (404, NOT_FOUND)


@pytest.mark.parametrize(
    ("to", "status", "message"),
    [
        ("carol", 403, "you may not publish under carol"),
        ("nobody", 404, "there is no owner 'nobody'"),
        ("alice", 409, "alice/demo-env is under alice already"),
        ("", 400, "owner '' must not be empty"),
    ],
)
def test_refused_transfer_names_the_reason(
    client: Client, alice: User, carol: User, to: str, status: int, message: str
) -> None:
    make_version(alice)
    make_version(carol, visibility="private")  # of the same name: no answer reveals it
    answer = send(client, "POST", f"{ENV}transfer/", alice, {"owner": to})
    assert (answer.status_code, answer.json()["error"]["message"]) == (status, message)
    assert Environment.objects.get(owner=alice.owner).name == "demo-env"


def test_a_token_for_one_environment_does_not_give_it_away(
    client: Client, alice: User, lab: Organisation
) -> None:
    environment = make_version(alice).environment
    text = tokens.mint(user=alice, name="t", scope="admin", environment=environment)[1]
    answer = client.post(
        f"{ENV}transfer/",
        {"owner": "lab"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {text}"},
    )
    assert code(answer) == (403, "token.scope")


def test_deleting_a_version_is_final(client: Client, alice: User) -> None:
    version = make_version(alice)
    path = f"{ENV}versions/0.1.0/"
    assert code(send(client, "DELETE", path, alice, scope="publish")) == (403, "token.scope")
    answer = send(client, "DELETE", path, alice)
    assert (answer.status_code, answer.content) == (204, b"")
    file = f"/files/{version.sha256[:2]}/{version.sha256}/{version.filename}"
    for gone in (path, file, f"{file}.metadata"):
        assert client.get(gone, headers=bearer(alice, "admin")).status_code == 404
    assert code(send(client, "DELETE", path, alice)) == (404, NOT_FOUND)


def test_deleting_an_environment_is_final(client: Client, alice: User, root: User) -> None:
    version = make_version(alice)
    run = f"/api/v1/environments/alice/demo-env/versions/{version.version}/"
    assert send(client, "DELETE", ENV, alice).status_code == 204
    for reader in (alice, root):
        for path in (ENV, f"{ENV}versions/", f"{ENV}runs/", run):
            assert client.get(path, headers=bearer(reader, "admin")).status_code == 404
        assert code(send(client, "DELETE", ENV, reader)) == (404, NOT_FOUND)
    mine = client.get("/api/v1/environments/?mine=1", headers=bearer(alice))
    assert mine.json()["results"] == []
