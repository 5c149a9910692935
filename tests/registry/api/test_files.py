"""Wheels and METADATA over HTTP, from a real storage."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from registry.models import Environment, Organisation, Run, User, Version
from registry.runs.tokens import sign_run_token
from tests.factories import bearer, make_run, make_version, metadata_of
from tests.wheels import make_wheel

WHEEL = make_wheel()
METADATA = metadata_of(WHEEL)
IMMUTABLE = "max-age=31536000, immutable"


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> None:
    settings.HUB_STORAGE_PATH = tmp_path


def at(version: Version) -> str:
    return f"/files/{version.sha256[:2]}/{version.sha256}/{version.filename}"


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def installs() -> int:
    return Environment.objects.get().installs


def test_a_wheel_is_served_whole_and_for_ever(client: Client, alice: User) -> None:
    version = make_version(alice, wheel=WHEEL)
    answer = client.get(at(version))
    assert body(answer) == WHEEL
    assert answer["Content-Length"] == str(len(WHEEL))
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["ETag"] == f'"{hashlib.sha256(WHEEL).hexdigest()}"'
    assert answer["Cache-Control"] == f"public, {IMMUTABLE}"
    assert answer["Accept-Ranges"] == "bytes"
    assert "Vary" not in answer
    assert "demo_env-0.1.0-py3-none-any.whl" in answer["Content-Disposition"]


@pytest.mark.parametrize(
    ("range_header", "start", "end"),
    [("bytes=0-9", 0, 10), ("bytes=-20", len(WHEEL) - 20, len(WHEEL)), ("bytes=5-", 5, len(WHEEL))],
)
def test_a_range_is_served_alone(
    client: Client, alice: User, range_header: str, start: int, end: int
) -> None:
    version = make_version(alice, wheel=WHEEL)
    answer = client.get(at(version), headers={"Range": range_header})
    assert (answer.status_code, body(answer)) == (206, WHEEL[start:end])
    assert answer["Content-Range"] == f"bytes {start}-{end - 1}/{len(WHEEL)}"
    assert answer["Content-Length"] == str(end - start)


def test_a_range_behind_the_end_is_416(client: Client, alice: User) -> None:
    version = make_version(alice, wheel=WHEEL)
    answer = client.get(at(version), headers={"Range": "bytes=99999999-"})
    assert answer.status_code == 416
    assert answer["Content-Range"] == f"bytes */{len(WHEEL)}"


def test_a_range_of_another_file_is_served_whole(client: Client, alice: User) -> None:
    version = make_version(alice, wheel=WHEEL)
    fields = {"Range": "bytes=0-1", "If-Range": '"old"'}
    assert body(client.get(at(version), headers=fields)) == WHEEL
    fields["If-Range"] = f'"{version.sha256}"'
    assert body(client.get(at(version), headers=fields)) == WHEEL[:2]


def test_head_has_the_headers_and_no_bytes(client: Client, alice: User) -> None:
    version = make_version(alice, wheel=WHEEL)
    answer = client.head(at(version))
    assert answer["Content-Length"] == str(len(WHEEL))
    assert body(answer) == b""


def test_whole_downloads_count_as_installs_and_nothing_else_does(
    client: Client, alice: User
) -> None:
    version = make_version(alice, wheel=WHEEL)
    first = client.get(at(version))
    for answer in (first, client.get(at(version))):
        assert body(answer) == WHEEL
    assert installs() == 2
    client.head(at(version))
    assert body(client.get(at(version), headers={"Range": "bytes=0-1"})) == WHEEL[:2]
    client.get(f"{at(version)}.metadata")
    assert client.get(at(version), headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert installs() == 2


def test_what_everybody_may_have_costs_a_query_and_its_count_another(
    client: Client, alice: User, django_assert_num_queries: Any
) -> None:
    version = make_version(alice, wheel=WHEEL)
    client.force_login(alice)  # of no account here
    for queries, path, text in (
        (2, at(version), {}),
        (1, at(version), {"Range": "bytes=0-1"}),
        (1, at(version), {"If-None-Match": f'"{version.sha256}"'}),
        (1, f"{at(version)}.metadata", {}),
    ):
        with django_assert_num_queries(queries):
            answer: Any = client.get(path, headers=text)
        assert answer.getvalue() or answer.status_code == 304
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert "Vary" not in answer


def test_metadata_is_served_beside_the_wheel(client: Client, alice: User) -> None:
    version = make_version(alice, wheel=WHEEL)
    answer = client.get(f"{at(version)}.metadata")
    assert answer.content == METADATA
    assert answer["ETag"] == f'"{version.metadata_sha256}"'
    assert answer["Cache-Control"] == f"public, {IMMUTABLE}"
    again = client.get(f"{at(version)}.metadata", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304
    assert client.head(f"{at(version)}.metadata")["Content-Length"] == str(len(METADATA))


@pytest.mark.parametrize("state", ["yanked", "private", "unlisted", "quarantined", "deleted"])
def test_who_may_download_what(
    client: Client, lab: Organisation, alice: User, bob: User, carol: User, state: str
) -> None:
    at_ = "2026-01-01T00:00:00Z"
    fields: dict[str, Any] = {
        "yanked": {"yanked_at": at_, "yanked_reason": "bad"},
        "private": {"visibility": "private"},
        "unlisted": {"status": "rejected"},
        "quarantined": {"quarantined_at": at_},
        "deleted": {"deleted_at": at_},
    }[state]
    version = make_version(lab, wheel=WHEEL, **fields)
    answers = {
        name: client.get(at(version), headers=headers)
        for name, headers in {
            "nobody": {},
            "carol": bearer(carol),
            "bob": bearer(bob),
            "alice": bearer(alice),
        }.items()
    }
    may = {name for name, answer in answers.items() if answer.status_code == 200}
    assert all(body(answers[name]) == WHEEL for name in may)
    assert (
        may
        == {
            "yanked": {"nobody", "carol", "bob", "alice"},
            "private": {"bob", "alice"},
            "unlisted": {"bob", "alice"},
            "quarantined": set(),
            "deleted": set(),
        }[state]
    )
    if state in ("private", "unlisted"):
        assert answers["bob"]["Cache-Control"] == f"private, {IMMUTABLE}"
        assert "Authorization" in answers["bob"]["Vary"]
        assert answers["nobody"].json()["error"]["code"] == "request.not_found"


def test_a_run_token_opens_the_wheel_of_its_run_alone_and_only_while_it_runs(
    client: Client, alice: User
) -> None:
    version = make_version(alice, "secret", visibility="private", status="evaluating", wheel=WHEEL)
    other = make_version(alice, "other", status="evaluating", wheel=make_wheel("other"))
    run = make_run(version, status="preparing")
    token = sign_run_token(run_id=run.pk, attempt=run.attempt)
    headers = {"Authorization": f"Bearer {token}"}
    assert body(client.get(at(version), headers=headers)) == WHEEL
    assert Environment.objects.get(name="secret").installs == 0
    assert client.get(at(other), headers=headers).status_code == 404
    Run.objects.update(attempt=2)
    assert client.get(at(version), headers=headers).status_code == 401


def test_the_same_bytes_of_two_owners_are_for_those_of_either(
    client: Client, alice: User, carol: User
) -> None:
    private = make_version(alice, visibility="private", wheel=WHEEL)
    make_version(carol, wheel=WHEEL)
    assert body(client.get(at(private))) == WHEEL
    assert Environment.objects.get(owner=carol.owner).installs == 1
    assert Environment.objects.get(owner=alice.owner).installs == 0


@pytest.mark.parametrize(
    "path",
    [
        "/files/00/{sha}/{name}",
        "/files/{aa}/{sha}/other-0.1.0-py3-none-any.whl",
        "/files/{aa}/" + "0" * 64 + "/{name}",
        "/files/{aa}/..%2F..%2Fetc/{name}",
    ],
)
def test_an_address_that_names_no_file_is_404(client: Client, alice: User, path: str) -> None:
    version = make_version(alice, wheel=WHEEL)
    filled = path.format(aa=version.sha256[:2], sha=version.sha256, name=version.filename)
    assert client.get(filled).status_code == 404


def test_a_browser_session_is_enough(client: Client, alice: User) -> None:
    version = make_version(alice, visibility="private", wheel=WHEEL)
    client.force_login(alice)
    assert body(client.get(at(version))) == WHEEL


def test_invalid_token_is_refused_unless_no_token_is_needed(client: Client, alice: User) -> None:
    public = make_version(alice, "public", wheel=WHEEL)
    private = make_version(alice, "private", visibility="private", wheel=make_wheel("private"))
    bad = {"Authorization": "Bearer hub_wrong"}
    assert body(client.get(at(public), headers=bad)) == WHEEL
    answer = client.get(at(private), headers=bad)
    assert answer.status_code == 401
    assert "Bearer" in answer["WWW-Authenticate"]
    assert client.get("/files/00/unknown/unknown.whl", headers=bad).status_code == 401


def test_an_object_store_serves_whole_and_partial_downloads_itself(
    client: Client, alice: User, settings: Any
) -> None:
    version = make_version(alice)
    settings.HUB_STORAGE = "s3"
    settings.HUB_S3_BUCKET = "wheels"
    settings.HUB_S3_REGION = "eu-central-1"
    settings.HUB_S3_ACCESS_KEY_ID = settings.HUB_S3_SECRET_ACCESS_KEY = "test"
    answer = client.get(at(version))
    assert answer.status_code == 302
    assert version.sha256 in answer["Location"]
    assert "Signature" in answer["Location"]
    assert answer["Cache-Control"] == "no-store"
    assert installs() == 1
    assert client.get(at(version), headers={"Range": "bytes=0-1"}).status_code == 302
    assert installs() == 1
    head = client.head(at(version))
    assert (head.status_code, head["Content-Length"]) == (200, str(version.size))
