"""POST /legacy/{owner}/ as twine and uv use it: byte for byte their requests, answers they show."""

import base64
import json
import socket
import tempfile
import threading
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from allauth.mfa.models import Authenticator
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from registry.accounts import tokens
from registry.accounts.models import User
from registry.catalog.models import Environment, Version
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel

WHEEL = make_wheel()
BOUNDARY = "4c1d2f"
UV_ACCEPT = "application/json;q=0.9, text/plain;q=0.8, text/html;q=0.7"


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path) -> Path:
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    return tmp_path / "files"


@pytest.fixture
def key(alice: User) -> str:
    return tokens.mint(user=alice, name="test", scope="publish")[1]


def basic(key: str, user: str = "__token__") -> str:
    return "Basic " + base64.b64encode(f"{user}:{key}".encode()).decode()


def part(headers: str, content: bytes) -> bytes:
    return f"--{BOUNDARY}\r\nContent-Disposition: form-data; {headers}\r\n\r\n".encode() + content


def body(
    fields: dict[str, list[str]], data: bytes, *, name: str = filename(), first: bool = False,
    typed: bool = True,
) -> bytes:  # fmt: skip
    """A form with the file before or after its fields, its part with or without a type."""
    kind = "\r\nContent-Type: application/octet-stream" if typed else ""
    content = part(f'name="content"; filename="{name}"{kind}', data)
    form_parts = [
        part(f'name="{k}"', value.encode()) for k, values in fields.items() for value in values
    ]
    parts = [content, *form_parts] if first else [*form_parts, content]
    return b"\r\n".join([*parts, f"--{BOUNDARY}--\r\n".encode()])


def post(client: Client, key: str, sent: bytes, owner: str = "alice", **headers: str) -> Any:
    return client.post(
        f"/legacy/{owner}/",
        sent,
        content_type=f"multipart/form-data; boundary={BOUNDARY}",
        headers={"Authorization": basic(key), "Accept": "*/*"} | headers,
    )


def answer(response: HttpResponse) -> str:
    return response.content.decode()


def twine_form(data: bytes = WHEEL, **changes: Any) -> dict[str, list[str]]:
    """twine's order: metadata first, digests, `:action` near the end, then the file."""
    return form_of(data, **changes)


def uv_form(data: bytes = WHEEL) -> dict[str, list[str]]:
    """uv's order: `:action` and digests first."""
    fields = form_of(data)
    early = (":action", "sha256_digest", "blake2_256_digest", "protocol_version")
    return {name: fields[name] for name in early} | fields


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("form", [twine_form, uv_form])
def test_both_clients_forms_are_taken_in_any_order(
    client: Client, key: str, form: Any, first: bool, typed: bool
) -> None:
    response = post(client, key, body(form(), WHEEL, first=first, typed=typed))
    assert response.status_code == 200, answer(response)
    assert response["Content-Type"].startswith("text/plain")
    assert "alice/demo-env==0.1.0 accepted" in answer(response)
    assert Version.objects.get().uploaded_by.username == "alice"


def test_the_same_again_is_200(client: Client, key: str) -> None:
    sent = body(twine_form(), WHEEL)
    post(client, key, sent)
    response = post(client, key, sent)
    assert (response.status_code, Version.objects.count()) == (200, 1)
    assert "already here" in answer(response)


def test_refusal_is_in_the_reason_phrase_and_in_the_body(client: Client, key: str) -> None:
    post(client, key, body(twine_form(), WHEEL))
    other = make_wheel(description="# Other\n")
    response = post(client, key, body(twine_form(other), other), Accept="text/plain")
    assert response.status_code == 400
    assert response.reason_phrase.startswith("File already exists: alice/demo-env==0.1.0")
    assert answer(response).startswith("File already exists: alice/demo-env==0.1.0")
    assert response["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize("accept", ["*/*", UV_ACCEPT, "application/json"])
def test_programs_are_answered_in_json(client: Client, key: str, accept: str) -> None:
    sent = body(uv_form() | {"protocol_version": ["2"]}, WHEEL, typed=False)
    response = post(client, key, sent, Accept=accept)
    answered = json.loads(response.content)
    assert response["Content-Type"] == "application/problem+json"
    assert (response.status_code, answered["error"]["code"]) == (400, "request.invalid")
    assert answered["title"] == "request.invalid"
    for text in (answered["error"]["message"], answered["detail"], response.reason_phrase):
        assert "protocol_version is '2'" in text


def test_the_reason_phrase_is_one_short_line_of_ascii(client: Client, key: str) -> None:
    form = twine_form(summary="ü\r\nSet-Cookie: x=1 " + "long " * 200)
    response = post(client, key, body(form, WHEEL))
    assert response.status_code == 400
    assert response.reason_phrase.isascii()
    assert response.reason_phrase.isprintable()
    assert len(response.reason_phrase) <= 400
    assert "Set-Cookie" not in response.headers
    assert "ü" in json.loads(response.content)["detail"]


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        ("", 401),
        (basic("hub_wrong"), 401),
        (basic("secret", user="alice"), 401),
        ("Bearer hub_wrong", 401),
    ],
)
def test_without_a_good_token_nothing_is_read(
    client: Client, alice: User, authorization: str, status: int
) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    response = client.post(
        "/legacy/alice/", b"no form at all", content_type="text/plain", headers=headers
    )
    assert response.status_code == status
    assert "Basic" in response["WWW-Authenticate"]


def test_a_browsers_session_is_not_enough(client: Client, alice: User) -> None:
    client.force_login(alice)
    response = client.post("/legacy/alice/", {"content": "x"})
    assert response.status_code == 401
    assert "__token__" in answer(response)


def test_a_bearer_token_is_as_good(client: Client, key: str) -> None:
    response = post(client, key, body(twine_form(), WHEEL), Authorization=f"Bearer {key}")
    assert response.status_code == 200


def test_actor_without_permission_gets_an_error(client: Client, key: str, carol: User) -> None:
    assert post(client, key, body(twine_form(), WHEEL), owner="carol").status_code == 403
    assert post(client, key, body(twine_form(), WHEEL), owner="nobody").status_code == 404


@pytest.mark.parametrize("method", ["get", "put", "delete", "head"])
def test_other_methods_get_the_next_step(client: Client, method: str) -> None:
    response = getattr(client, method)("/legacy/alice/")
    assert response.status_code == 405
    assert response["Allow"] == "POST"
    if method != "head":
        assert "twine upload --repository-url http" in answer(response)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"", "it has none"),
        (part('name="content"', b"text") + f"\r\n--{BOUNDARY}--".encode(), "it has none"),
        (body({}, WHEEL), ":action is ''"),
        (
            part('name="content"; filename="a.whl"', b"1")
            + b"\r\n"
            + part('name="content"; filename="b.whl"', b"2")
            + f"\r\n--{BOUNDARY}--".encode(),
            "it has content, content",
        ),
        (
            part('name="content"; filename="a.whl"', b"1")
            + b"\r\n"
            + part('name="more"; filename="b.whl"', b"2")
            + f"\r\n--{BOUNDARY}--".encode(),
            "it has content, more",
        ),
    ],
    ids=["empty", "text for a file", "no fields", "two contents", "another file"],
)
def test_a_form_without_its_one_file_is_refused(
    client: Client, key: str, sent: bytes, message: str
) -> None:
    response = post(client, key, sent)
    assert response.status_code == 400
    assert message in answer(response)


def test_a_body_that_is_no_form_is_refused(client: Client, key: str) -> None:
    headers = {"Authorization": basic(key)}
    for kind in ("application/json", "multipart/form-data", "text/plain"):
        response = client.post("/legacy/alice/", b"{}", content_type=kind, headers=headers)
        assert response.status_code == 400


def test_too_many_bytes_are_refused_before_they_are_read(
    client: Client, key: str, settings: Settings
) -> None:
    settings.HUB_MAX_WHEEL_BYTES = 1000
    response = post(client, key, b"x" * (1000 + (2 << 20) + 1))
    assert response.status_code == 413
    assert "limit is" in response.reason_phrase


def test_endless_fields_are_refused(client: Client, key: str) -> None:
    response = post(client, key, body(twine_form(description="x" * (3 << 20)), WHEEL))
    assert response.status_code == 413


def test_every_cut_off_form_is_refused_and_leaves_nothing(
    client: Client, key: str, files: Path
) -> None:
    """What a server that saw the connection end hands on: a body that just stops."""
    temporary = Path(tempfile.gettempdir())
    before = set(temporary.glob("*.upload*"))
    sent = body(uv_form(), WHEEL, typed=False)
    for length in range(0, len(sent) - len(BOUNDARY) - 8, 97):
        assert post(client, key, sent[:length]).status_code == 400, length
    assert not Version.objects.exists()
    assert not [path for path in files.rglob("*") if path.is_file()]
    assert set(temporary.glob("*.upload*")) == before


@pytest.mark.django_db(transaction=True)
def test_a_client_that_goes_away_leaves_nothing(key: str, files: Path) -> None:
    """Over a real socket: headers promise the whole form, half of it comes."""

    class Quiet(WSGIRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    temporary = Path(tempfile.gettempdir())
    before = set(temporary.glob("*.upload*"))
    sent = body(twine_form(), WHEEL)
    server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
    handling = threading.Thread(target=server.handle_request)
    handling.start()
    with socket.create_connection(server.server_address, timeout=10) as wire:
        wire.sendall(
            f"POST /legacy/alice/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: {basic(key)}\r\n"
            f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n"
            f"Content-Length: {len(sent)}\r\n\r\n".encode()
            + sent[: len(sent) - 300]
        )
        wire.shutdown(socket.SHUT_WR)
        status = wire.makefile("rb").readline()
    handling.join(30)
    server.server_close()
    assert b" 400 " in status
    assert not Version.objects.exists()
    assert not [path for path in files.rglob("*") if path.is_file()]
    assert set(temporary.glob("*.upload*")) == before


def test_token_from_before_the_second_factor_requirement_cannot_publish(
    client: Client, key: str, alice: User, settings: Settings
) -> None:
    settings.HUB_REQUIRE_MFA = "publish"
    sent = body(twine_form(), WHEEL)
    for _ in range(2):  # the second time the environment is there
        refused = post(client, key, sent, Accept="application/json")
        assert refused.status_code == 403
        assert refused.json()["error"]["code"] == "account.mfa_required"
        assert "/settings/security/" in answer(refused)
        Environment.objects.get_or_create(owner=alice.owner, name="demo-env")
    assert not Version.objects.exists()
    Authenticator.objects.create(user=alice, type="totp", data={})
    assert post(client, key, sent).status_code == 200


def test_a_flood_of_refused_uploads_ends_in_429_and_accepted_ones_are_not_counted(
    client: Client, key: str, carol: User
) -> None:
    sent = body(form_of(WHEEL), WHEEL)
    for _ in range(3):
        assert post(client, key, sent).status_code == 200
    bad = body(form_of(WHEEL) | {"version": ["9"]}, WHEEL)
    assert {post(client, key, bad).status_code for _ in range(60)} == {400}
    refused = post(client, key, sent)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) == 600
    assert "60 refused uploads" in refused.reason_phrase
    other = tokens.mint(user=carol, name="test", scope="publish")[1]
    assert post(client, other, sent, owner="carol").status_code == 200
