"""Look a name up and connect to what it leads to: public addresses only, each name looked up once.

The connection goes to the address that was examined, never to the name: a name that leads elsewhere
at the next look-up (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from envyard_runner.proxy.names import HTTPS
from envyard_runner.proxy.refused import Refused

LOOKUP_SECONDS = 10.0
CONNECT_SECONDS = 10.0
KEPT_SECONDS = 60.0  # of a look-up
MAX_NAMES = 200  # that one run looks up
MAX_ADDRESSES = 4  # of a name that are tried
NAT64 = ipaddress.ip_network("64:ff9b::/96")

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


def is_public(address: str) -> bool:
    """Whether an address is routed in the whole internet and does not belong to this machine."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        elif parsed in NAT64:
            parsed = ipaddress.IPv4Address(parsed.packed[12:])
        elif parsed.sixtofour is not None or parsed.teredo is not None:
            return False
    return parsed.is_global and not parsed.is_multicast and not _belongs_to_machine(str(parsed))


def _belongs_to_machine(address: str) -> bool:
    """Whether the kernel would connect to `address` from itself; sends nothing."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, HTTPS))
            return bool(probe.getsockname()[0] == address)
    except OSError:  # no route: connecting fails too
        return False
