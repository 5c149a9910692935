"""An HTTP server on a listening socket that the sandbox handed out."""

from __future__ import annotations

import asyncio
import logging
import socket

from aiohttp import web


class SocketServer:
    """Serves the application with at most that many connections; further ones are ended.

    `name` is of its logger: access and malformed requests are not logged, since the environment
    decides how many there are.
    """

    def __init__(self, application: web.Application, *, connections: int, name: str) -> None:
        quiet = logging.getLogger(f"{name}.http")
        quiet.setLevel(logging.CRITICAL)
        self._runner = web.AppRunner(
            application,
            access_log=None,
            logger=quiet,
            handler_cancellation=True,
            shutdown_timeout=0.5,
        )
        self._connections = connections
        self._server: asyncio.Server | None = None

    async def open(self, listening: socket.socket) -> None:
        """Serve on the socket, which is closed with the server."""
        await self._runner.setup()
        server = self._runner.server
        assert server is not None  # noqa: S101  (setup has just made it)

        def connect() -> asyncio.Protocol:
            return server() if len(server.connections) < self._connections else _Refusing()

        listening.setblocking(False)
        self._server = await asyncio.get_running_loop().create_server(connect, sock=listening)

    async def close(self) -> None:
        """Close the socket and end every request."""
        if self._server is not None:
            self._server.close()
        await self._runner.cleanup()


class _Refusing(asyncio.Protocol):
    """Ends a connection over the limit, so that the runner never runs out of descriptors."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101  (a stream socket's)
        transport.abort()
