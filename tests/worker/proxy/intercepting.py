"""A proxy endpoint that ends TLS: a judge's host, and a host that a secret is bound to."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from envyard.contract.connections import Connection
from envyard.contract.job import BoundSecret
from envyard_runner.execution.host_access import HostAccess
from envyard_runner.gateway.judge.server import INTERCEPTED_HOST
from envyard_runner.proxy.authority import Authority
from envyard_runner.proxy.rules import Rules
from envyard_runner.proxy.secrets import Secrets
from envyard_runner.proxy.usage import HostUsage
from tests.worker.proxy.hosts import PUBLIC, HostAuthority, Resolver, serving
from tests.worker.proxy.served_proxy import NAMES, closed

VALUE = "sk-live/4f9b+2c7e=="
SECRETS = (BoundSecret("EXA_KEY", ("api.exa.ai",)), BoundSecret("OTHER_KEY", ("other.exa.ai",)))
VALUES = {"EXA_KEY": VALUE, "OTHER_KEY": "another-value-9000"}
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass
class RealHost:
    """A host of a test's own: keeps each request as it came and sends `answer`."""

    answer: bytes = PLAIN
    requests: list[bytes] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = 0
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            self.requests.append(head + await reader.readexactly(length))
            writer.write(self.answer)
            await writer.drain()
            if b"Content-Length" not in self.answer and b"chunked" not in self.answer:
                writer.close()
                return


class StubJudge:
    """Stands for the gateway's judge."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, str, bytes]] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.requests.append((request[INTERCEPTED_HOST], request.method, request.raw_path, body))
        return web.json_response({"verdict": "yes"})


@dataclass
class Intercepting:
    """A client inside, which trusts what a sandbox trusts."""

    access: HostAccess
    host: RealHost
    judge: StubJudge
    resolver: Resolver
    port: int

    async def recorded(self, count: int = 1) -> list[Connection]:
        while sum(row.count for row in self.access.usage.connections) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return self.access.usage.connections

    async def tls(self, host: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in answer:
            writer.transport.abort()
            raise ConnectionRefusedError(answer.partition(b"\r\n")[0].decode())
        context = ssl.create_default_context(cadata=self.access.certificates.decode())
        loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        transport = await loop.start_tls(writer.transport, protocol, context, server_hostname=host)
        assert transport is not None
        return reader, asyncio.StreamWriter(transport, protocol, reader, loop)

    async def send(self, host: str, request: bytes) -> bytes:
        """Send raw bytes inside TLS; all that comes back until the connection is closed, or until
        one answer with a length is complete."""
        reader, writer = await self.tls(host)
        writer.write(request)
        answer = b""
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(30):
                answer = await _answer(reader)
        await closed(writer)
        return answer

    async def get(self, host: str, *headers: str, path: str = "/") -> bytes:
        lines = "".join(f"{line}\r\n" for line in headers)
        return await self.send(host, f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{lines}\r\n".encode())


async def _answer(reader: asyncio.StreamReader) -> bytes:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        return error.partial
    body = b""
    if b"chunked" in head:
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        return head + body
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            body = await reader.readexactly(int(line.partition(b":")[2]))
    return head + body


@asynccontextmanager
async def intercepting(
    folder: Path,
    *hosts: str,
    host: RealHost | None = None,
    bound: tuple[BoundSecret, ...] = SECRETS,
    trusted: bool = True,
) -> AsyncIterator[Intercepting]:
    """An endpoint as a run has it: `hosts` are approved, and all lead to `host`, whose certificate
    is `trusted`."""
    real, authority = host or RealHost(), HostAuthority.create(folder, *NAMES)
    async with serving(real.serve, authority.server_context()) as port:
        resolver = Resolver({name: [[PUBLIC]] for name in NAMES}, {PUBLIC: port})
        secrets = Secrets(bound, VALUES)
        rules = Rules(hosts, secrets.hosts)
        public = authority.bundle.read_bytes() if trusted else Authority(["a.org"]).certificate
        access = HostAccess(
            HostUsage(1 << 20), resolver.outside(), rules, secrets, Authority(rules.intercepted),
            public,
        )  # fmt: skip
        judge = StubJudge()
        endpoint = access.endpoint(judge)  # type: ignore[arg-type]
        listening = socket.create_server(("127.0.0.1", 0))
        address = listening.getsockname()[1]
        await endpoint.open(listening)
        try:
            yield Intercepting(access, real, judge, resolver, address)
            assert endpoint.failure == ""
        finally:
            await endpoint.close()
            access.outside.close()
