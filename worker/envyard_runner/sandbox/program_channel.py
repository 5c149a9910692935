"""The socket between the runner and the program of a sandbox: event lines out, request lines in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable

CHUNK = 1 << 16
LONGEST_LINE = 8 << 20


class ProgramChannel:
    """The runner's end `fd`, of which it holds copies; `close` ends them."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._requests = socket.socket(fileno=os.dup(fd))
        self._requests.setblocking(False)

    async def lines(self, most_bytes: int, flooded: Callable[[], None]) -> AsyncIterator[bytes]:
        """The whole lines of the program; a line or a total beyond the limits calls `flooded` and
        ends them."""
        reader, transport = await self._reader()
        left, buffer = most_bytes, bytearray()
        try:
            while chunk := await reader.read(CHUNK):
                left -= len(chunk)
                *lines, rest = (buffer + chunk).split(b"\n")
                if left < 0 or len(rest) > LONGEST_LINE:
                    flooded()
                    return
                buffer = rest
                for line in lines:
                    yield bytes(line)
        finally:
            transport.close()

    async def send(self, line: bytes) -> None:
        """Send a line to the program; nothing where it has ended."""
        with contextlib.suppress(OSError):
            await asyncio.get_running_loop().sock_sendall(self._requests, line + b"\n")

    def end_requests(self) -> None:
        """Have the program read an end of file."""
        with contextlib.suppress(OSError):  # it has ended
            self._requests.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close the socket."""
        self._requests.close()

    async def _reader(self) -> tuple[asyncio.StreamReader, asyncio.BaseTransport]:
        reader = asyncio.StreamReader(limit=CHUNK)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: _ChannelProtocol(reader), os.fdopen(os.dup(self._fd), "rb")
        )
        return reader, transport


class _ChannelProtocol(asyncio.StreamReaderProtocol):
    """Ends the stream without an exception, which would discard the lines that were not read yet: a
    program that dies with unread requests resets the connection."""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(None)
