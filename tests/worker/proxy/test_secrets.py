"""A bound secret reaches its host's headers, and nothing else ever."""

from __future__ import annotations

import asyncio
import base64
import gzip
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from envyard.contract.job import BoundSecret
from envyard_runner.proxy.secrets import Secrets, SecretUnusable
from tests.worker.proxy.intercepting import (
    SECRETS,
    VALUE,
    VALUES,
    Intercepting,
    RealHost,
    intercepting,
)
from tests.worker.proxy.served_proxy import ENDED

PLACEHOLDER = "envyard-secret-EXA_KEY"
ENCODED = base64.b64encode(VALUE.encode()).decode()


def play(
    folder: Path, scenario: Callable[[Intercepting], Awaitable[None]], *hosts: str, **options: Any
) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), intercepting(folder, *hosts, **options) as proxy:
            await scenario(proxy)

    asyncio.run(run())


def answer(body: bytes, *headers: str) -> bytes:
    lines = "".join(f"{line}\r\n" for line in headers)
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n{lines}\r\n".encode() + body


def test_the_value_takes_the_placeholders_place_in_headers(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        reply = await proxy.get(
            "api.exa.ai", f"Authorization: Bearer {PLACEHOLDER}", f"X-Key: {PLACEHOLDER}"
        )
        assert reply.endswith(b"ok")
        (request,) = proxy.host.requests
        assert f"Authorization: Bearer {VALUE}\r\n".encode() in request
        assert f"X-Key: {VALUE}\r\n".encode() in request
        (row,) = await proxy.recorded()
        assert (row.host, row.route, row.reason) == ("api.exa.ai", "secrets", "")

    play(tmp_path, scenario, "*.exa.ai")


def test_the_value_takes_its_place_in_basic_authentication(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        plain = base64.b64encode(f"alice:{PLACEHOLDER}".encode()).decode()
        await proxy.get("api.exa.ai", f"Authorization: Basic {plain}")
        sent = base64.b64encode(f"alice:{VALUE}".encode())
        assert b"Authorization: Basic " + sent in proxy.host.requests[0]

    play(tmp_path, scenario, "api.exa.ai")


def test_the_value_is_in_no_url_body_or_name_of_a_header(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        body = f"key={PLACEHOLDER}".encode()
        head = (
            f"POST /{PLACEHOLDER}?k={PLACEHOLDER} HTTP/1.1\r\nHost: api.exa.ai\r\n"
            f"{PLACEHOLDER}: x\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        await proxy.send("api.exa.ai", head.encode() + body)
        (request,) = proxy.host.requests
        assert VALUE.encode() not in request
        assert request.count(PLACEHOLDER.encode()) == 4

    play(tmp_path, scenario, "api.exa.ai")


def test_another_host_gets_the_placeholder(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        await proxy.get(
            "other.exa.ai", f"Authorization: Bearer {PLACEHOLDER}", "X: envyard-secret-OTHER_KEY"
        )
        (request,) = proxy.host.requests
        assert VALUE.encode() not in request
        assert f"Bearer {PLACEHOLDER}".encode() in request
        assert b"X: another-value-9000" in request

    play(tmp_path, scenario, "*.exa.ai")


def test_a_bound_host_that_is_not_approved_is_refused(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        with pytest.raises(ConnectionRefusedError, match="403"):
            await proxy.get("api.exa.ai")
        assert proxy.access.usage.refused == {"api.exa.ai": 1}

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "form",
    [
        VALUE, ENCODED, quote(VALUE, safe=""), VALUE.encode().hex(),
        base64.b64encode(f"a:{VALUE}!".encode()).decode(),
        base64.b64encode(f"ab:{VALUE}".encode()).decode(),
        base64.urlsafe_b64encode(f"abc:{VALUE}".encode()).decode(),
        VALUE.replace("/", "\\/"), VALUE.replace("/", "\\u002f").replace("+", "\\u002B"),
        VALUE.replace("/", "&#x2F;").replace("+", "&#43;").replace("=", "&#x3D;"),
        VALUE.replace("/", "&sol;").replace("+", "&plus;").replace("=", "&equals;"),
        quote(VALUE, safe="").lower(), quote(VALUE, safe="").replace("-", "%2D"),
    ],
)  # fmt: skip
def test_a_host_that_repeats_the_value_is_redacted(tmp_path: Path, form: str) -> None:
    async def scenario(proxy: Intercepting) -> None:
        reply = await proxy.get("api.exa.ai")
        assert b"placed: " in reply
        for kept in (VALUE.encode(), VALUE[3:].encode(), form[4:-4].encode()):
            assert kept not in reply
        assert reply.count(PLACEHOLDER.encode()) >= 2

    body = f"placed: {form}; and {form}".encode()
    host = RealHost(answer(body, f"X-Echo: {form}", f"Set-Cookie: k={form}"))
    play(tmp_path, scenario, "api.exa.ai", host=host)


def test_a_compressed_response_is_read_and_redacted(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        reply = await proxy.get("api.exa.ai", "Accept-Encoding: gzip, br, zstd")
        assert reply.endswith(f"key {PLACEHOLDER}".encode())
        assert b"content-encoding" not in reply.lower()
        assert b"Accept-Encoding: identity\r\n" in proxy.host.requests[0]

    body = gzip.compress(f"key {VALUE}".encode())
    host = RealHost(answer(body, "Content-Encoding: gzip"))
    play(tmp_path, scenario, "api.exa.ai", host=host)


def test_a_response_that_cannot_be_searched_is_refused(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        assert (await proxy.get("api.exa.ai")).startswith(b"HTTP/1.1 502 ")

    host = RealHost(answer(b"xx", "Content-Encoding: zstd"))
    play(tmp_path, scenario, "api.exa.ai", host=host)


def test_a_redirect_is_not_followed_with_the_value(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        reply = await proxy.get("api.exa.ai", f"Authorization: Bearer {PLACEHOLDER}")
        assert reply.startswith(b"HTTP/1.1 302 ")
        assert len(proxy.host.requests) == 1
        assert proxy.resolver.looked_up == ["api.exa.ai"]

    location = b"HTTP/1.1 302 Found\r\nLocation: https://other.exa.ai/\r\nContent-Length: 0\r\n\r\n"
    play(tmp_path, scenario, "*.exa.ai", host=RealHost(location))


def test_a_host_without_a_trusted_certificate_gets_no_value(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        reply = await proxy.get("api.exa.ai", f"Authorization: Bearer {PLACEHOLDER}")
        assert reply.startswith(b"HTTP/1.1 502 ")
        assert proxy.host.requests == []

    play(tmp_path, scenario, "api.exa.ai", trusted=False)


def test_the_runs_authority_signs_for_its_hosts_alone(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        authority = proxy.access.authority
        server = authority.context("evil.example.org")
        context = ssl.create_default_context(cadata=proxy.access.certificates.decode())
        listening = await asyncio.start_server(lambda r, w: w.close(), "127.0.0.1", 0, ssl=server)
        async with listening:
            port = listening.sockets[0].getsockname()[1]
            with pytest.raises(ssl.SSLCertVerificationError, match="subtree"):
                await asyncio.open_connection(
                    "127.0.0.1", port, ssl=context, server_hostname="evil.example.org"
                )

    play(tmp_path, scenario)


@pytest.mark.parametrize("value", ["", " \n", "a\nb-long-enough", "nul\0value-long", "ключ-секрет"])
def test_a_value_that_no_header_can_hold_is_named(value: str) -> None:
    bound = (BoundSecret("EXA_KEY", ("api.exa.ai",)),)
    with pytest.raises(SecretUnusable, match="EXA_KEY") as raised:
        Secrets(bound, {"EXA_KEY": value})
    assert "long" not in str(raised.value)


def test_no_value_shows_in_a_representation() -> None:
    secrets = Secrets(SECRETS, VALUES)
    assert VALUE not in repr(secrets) + repr(secrets.redactor()) + str(secrets.variables)
    assert secrets.variables["EXA_KEY"] == PLACEHOLDER
    assert secrets.without(f"a {VALUE} {ENCODED}") == f"a {PLACEHOLDER} {PLACEHOLDER}"


GET, POST = b"GET / HTTP/1.1\r\nHost: api.exa.ai\r\n", b"POST / HTTP/1.1\r\nHost: api.exa.ai\r\n"
CHUNKED, END = b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: api.exa.ai\r\n\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        GET + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
        POST + b"Content-Length: 3\r\n" + CHUNKED + b"\r\n" + END + SMUGGLED,
        POST + b"Content-Length: +3\r\n\r\nabc",
        POST + b"Transfer-Encoding: chunked, identity\r\n\r\n" + END,
        POST + b"Transfer-Encoding : chunked\r\n\r\n" + END,
        POST + CHUNKED + b"\r\nzz\r\n\r\n",
        POST + CHUNKED + b"\r\n-1\r\n\r\n",
        GET + b"X-Key: a\r\n envyard-secret-EXA_KEY\r\n\r\n",
        GET + b"X-Key: a\rInjected: b\r\n\r\n",
        GET + b"X-Key: a\0b\r\n\r\n",
        GET + b"Host: other.exa.ai\r\n\r\n",
        GET + b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        GET + b"X-Key: " + b"a" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: other.exa.ai\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET https://other.exa.ai/ HTTP/1.1\r\nHost: api.exa.ai\r\n\r\n",
        b"TRACE / HTTP/1.1\r\nHost: api.exa.ai\r\n\r\n",
        b"CONNECT other.exa.ai:443 HTTP/1.1\r\nHost: api.exa.ai\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_a_malformed_request_reaches_no_host(tmp_path: Path, request_: bytes) -> None:
    async def scenario(proxy: Intercepting) -> None:
        reply = await proxy.send("api.exa.ai", request_)
        assert reply == b"" or reply[9:12] in (b"400", b"404", b"405"), reply[:80]
        assert not any(b"Injected:" in sent or b"smuggled" in sent for sent in proxy.host.requests)
        assert all(b"\r\nX-Key: a" not in sent for sent in proxy.host.requests)
        assert (await proxy.get("api.exa.ai")).endswith(b"ok")

    play(tmp_path, scenario, "*.exa.ai")


def test_a_request_gets_new_framing(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        await proxy.send(
            "api.exa.ai",
            b"POST /a%2F..%2Fb?x=%00 HTTP/1.1\r\nHost: api.exa.ai:443\r\nTransfer-Encoding: chunked"
            b"\r\nConnection: X-Hop\r\nX-Hop: 1\r\nX-Rollout: word\r\n\r\n"
            b"3\r\nabc\r\n0\r\n\r\n",
        )
        (request,) = proxy.host.requests
        head, _, body = request.partition(b"\r\n\r\n")
        assert head.startswith(b"POST /a%2F..%2Fb?x=%00 HTTP/1.1\r\nHost: api.exa.ai\r\n")
        assert body == b"abc"
        assert b"Content-Length: 3" in head
        for name in (b"X-Hop", b"Transfer-Encoding", b"Envyard", b"User-Agent"):
            assert name not in head

    play(tmp_path, scenario, "api.exa.ai")


def test_headers_that_grow_beyond_their_limit_are_refused(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        many = [f"X-{n}: {PLACEHOLDER * 300}" for n in range(12)]
        assert (await proxy.get("api.exa.ai", *many)).startswith(b"HTTP/1.1 431 ")
        assert proxy.host.requests == []

    play(tmp_path, scenario, "api.exa.ai", bound=SECRETS)


def test_a_judges_host_is_answered_by_the_runs_judge(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        body = b'{"model": "x"}'
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: api.openai.com\r\n"
        reply = await proxy.send(
            "api.openai.com", head + b"Content-Length: %d\r\n\r\n" % len(body) + body
        )
        assert reply.endswith(b'{"verdict": "yes"}')
        assert proxy.judge.requests == [("api.openai.com", "POST", "/v1/chat/completions", body)]
        assert proxy.resolver.looked_up == []
        (row,) = await proxy.recorded()
        assert row.route == "judge"
        assert proxy.access.usage.bytes == 0
        assert proxy.access.usage.last_sent < 0

    play(tmp_path, scenario)


def test_a_connection_without_a_handshake_ends(tmp_path: Path) -> None:
    async def scenario(proxy: Intercepting) -> None:
        from tests.worker.proxy.test_hostile_clients import client_hello

        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(
            b"CONNECT api.openai.com:443 HTTP/1.1\r\n\r\n" + client_hello("api.openai.com")
        )
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(5)
        writer.write(b"\x15\x03\x03\x00\x02\x02\x30")  # alert: unknown authority
        with suppress(*ENDED):
            await reader.read()
        writer.transport.abort()
        assert (await proxy.recorded())[0].route == "judge"

    play(tmp_path, scenario)
