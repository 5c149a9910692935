"""The HTTPS server that answers in the name of intercepted hosts, under the run's authority.

The client's bytes reach it through a pair of sockets, after the endpoint has compared the server
name and counted them. Each connection is for one host: a request that names another is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Awaitable, Callable

from aiohttp import web

from envyard_runner.proxy.authority import Authority
from envyard_runner.proxy.limits import ProxyLimits
from envyard_runner.proxy.names import HTTPS
from envyard_runner.proxy.outside import Stream
from envyard_runner.proxy.refused import Refused

log = logging.getLogger(__name__)

MAX_BODY = 16 << 20
MAX_HOSTS = 100
Handler = Callable[[web.Request, str], Awaitable[web.StreamResponse]]


class InterceptedHosts:
    """Serves connections to intercepted hosts by `handle(request, host)`.

    `close` ends what the handler uses. `failure` names an exception of the handler's, which must
    not be blamed on the environment.
    """

    def __init__(
        self,
        authority: Authority,
        handle: Handler,
        limits: ProxyLimits,
        *,
        close: Callable[[], Awaitable[None]],
    ) -> None:
        self.failure = ""
        self._authority, self._handle, self._limits = authority, handle, limits
        self._close = close
        self._runners: dict[str, web.AppRunner] = {}
        self._handshakes: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """End every connection."""
        for task in self._handshakes:
            task.cancel()
        await asyncio.gather(*self._handshakes, return_exceptions=True)
        for runner in self._runners.values():
            await runner.cleanup()
        await self._close()

    async def connect(self, host: str) -> Stream:
        """A new connection to the server, which will answer as `host`; raises Refused."""
        server = await self._server(host)
        near, far = socket.socketpair()
        near.setblocking(False)
        far.setblocking(False)
        task = asyncio.create_task(self._accept(host, server, far))
        self._handshakes.add(task)
        task.add_done_callback(self._handshakes.discard)
        return await asyncio.open_connection(sock=near)

    async def _server(self, host: str) -> web.Server:
        """The server of one host."""
        if host not in self._runners:
            if len(self._runners) >= MAX_HOSTS:
                raise Refused("connections", host, HTTPS)
            self._runners[host] = self._new_runner(host)
            await self._runners[host].setup()
        server = self._runners[host].server
        assert server is not None  # noqa: S101  (setup has made it)
        return server

    def _new_runner(self, host: str) -> web.AppRunner:
        async def answer(request: web.Request) -> web.StreamResponse:
            return await self._answer(request, host)

        application = web.Application(client_max_size=MAX_BODY)
        application.router.add_route("*", "/{path:.*}", answer)
        # Not logging access or malformed requests: the environment decides how many there are.
        quiet = logging.getLogger(f"{__name__}.http")
        quiet.setLevel(logging.CRITICAL)
        return web.AppRunner(
            application,
            access_log=None,
            logger=quiet,
            handler_cancellation=True,
            shutdown_timeout=0.5,
        )

    async def _accept(self, host: str, server: web.Server, far: socket.socket) -> None:
        """Complete the TLS handshake; a client that fails it is gone, and so is its connection."""
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                server,
                far,
                ssl=self._authority.context(host),
                ssl_handshake_timeout=self._limits.opening_seconds,
            )
        except (OSError, TimeoutError):
            with contextlib.suppress(OSError):
                far.close()

    async def _answer(self, request: web.Request, host: str) -> web.StreamResponse:
        if message := _malformed(request, host):
            return web.json_response({"error": message}, status=400)
        try:
            return await self._handle(request, host)
        except (web.HTTPException, ConnectionError, TimeoutError):
            raise
        except Exception as error:
            log.exception("a request to an intercepted host failed")
            self.failure = f"{type(error).__name__}: {error}"
            return web.json_response({"error": "the runner's proxy failed"}, status=500)


def _malformed(request: web.Request, host: str) -> str:
    """Why a request is not one to this host, empty where it is."""
    named = [value.lower() for value in request.headers.getall("Host", [])]
    if named not in ([host], [f"{host}:{HTTPS}"]):
        return f"the Host header must be {host}"
    if not request.raw_path.startswith("/"):
        return "the request target must be a path"
    if "Upgrade" in request.headers:
        return "no other protocol can be used: websockets are not supported"
    if request.method in ("CONNECT", "TRACE"):
        return f"{request.method} is not supported"
    return ""
