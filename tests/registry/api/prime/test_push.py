"""Pushing as prime does, and as nobody should."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from registry import storage
from registry.models import Delivery, Environment, Organisation, Source, User, Version
from registry.sources import services
from tests import wheels
from tests.factories import bearer, make_environment
from tests.registry.sources.archives import make_archive

pytestmark = pytest.mark.once

HUB = "/api/v1/environmentshub"
HASH = "c0ffee" + "0" * 58


class Pusher:
    """The requests of one `prime env push`."""

    def __init__(self, client: Client, user: User, scope: str = "publish") -> None:
        self.client = client
        self.headers = bearer(user, scope)

    def post(self, path: str, **data: Any) -> Any:
        answer = self.client.post(
            f"{HUB}/{path}", data, content_type="application/json", headers=self.headers
        )
        return answer.status_code, answer.json()

    def announce(self, pk: str, kind: str, data: bytes, **changes: Any) -> Any:
        name = "demo-env-0.1.0.tar.gz" if kind == "versions" else wheels.filename()
        fields = {
            "filename": name,
            "sha256": hashlib.sha256(data).hexdigest(),
            "semantic_version": "0.1.0",
            "content_hash": HASH,
        }
        return self.post(f"{pk}/{kind}", **(fields | changes))

    def put(self, address: str, data: bytes) -> int:
        return self.client.put(address, data, content_type="application/octet-stream").status_code

    def send(self, pk: str, kind: str, data: bytes, **changes: Any) -> Any:
        status, body = self.announce(pk, kind, data, **changes)
        assert status == 200, body
        assert self.put(body["data"]["upload_url"], data) == 204
        named = body["data"]["wheel_id" if kind == "wheels" else "version_id"]
        return self.post(f"{pk}/{kind}/{named}/finalize")


@pytest.fixture
def pusher(client: Client, alice: User) -> Pusher:
    return Pusher(client, alice)


@pytest.fixture
def pk(alice: User) -> str:
    return f"env_{make_environment(alice).pk}"


def test_a_push_makes_a_version_with_its_source(client: Client, pusher: Pusher) -> None:
    status, body = pusher.post("resolve", name="Demo_Env", visibility="PRIVATE")
    assert (status, body["data"]["created"]) == (200, True)
    assert body["data"]["owner"] == {"name": "alice", "type": "user"}
    pk = body["data"]["id"]
    assert pusher.post("resolve", name="demo-env")[1]["data"]["id"] == pk
    assert pusher.send(pk, "wheels", wheels.make_wheel())[0] == 200
    source = make_archive()
    status, body = pusher.send(pk, "versions", source)
    assert (status, body["data"]["success"]) == (200, True)
    version = Version.objects.get()
    assert (version.environment.visibility, version.status) == ("private", "uploaded")
    assert version.source.content_hash == HASH
    at = f"{HUB}/alice/demo-env/@{HASH[:8]}"
    detail = client.get(at, headers=pusher.headers).json()["data"]
    package = client.get(detail["package_url"], headers=pusher.headers)
    assert b"".join(package.streaming_content) == source  # type: ignore[attr-defined]
    assert client.get(detail["package_url"]).status_code == 404
    assert not [item for item in storage.get().list("staging/") if "delivery" in item.key]


def test_announcing_the_same_files_again_is_refused_with_primes_message(
    pusher: Pusher, pk: str
) -> None:
    pusher.send(pk, "wheels", wheels.make_wheel())
    status, body = pusher.announce(pk, "wheels", wheels.make_wheel())
    assert (status, body["data"]) == (200, {"wheel_id": None, "upload_url": None})
    pusher.send(pk, "versions", make_archive())
    for kind in ("wheels", "versions"):
        status, body = pusher.announce(pk, kind, b"other")
        assert status == 409
        assert body["detail"].startswith(f"content hash {HASH} already exists")


def test_prime_push_runs_every_check_of_an_upload(pusher: Pusher, pk: str) -> None:
    wheel = wheels.make_wheel(metadata={"Requires-Dist": ["x @ https://example.com/x.whl"]})
    status, body = pusher.send(pk, "wheels", wheel)
    assert status == 400
    assert "(metadata.direct_url)" in body["detail"]
    assert "[" not in body["detail"]  # prime's printer would take it for a command
    assert pusher.send(pk, "wheels", wheels.make_wheel(), semantic_version="0.2.0")[0] == 400
    other = wheels.make_wheel("other-env")
    status, body = pusher.send(pk, "wheels", other, filename=wheels.filename("other-env"))
    assert (status, body["error"]["code"]) == (400, "metadata.form_mismatch")
    assert not Version.objects.exists()


def test_refused_wheels_over_the_rate_get_429(pusher: Pusher, pk: str) -> None:
    statuses = [pusher.send(pk, "wheels", b"no wheel")[0] for _ in range(61)]
    assert statuses == [400] * 60 + [429]


def test_upload_address_accepts_the_announced_bytes_until_they_are_published(
    pusher: Pusher, pk: str
) -> None:
    data = wheels.make_wheel()
    body = pusher.announce(pk, "wheels", data)[1]["data"]
    address = body["upload_url"]
    assert pusher.put(address, data + b"x") == 400
    finish = f"{pk}/wheels/{body['wheel_id']}/finalize"
    assert pusher.post(finish)[0] == 409  # nothing has arrived
    assert pusher.put(address, data) == 204
    assert pusher.client.post(address, data, content_type="x/y").status_code == 405
    assert pusher.post(finish)[0] == 200
    assert pusher.put(address, data) == 404
    assert pusher.post(finish)[0] == 409
    assert pusher.put(address[:-1] + ("a" if address[-1] != "a" else "b"), data) == 404
    assert Version.objects.count() == 1


def test_upload_address_expires_after_a_quarter_of_an_hour(
    pusher: Pusher, pk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = wheels.make_wheel()
    body = pusher.announce(pk, "wheels", data)[1]["data"]
    later = services.signing.time.time() + 901
    with monkeypatch.context() as clock:
        clock.setattr(services.signing.time, "time", lambda: later)
        assert pusher.put(body["upload_url"], data) == 404
    assert pusher.put(body["upload_url"], data) == 204
    assert services.delete_expired(now=timezone.now()) == 0
    assert services.delete_expired(now=timezone.now() + 5 * services.TIME) == 1


@override_settings(HUB_MAX_WHEEL_BYTES=1 << 16)
def test_a_body_may_not_be_larger_than_a_wheel(pusher: Pusher, pk: str) -> None:
    large = bytes((1 << 16) + 1)
    assert pusher.announce(pk, "wheels", large, size=len(large))[0] == 413
    address = pusher.announce(pk, "wheels", large)[1]["data"]["upload_url"]
    assert pusher.put(address, large) == 413


@pytest.mark.parametrize(
    "changes",
    [
        {"sha256": "A" * 63},
        {"sha256": None},
        {"sha256": ["a"]},
        {"content_hash": "../../etc"},
        {"filename": "a/../b.tar.gz"},
        {"filename": 5},
        {"filename": "x" * 300 + ".whl"},
        {"semantic_version": "9" * 100},
        {"semantic_version": {"a": 1}},
        {"size": -1},
        {"size": "1"},
        {"size": 10**40},
    ],
)
def test_invalid_announcement_is_refused(pusher: Pusher, pk: str, changes: Any) -> None:
    status, body = pusher.announce(pk, "wheels", b"x", **changes)
    assert status in (400, 413), body
    assert body["detail"]
    assert not Delivery.objects.exists()


def test_ids_of_foreign_environments_and_uploads_are_not_found(
    client: Client, pusher: Pusher, pk: str, alice: User, bob: User, carol: User, lab: Organisation
) -> None:
    hidden = f"env_{make_environment(lab, visibility='private').pk}"
    carols = Pusher(client, carol)
    unknown = carols.announce("env_999999", "wheels", b"x")
    for where in (pk, hidden, "env_0", "env_" + "9" * 40, "1"):
        assert carols.announce(where, "wheels", b"x")[0] == 404
    assert unknown[1]["detail"] == carols.announce(hidden, "wheels", b"x")[1]["detail"]
    assert Pusher(client, bob).announce(hidden, "wheels", b"x")[0] == 403  # a mere member
    data = wheels.make_wheel()
    body = pusher.announce(pk, "wheels", data)[1]["data"]
    pusher.put(body["upload_url"], data)
    mine = f"{carols.post('resolve', name='demo-env')[1]['data']['id']}"
    for where in (pk, mine):
        status, _ = carols.post(f"{where}/wheels/{body['wheel_id']}/finalize")
        assert status == 404
    assert pusher.post(f"{pk}/versions/{body['wheel_id']}/finalize")[0] == 404
    assert pusher.post(f"{pk}/wheels/{uuid4()}/finalize")[0] == 404
    reader = Pusher(client, alice, "read")
    assert reader.post(f"{pk}/wheels/{body['wheel_id']}/finalize")[0] == 403


def test_a_hostile_source_archive_is_not_kept(pusher: Pusher, pk: str) -> None:
    pusher.send(pk, "wheels", wheels.make_wheel())
    evil = make_archive({"../evil.py": b"x"})
    status, body = pusher.send(pk, "versions", evil)
    assert (status, body["error"]["code"]) == (400, "source.unreadable")
    assert not Source.objects.exists()
    assert not storage.get().exists(storage.key("sources", hashlib.sha256(evil).hexdigest()))


def test_a_source_archive_needs_its_version_and_stays_as_it_is(pusher: Pusher, pk: str) -> None:
    assert pusher.send(pk, "versions", make_archive())[0] == 404
    pusher.send(pk, "wheels", wheels.make_wheel())
    pusher.send(pk, "versions", make_archive())
    status, body = pusher.send(pk, "versions", make_archive({"a": b""}), content_hash="1" * 64)
    assert status == 409
    assert "already exists" in body["detail"]


def test_resolve_under_a_foreign_owner_does_not_reveal_hidden_environments(
    client: Client, carol: User, alice: User
) -> None:
    make_environment(alice, visibility="private")
    carols = Pusher(client, carol)
    hidden = carols.post("resolve", name="demo-env", owner_slug="alice")
    free = carols.post("resolve", name="free-env", owner_slug="alice")
    assert hidden[0] == free[0] == 403
    assert hidden[1]["detail"] == free[1]["detail"]
    assert carols.post("resolve", name="x", owner_slug="nobody")[0] == 404
    assert not Environment.objects.filter(name="free-env").exists()
    assert client.post(f"{HUB}/resolve", {}, content_type="application/json").status_code == 401


@pytest.mark.parametrize("name", ['a"; filename="b.exe', "a\r\nX: y", "../a", "a b", "é", ""])
def test_announcement_refuses_file_names_with_other_characters(
    pusher: Pusher, pk: str, name: str
) -> None:
    for kind, end in (("versions", ".tar.gz"), ("wheels", ".whl")):
        status, body = pusher.announce(pk, kind, b"x", filename=f"{name}{end}")
        assert (status, body["error"]["code"]) == (400, "upload.unsupported_file")
    assert not Delivery.objects.exists()
