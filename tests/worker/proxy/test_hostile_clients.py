"""What an environment may try at the proxy: each attempt is refused and recorded."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from envyard.contract.addresses import is_public
from envyard_runner.proxy.client_hello import server_name
from envyard_runner.proxy.limits import ProxyLimits
from tests.worker.proxy.hosts import PUBLIC
from tests.worker.proxy.served_proxy import ENDED, ServedProxy, closed
from tests.worker.proxy.test_endpoint import play


def client_hello(name: str | None) -> bytes:
    """The first bytes of a TLS client that names `name`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("api.exa.ai:80", 403),
        ("api.exa.ai:22", 403),
        ("api.exa.ai:8443", 403),
        ("api.exa.ai:99999", 403),
        ("api.exa.ai:", 405),
        ("api.exa.ai", 405),
        ("93.184.216.34:443", 403),
        ("127.0.0.1:443", 403),
        ("127.1:443", 403),
        ("0x7f000001:443", 403),
        ("2130706433:443", 403),
        ("0177.0.0.1:443", 403),
        ("[::1]:443", 403),
        ("[2606:4700:4700::1111]:443", 403),
        ("localhost:443", 403),
        ("a.localhost:443", 403),
        ("api.exa.ai.:443", 403),
        ("api..exa.ai:443", 403),
        ("-api.exa.ai:443", 403),
        ("user@api.exa.ai:443", 403),
        ("api.exa.ai:443@other.exa.ai:443", 403),
        ("api.exa.ai%00.evil.org:443", 403),
        ("api.exa.ai#:443", 403),
        (f"{'a' * 64}.exa.ai:443", 403),
        ("evil-api.exa.ai:443", 403),
        ("api.exa.ai.evil.org:443", 403),
    ],
)
def test_a_target_that_is_no_approved_name_is_refused(
    tmp_path: Path, target: str, status: int
) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        assert await proxy.status(target) == status
        assert proxy.resolver.looked_up == []
        (row,) = await proxy.recorded()
        assert row.route == "refused"
        assert row.reason

    play(tmp_path, scenario, "api.exa.ai")


@pytest.mark.parametrize(
    "head",
    [
        b"GET http://api.exa.ai/ HTTP/1.1\r\nHost: api.exa.ai\r\n\r\n",
        b"POST http://169.254.169.254/latest HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: api.exa.ai\r\n\r\n",
        b"CONNECT api.exa.ai:443\r\n\r\n",
        b"CONNECT  api.exa.ai:443 HTTP/1.1\r\n\r\n",
        b"CONNECT api.exa.ai:443 HTTP/2.0\r\n\r\n",
        b"connect api.exa.ai:443 HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"\x05\x01\x00\r\n\r\n",
    ],
)
def test_a_request_that_is_no_connect_is_refused(tmp_path: Path, head: bytes) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        assert await proxy.status(head=head) == 405
        assert proxy.resolver.looked_up == []
        assert proxy.usage.attempts == 1

    play(tmp_path, scenario, "api.exa.ai")


def test_a_plain_request_is_recorded_with_its_host(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        assert await proxy.status(head=b"GET http://news.example.org/x HTTP/1.1\r\n\r\n") == 405
        assert proxy.usage.targets == ["news.example.org:80"]

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "head", [b"CONNECT " + b"a" * 9000, b"CONNECT api.exa.ai:443 HTTP/1.1\r\n"]
)
def test_a_head_that_is_long_or_slow_is_refused(tmp_path: Path, head: bytes) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(head)
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
        await closed(writer)

    play(tmp_path, scenario, "api.exa.ai", limits=ProxyLimits(opening_seconds=0.5))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::",
        "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2002:a00:1::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ],
)  # fmt: skip
def test_a_name_that_leads_to_no_public_address_is_refused(tmp_path: Path, address: str) -> None:
    assert not is_public(address)

    async def scenario(proxy: ServedProxy) -> None:
        assert await proxy.status("api.exa.ai:443") == 403
        assert await proxy.status("other.exa.ai:443") == 403
        assert proxy.resolver.connected == []
        assert "not public" in proxy.usage.connections[0].reason

    answers = {"api.exa.ai": [[address]], "other.exa.ai": [[PUBLIC, address]]}
    play(tmp_path, scenario, "*.exa.ai", answers=answers)


@pytest.mark.parametrize("address", [PUBLIC, "1.1.1.1", "2606:4700:4700::1111", "64:ff9b::101:101"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


def test_the_connection_goes_to_the_address_that_was_examined(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        assert await proxy.status("api.exa.ai:443") == 200
        assert await proxy.status("api.exa.ai:443") == 200
        assert proxy.resolver.connected == [f"{PUBLIC}:443"] * 2
        assert proxy.resolver.looked_up == ["api.exa.ai"]

    play(tmp_path, scenario, "api.exa.ai", answers={"api.exa.ai": [[PUBLIC], ["127.0.0.1"]]})


@pytest.mark.parametrize("name", ["other.exa.ai", ""])
def test_another_server_name_on_an_allowed_address_is_refused(tmp_path: Path, name: str) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        with pytest.raises(ENDED):
            await proxy.tls("api.exa.ai", server_name=name)
        (row,) = await proxy.recorded()
        assert "server name" in row.reason
        assert row.sent == row.received == 0

    play(tmp_path, scenario, "api.exa.ai")


def test_a_client_hello_in_single_bytes_is_read(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        hello = client_hello("api.exa.ai")
        _, reader, writer = await proxy.connect("api.exa.ai:443")
        for byte in hello:
            writer.write(bytes([byte]))
            await writer.drain()
        assert (await reader.readexactly(3))[:2] == b"\x16\x03"
        await closed(writer)

    play(tmp_path, scenario, "api.exa.ai")


def test_a_client_hello_in_many_records_is_read(tmp_path: Path) -> None:
    def records(hello: bytes) -> bytes:
        body = hello[5:]
        parts = [body[at : at + 50] for at in range(0, len(body), 50)]
        return b"".join(hello[:3] + len(part).to_bytes(2) + part for part in parts)

    async def scenario(proxy: ServedProxy) -> None:
        for name, passed in (("api.exa.ai", True), ("other.exa.ai", False)):
            _, reader, writer = await proxy.connect("api.exa.ai:443")
            writer.write(records(client_hello(name)))
            answer = await reader.read(5)
            assert bool(answer) is passed
            await closed(writer)
        rows = await proxy.recorded(2)
        assert sorted(bool(row.reason) for row in rows) == [False, True]

    play(tmp_path, scenario, "api.exa.ai")


@pytest.mark.parametrize(
    "first",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"SSH-2.0-x\r\n",
        b"\x16\x03\x01\x00\x00",
        b"\x16\x03\x01\xff\xff" + b"\0" * 70_000,
        b"\x16\x03\x01\x00\x04\x02\x00\x00\x00",
        b"\x16\x03\x01\x40\x00\x01\xff\xff\xff" + b"\0" * 40_000,
        b"\x15\x03\x01\x00\x02\x01\x00",
    ],
)
def test_bytes_that_are_no_client_hello_reach_nobody(tmp_path: Path, first: bytes) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        _, reader, writer = await proxy.connect("api.exa.ai:443")
        writer.write(first)
        with suppress(OSError):
            assert await reader.read() == b""
        (row,) = await proxy.recorded()
        assert "ClientHello" in row.reason
        assert row.sent == 0
        await closed(writer)

    limits = ProxyLimits(opening_seconds=2)
    play(tmp_path, scenario, "api.exa.ai", limits=limits)


def test_a_client_that_sends_nothing_after_connect_is_ended(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        _, reader, writer = await proxy.connect("api.exa.ai:443")
        assert await reader.read() == b""
        assert "ClientHello" in (await proxy.recorded())[0].reason
        await closed(writer)

    play(tmp_path, scenario, "api.exa.ai", limits=ProxyLimits(opening_seconds=0.5))


def test_two_server_names_and_encrypted_hellos_name_no_host() -> None:
    plain = client_hello("api.exa.ai")[9:]
    assert server_name(plain) == "api.exa.ai"
    assert server_name(client_hello(None)[9:]) == ""
    name = b"\x00\x00\x00\x0f\x00\x0d\x00\x00\x0aapi.exa.ai"
    head = b"\x03\x03" + b"\0" * 32 + b"\x00" + b"\x00\x02\x13\x01" + b"\x01\x00"

    def hello(*extensions: bytes) -> bytes:
        content = b"".join(extensions)
        return head + len(content).to_bytes(2) + content

    assert server_name(hello(name)) == "api.exa.ai"
    assert server_name(hello(name, name)) == ""
    assert server_name(hello(name, b"\xfe\x0d\x00\x00")) == ""
    assert server_name(hello(name)[:-3]) == ""
    assert server_name(hello(b"\x00\x00\x00\x0f\x00\x0d\x01\x00\x0aapi.exa.ai")) == ""
    assert server_name(b"") == ""


def test_the_65th_connection_is_refused(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        async with AsyncExitStack() as stack:
            for _ in range(64):
                status, _, writer = await proxy.connect("api.exa.ai:443")
                assert status == 200
                stack.push_async_callback(closed, writer)
            assert await proxy.status("api.exa.ai:443") == 503
        await proxy.recorded(65)
        assert await proxy.status("api.exa.ai:443") == 200

    play(tmp_path, scenario, "api.exa.ai")


def test_silent_connections_are_among_those_that_are_limited(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        async with AsyncExitStack() as stack:
            for _ in range(200):
                _, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
                stack.push_async_callback(closed, writer)
            assert await proxy.status("api.exa.ai:443") in (0, 503)
        while await proxy.status("api.exa.ai:443") != 200:  # noqa: ASYNC110
            await asyncio.sleep(0.05)

    play(tmp_path, scenario, "api.exa.ai", limits=ProxyLimits(opening_seconds=30))


def test_the_first_byte_over_the_runs_bytes_is_not_sent(tmp_path: Path) -> None:
    received = bytearray()

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while part := await reader.read(1000):
            received.extend(part)

    async def scenario(proxy: ServedProxy) -> None:
        reader, writer = await proxy.tls("api.exa.ai")
        with suppress(OSError):
            while not reader.at_eof():
                writer.write(b"x" * 5000)
                await writer.drain()
                with suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(1), 0.01)
        (row,) = await proxy.recorded()
        assert "used up" in row.reason
        assert row.sent + row.received == proxy.usage.bytes == 20_000
        assert len(received) < 20_000
        with pytest.raises(ENDED):
            await proxy.tls("api.exa.ai")
        await closed(writer)

    play(tmp_path, scenario, "api.exa.ai", serve=keep, max_bytes=20_000)
