"""A proxy endpoint on a real socket, before hosts of the test's own."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from envyard.contract.connections import Connection
from envyard_runner.proxy.endpoint import ProxyEndpoint
from envyard_runner.proxy.limits import ProxyLimits
from envyard_runner.proxy.rules import Rules
from envyard_runner.proxy.usage import HostUsage
from tests.worker.proxy.hosts import PUBLIC, HostAuthority, Resolver, Serve, echo, serving

ENDED = (ConnectionError, ssl.SSLError, EOFError)  # of a connection that was refused
NAMES = ("api.exa.ai", "other.exa.ai", "a.example.org", "b.a.example.org", "example.org")


@dataclass
class ServedProxy:
    """One run's endpoint and the client that an environment would be."""

    endpoint: ProxyEndpoint
    resolver: Resolver
    authority: HostAuthority
    port: int

    @property
    def usage(self) -> HostUsage:
        return self.endpoint.usage

    async def recorded(self, count: int = 1) -> list[Connection]:
        """The records once that many connections have ended."""
        while sum(row.count for row in self.usage.connections) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return self.usage.connections

    async def connect(
        self, target: str, *, head: bytes | None = None
    ) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter]:
        """Send a CONNECT request, or another `head`; the status, and the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(head or f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        try:
            answer = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return 0, reader, writer
        return int(answer.split()[1]), reader, writer

    async def status(self, target: str = "", *, head: bytes | None = None) -> int:
        """The status of the answer to a CONNECT request."""
        status, _, writer = await self.connect(target, head=head)
        await closed(writer)
        return status

    async def tls(
        self, host: str, *, server_name: str | None = None
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A TLS connection to the host, which names `server_name`; raises OSError where refused."""
        status, _, writer = await self.connect(f"{host}:443")
        assert status == 200
        context = self.authority.client_context()
        if server_name is not None:
            context.check_hostname = False
        if server_name == "":
            context.verify_mode = ssl.CERT_NONE
        transport = writer.transport
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        loop = asyncio.get_running_loop()
        name = host if server_name is None else server_name or None
        try:
            upgraded = await loop.start_tls(transport, protocol, context, server_hostname=name)
        except BaseException:
            transport.abort()
            raise
        assert upgraded is not None
        return reader, asyncio.StreamWriter(upgraded, protocol, reader, loop)


async def closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection from the client's side."""
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@asynccontextmanager
async def served(
    folder: Path,
    *hosts: str,
    answers: dict[str, list[list[str]]] | None = None,
    serve: Serve = echo,
    max_bytes: int = 1 << 20,
    limits: ProxyLimits | None = None,
) -> AsyncIterator[ServedProxy]:
    """An endpoint for `hosts`; all names lead to one TLS server unless `answers` differ."""
    authority = HostAuthority.create(folder, *NAMES)
    async with serving(serve, authority.server_context()) as port:
        resolver = Resolver({name: [[PUBLIC]] for name in NAMES} | (answers or {}), {PUBLIC: port})
        outside = resolver.outside()
        endpoint = ProxyEndpoint(
            HostUsage(max_bytes), outside, Rules(hosts, judge_hosts=()), limits=limits
        )
        listening = socket.create_server(("127.0.0.1", 0))
        address = listening.getsockname()[1]
        await endpoint.open(listening)
        try:
            yield ServedProxy(endpoint, resolver, authority, address)
            assert endpoint.failure == ""
        finally:
            await endpoint.close()
            outside.close()
