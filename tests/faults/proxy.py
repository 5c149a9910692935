"""A TCP proxy between two parts that a test can cut and restore, and pause at a given request.

A cut proxy behaves as a network that loses every packet: neither side gets an error, connections
stay open and continue once it is restored.
"""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from dataclasses import dataclass, field

CHUNK = 1 << 16
TCP_REPAIR = 19  # of linux/tcp.h: a socket closed in this state sends nothing


@dataclass
class Hold:
    """Pauses the first connection whose request matches a pattern, before or after it is forwarded.

    `skip` such requests pass first. `caught` is set at the pause, `Proxy.release` ends it.
    """

    request: bytes
    before: bool
    skip: int = 0
    caught: threading.Event = field(default_factory=threading.Event)
    released: bool = False
    since: float = 0.0  # when it caught one, on the monotonic clock

    def matches(self, chunk: bytes) -> bool:
        """Whether to pause here; true at most once."""
        if self.released or self.caught.is_set() or not re.search(self.request, chunk[:200]):
            return False
        self.skip -= 1
        return self.skip < 0


class ProxyLoop:
    """The event loop of all proxies of a deployment, in a thread of its own."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._proxies: list[Proxy] = []
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def add_proxy(self, target: tuple[str, int] | str, host: str = "127.0.0.1") -> Proxy:
        """A new proxy to that address or unix socket, which listens at `host`."""
        opening = _open(target, host, self.loop)
        self._proxies.append(asyncio.run_coroutine_threadsafe(opening, self.loop).result(10))
        return self._proxies[-1]

    def close(self) -> None:
        """Drop every connection."""
        asyncio.run_coroutine_threadsafe(_end(self._proxies), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)
        self.loop.close()


async def _end(proxies: list[Proxy]) -> None:
    for proxy in proxies:
        proxy.server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.sleep(0.1)  # transports close in the loop's next rounds


async def _open(target: tuple[str, int] | str, host: str, loop: asyncio.AbstractEventLoop) -> Proxy:
    proxy = Proxy(target, loop)
    server = await asyncio.start_server(proxy.carry, host, 0)
    proxy.port = server.sockets[0].getsockname()[1]
    proxy.server = server
    return proxy


class Proxy:
    """One listening port that forwards to one target.

    `lost` counts the bytes, `refused` the connections since it was last cut.
    """

    port: int
    server: asyncio.Server

    def __init__(self, target: tuple[str, int] | str, loop: asyncio.AbstractEventLoop) -> None:
        self.target = target
        self.hold: Hold | None = None
        self._loop = loop
        self._whole = asyncio.Event()
        self._whole.set()
        self._released = asyncio.Event()
        self._carrying: set[asyncio.Task[None] | None] = set()
        self._accepted: set[asyncio.StreamWriter] = set()
        self.lost = self.refused = self.forgotten = 0

    def cut(self) -> None:
        """Hold back every byte and connection from now on."""
        self.lost = self.refused = 0
        self._loop.call_soon_threadsafe(self._whole.clear)

    def restore(self) -> None:
        """Forward again, also what was held back."""
        self._loop.call_soon_threadsafe(self._whole.set)

    def drop_silently(self) -> None:
        """Drop every connection without a FIN or RST, as a power failure does; only root can.

        A client that sends gets an error then; one that only waits gets none.
        """
        asyncio.run_coroutine_threadsafe(self._drop_silently(), self._loop).result(10)

    async def _drop_silently(self) -> None:
        for writer in list(self._accepted):
            connection = writer.get_extra_info("socket")
            connection.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
            writer.transport.abort()
            self.forgotten += 1

    def stop_at(self, hold: Hold) -> Hold:
        """Pause one connection at that request."""
        self._loop.call_soon_threadsafe(self._released.clear)
        self.hold = hold
        return hold

    def release(self) -> None:
        """End the pause, and pause nothing more."""
        if self.hold is not None:
            self.hold.released = True
        self._loop.call_soon_threadsafe(self._released.set)

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end."""
        task = asyncio.current_task()
        self._carrying.add(task)  # the loop itself keeps none alive
        self._accepted.add(writer)
        try:
            await self._carry(reader, writer)
        finally:
            self._carrying.discard(task)
            self._accepted.discard(writer)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers = [writer]
        try:
            self.refused += not self._whole.is_set()
            await self._whole.wait()
            target_reader, target_writer = await (
                asyncio.open_unix_connection(self.target)
                if isinstance(self.target, str)
                else asyncio.open_connection(*self.target)
            )
            writers.append(target_writer)
            held = asyncio.Event()
            held.set()
            await asyncio.gather(
                self._pump(reader, target_writer, held, asks=True),
                self._pump(target_reader, writer, held, asks=False),
            )
        except OSError:
            writer.transport.abort()
        finally:
            for open_writer in writers:
                open_writer.close()

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        held: asyncio.Event,
        *,
        asks: bool,
    ) -> None:
        """Forward one direction; `held` is clear while this connection's answers are paused."""
        try:
            while chunk := await reader.read(CHUNK):
                if asks and self.hold is not None and self.hold.matches(chunk):
                    if not self.hold.before:
                        held.clear()
                        writer.write(chunk)
                        chunk = b""
                    self.hold.since = time.monotonic()
                    self.hold.caught.set()
                    await self._released.wait()
                    held.set()
                if not asks:
                    await held.wait()
                if not self._whole.is_set():
                    self.lost += len(chunk)
                    await self._whole.wait()
                writer.write(chunk)
                await writer.drain()
            await self._whole.wait()
            writer.write_eof()
        except (OSError, RuntimeError):
            writer.transport.abort()
        finally:
            if not asks:  # the target has sent its last byte
                writer.close()
