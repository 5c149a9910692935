"""The server on the sandbox's proxy socket: CONNECT to approved hosts."""

from __future__ import annotations

import asyncio
import logging
import socket

from envyard.contract.connections import Route
from envyard_runner.proxy import client_hello
from envyard_runner.proxy.intercepted import InterceptedHosts
from envyard_runner.proxy.limits import ProxyLimits
from envyard_runner.proxy.names import read_target
from envyard_runner.proxy.outside import Outside, Stream
from envyard_runner.proxy.refused import Refused
from envyard_runner.proxy.rules import Rules
from envyard_runner.proxy.transfer import close, copy_both_ways
from envyard_runner.proxy.usage import HostUsage, Transfer

log = logging.getLogger(__name__)

MAX_HEAD = 8 << 10
BUFFER = 1 << 16
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


class ProxyEndpoint:
    """Serves one sandbox by `rules`; nothing is looked up for hosts that these refuse.

    `intercepted` answers for the hosts whose TLS ends in the runner, and is opened and closed with
    the endpoint. `failure` names an exception of their own, which must not be blamed on the
    environment.
    """

    def __init__(
        self,
        usage: HostUsage,
        outside: Outside,
        rules: Rules,
        intercepted: InterceptedHosts | None = None,
        *,
        limits: ProxyLimits | None = None,
    ) -> None:
        self.usage = usage
        self._failure = ""
        self._outside, self._rules, self._intercepted = outside, rules, intercepted
        self._limits = limits or ProxyLimits()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def failure(self) -> str:
        """The exception, empty where there was none."""
        return self._failure or (self._intercepted.failure if self._intercepted else "")

    async def open(self, listening: socket.socket) -> None:
        """Serve on the socket that the sandbox handed out, which is closed with the endpoint."""
        listening.setblocking(False)
        self._server = await asyncio.start_server(self._accept, sock=listening, limit=BUFFER)

    async def close(self) -> None:
        """Close the socket and end every connection."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._intercepted is not None:
            await self._intercepted.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Begin to serve a connection. The open ones are counted before their first byte, so that
        silent connections are among those that are limited."""
        full = len(self._tasks) >= self._limits.connections
        if len(self._tasks) >= 2 * self._limits.connections:  # these are being refused already
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve((reader, writer), full=full))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, client: Stream, *, full: bool) -> None:
        transfer = Transfer()
        try:
            await self._connect(client, transfer, full=full)
        except Refused as error:
            self.usage.refuse(transfer, error)
        except (OSError, EOFError):  # either end is gone
            pass
        except Exception as error:
            log.exception("a connection through the proxy failed")
            self._failure = f"{type(error).__name__}: {error}"
        finally:
            self.usage.end(transfer)
            await close(client)

    async def _connect(self, client: Stream, transfer: Transfer, *, full: bool) -> None:
        far: Stream | None = None
        try:
            try:
                host, port = read_target(await self._head(client[0]))
                transfer.host, transfer.port = host, port
                if full:
                    raise Refused("connections", host, port)
                route, far = await self._open(host, port)
            except Refused as error:
                await self._answer(client[1], error.answer)
                raise
            await self._answer(client[1], ESTABLISHED)
            hello = await client_hello.read(client[0], host, seconds=self._limits.opening_seconds)
            transfer.route = route
            await self._pass_on(hello, client, far, transfer)
        finally:
            if far is not None:
                await close(far)

    async def _open(self, host: str, port: int) -> tuple[Route, Stream]:
        """The other end of a connection to the host; raises Refused."""
        route = self._rules.route(host, port)
        if route == "tunnel":
            return route, await self._outside.connect(host)
        assert self._intercepted is not None  # noqa: S101  (rules with such hosts come with one)
        return route, await self._intercepted.connect(host)

    async def _pass_on(self, hello: bytes, client: Stream, far: Stream, transfer: Transfer) -> None:
        if self.usage.send(transfer, len(hello)) < len(hello):
            raise Refused("bytes", transfer.host, transfer.port)
        far[1].write(hello)
        await copy_both_ways(client, far, transfer, self.usage, self._limits)

    async def _head(self, reader: asyncio.StreamReader) -> bytes:
        """The request's head; raises Refused where it is too long or too slow, EOFError where the
        client went away."""
        try:
            async with asyncio.timeout(self._limits.opening_seconds):
                head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            raise EOFError from None
        except (asyncio.LimitOverrunError, TimeoutError):
            raise Refused("head") from None
        if len(head) > MAX_HEAD:
            raise Refused("head")
        return head

    async def _answer(self, writer: asyncio.StreamWriter, answer: bytes) -> None:
        async with asyncio.timeout(self._limits.opening_seconds):
            writer.write(answer)
            await writer.drain()
