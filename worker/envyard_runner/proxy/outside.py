"""Look a name up and connect to what it leads to: public addresses only, each name looked up once.

The connection goes to the address that was examined, never to the name: a name that leads elsewhere
at the next look-up (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from envyard.contract.addresses import is_public
from envyard_runner.proxy.names import HTTPS
from envyard_runner.proxy.refused import Refused

LOOKUP_SECONDS = 10.0
CONNECT_SECONDS = 10.0
KEPT_SECONDS = 60.0  # of a look-up
MAX_NAMES = 200  # that one run looks up
MAX_ADDRESSES = 4  # of a name that are tried

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Lookup = Callable[[str], list[str]]
Destination = Callable[[str, int], tuple[str, int]]


def addresses_of(host: str) -> list[str]:
    """Every address of a name, by the machine's resolver; raises OSError."""
    rows = socket.getaddrinfo(host, HTTPS, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def same(address: str, port: int) -> tuple[str, int]:
    """The address itself."""
    return address, port


@dataclass(slots=True)
class Outside:
    """The network of one run. `lookup` and `destination` are the resolver, and the socket address
    that is connected to for an address that was examined; tests put servers of their own there."""

    lookup: Lookup = addresses_of
    destination: Destination = same
    _kept: dict[str, tuple[float, asyncio.Future[list[str]]]] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)
    # Its own threads: a resolver that hangs must not stop what the runner does in others.
    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(4, thread_name_prefix="lookup")
    )

    def close(self) -> None:
        """Forget the look-ups and end the threads."""
        for _, future in self._kept.values():
            future.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def public_addresses(self, host: str) -> list[str]:
        """The addresses of a name; raises Refused where one of them is not public."""
        kept = self._kept.get(host)
        if kept is None or kept[0] < time.monotonic() - KEPT_SECONDS:
            if host not in self._names and len(self._names) >= MAX_NAMES:
                raise Refused("connections", host, HTTPS)
            self._names.add(host)
            loop = asyncio.get_running_loop()
            kept = time.monotonic(), loop.run_in_executor(self._threads, self.lookup, host)
            self._kept[host] = kept
        try:
            async with asyncio.timeout(LOOKUP_SECONDS):
                addresses = await asyncio.shield(kept[1])
        except (OSError, UnicodeError, TimeoutError):
            self._kept.pop(host, None)
            raise Refused("not_found", host, HTTPS) from None
        if not addresses:
            raise Refused("not_found", host, HTTPS)
        if not all(map(is_public, addresses)):
            raise Refused("private_address", host, HTTPS)
        return addresses[:MAX_ADDRESSES]

    async def connect(self, host: str) -> Stream:
        """A connection to one of the name's addresses; raises Refused."""
        for address in await self.public_addresses(host):
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    return await asyncio.open_connection(*self.destination(address, HTTPS))
            except (OSError, TimeoutError):
                continue
        raise Refused("unreachable", host, HTTPS)
