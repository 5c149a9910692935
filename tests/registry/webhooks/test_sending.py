"""Messages to receivers over TLS: kind, slow, huge, redirecting, and on private addresses."""

from __future__ import annotations

import ssl
import time
from pathlib import Path
from typing import Any

import pytest

from registry.errors import HubError
from registry.webhooks.sending import checked_url, send
from tests.registry.webhooks.receiver import certificate, receiving

pytestmark = pytest.mark.once
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture
def pem(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The certificate of a receiver on this machine, which the hub trusts and may reach."""
    path = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    settings.HUB_WEBHOOK_HOSTS = ("localhost",)
    return path


def test_a_message_arrives_with_its_headers(pem: Path) -> None:
    with receiving(pem, lambda sock, _: sock.sendall(OK)) as (url, requests):
        outcome = send(url, {"webhook-id": "msg_1"}, '{"type": "webhook.test"}')
    assert (outcome.status, outcome.excerpt, outcome.error) == (200, "ok", "")
    assert outcome.succeeded
    (request,) = requests
    head, _, body = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /hook?key=1 HTTP/1.1\r\nHost: localhost")
    assert b"Content-Type: application/json" in head
    assert b"webhook-id: msg_1" in head
    assert body == b'{"type": "webhook.test"}'


def test_a_redirect_is_not_followed(pem: Path) -> None:
    with receiving(pem, lambda sock, _: sock.sendall(OK)) as (target, never):
        moved = f"HTTP/1.1 307 Moved\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()
        with receiving(pem, lambda sock, _: sock.sendall(moved)) as (url, _):
            outcome = send(url, {}, "{}")
        assert (outcome.status, outcome.succeeded, never) == (307, False, [])


def test_of_a_huge_reply_the_beginning_is_read(pem: Path) -> None:
    def flood(sock: ssl.SSLSocket, _: bytes) -> None:
        sock.sendall(b"HTTP/1.1 500 No\r\n\r\n")
        while True:
            sock.sendall(b"\0\xff<script>" * 10_000)

    with receiving(pem, flood) as (url, _):
        outcome = send(url, {}, "{}")
    assert outcome.status == 500
    assert len(outcome.excerpt) == 500
    assert "\0" not in outcome.excerpt


@pytest.mark.parametrize("reply", [b"HTTP/1.1 200 OK\r\nX: ", b"", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_receiver_that_never_ends_is_cut_off(pem: Path, reply: bytes) -> None:
    def drip(sock: ssl.SSLSocket, _: bytes) -> None:
        sock.sendall(reply)
        while True:
            time.sleep(0.2)
            if reply:
                sock.sendall(b"x")

    start = time.monotonic()
    with receiving(pem, drip) as (url, _):
        outcome = send(url, {}, "{}", seconds=1.0)
    assert time.monotonic() - start < 60  # without the cut it would last for ever
    assert outcome.status == (200 if reply else None)


@pytest.mark.parametrize("reply", [b"no HTTP\r\n\r\n", b"HTTP/1.1 99999 x\r\n\r\n", b""])
def test_what_is_no_response_is_an_error(pem: Path, reply: bytes) -> None:
    with receiving(pem, lambda sock, _: sock.sendall(reply)) as (url, _):
        outcome = send(url, {}, "{}")
    assert outcome.status is None
    assert outcome.error.startswith("no response")


def test_an_unknown_certificate_is_refused(
    pem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate(tmp_path / "other")))
    with receiving(pem, lambda sock, _: sock.sendall(OK)) as (url, requests):
        outcome = send(url, {}, "{}")
    assert "certificate verify failed" in outcome.error
    assert requests == []


def test_no_private_address_is_reached(pem: Path, settings: Any) -> None:
    settings.HUB_WEBHOOK_HOSTS = ()
    with receiving(pem, lambda sock, _: sock.sendall(OK)) as (url, requests):
        outcome = send(url, {}, "{}")  # as if a name led there
    assert outcome.error == "localhost has a private address"
    assert requests == []


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.org/", "ftp://example.org/", "https://", "example.org", "https://[::1"),
        *("https://127.0.0.1/", "https://[::1]/", "https://10.0.0.1/", "https://169.254.169.254/"),
        *("https://[::ffff:127.0.0.1]/", "https://localhost/", "https://db.internal/"),
        *("https://user:word@example.org/", "https://example.org/#x", "https://example.org:99999/"),
        *(
            "https://example.org/\r\nX: 1",
            "https://exämple.org/",
            f"https://example.org/{'x' * 500}",
        ),
    ],
)
def test_addresses_that_the_hub_never_sends_to_are_refused(url: str, settings: Any) -> None:
    settings.HUB_WEBHOOK_HOSTS = ()
    with pytest.raises(HubError) as refused:
        checked_url(url)
    assert refused.value.details["field"] == "url"


def test_public_addresses_and_those_that_the_operator_allows_are_accepted(settings: Any) -> None:
    assert checked_url(" https://example.org:8443/hook?a=b ") == "https://example.org:8443/hook?a=b"
    assert checked_url("https://1.1.1.1/")
    settings.HUB_WEBHOOK_HOSTS = ("chat.internal",)
    assert checked_url("https://chat.internal/hook")
    with pytest.raises(HubError):
        checked_url("https://more.chat.internal/hook")
    settings.HUB_WEBHOOK_HOSTS = (".internal",)
    assert checked_url("https://more.chat.internal/hook")
