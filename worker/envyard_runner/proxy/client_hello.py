"""The server name in the first bytes that a TLS client sends (RFC 8446, 4.1.2; RFC 6066, 3).

The bytes are read and passed on, never changed. A ClientHello may come in many pieces, in many TLS
records and with any extensions; what cannot be read completely within the bounds is refused.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from envyard_runner.proxy.names import HTTPS
from envyard_runner.proxy.refused import Refused

MAX_BYTES = 1 << 15
MAX_RECORD = 1 << 14
HANDSHAKE, CLIENT_HELLO = 22, 1
SERVER_NAME, ENCRYPTED_HELLO = 0, 0xFE0D
HOST_NAME = 0


async def read(reader: asyncio.StreamReader, host: str, *, seconds: float) -> bytes:
    """The client's first bytes, a ClientHello that names `host`; raises Refused."""
    raw, handshake = bytearray(), bytearray()
    try:
        async with asyncio.timeout(seconds):
            while not _is_whole(handshake):
                header = await reader.readexactly(5)
                length = int.from_bytes(header[3:5])
                if header[0] != HANDSHAKE or header[1] != 3 or not 0 < length <= MAX_RECORD:
                    raise Refused("not_tls", host, HTTPS)
                if len(raw) + length > MAX_BYTES:
                    raise Refused("not_tls", host, HTTPS)
                record = await reader.readexactly(length)
                raw += header + record
                handshake += record
                if handshake[0] != CLIENT_HELLO:
                    raise Refused("not_tls", host, HTTPS)
    except (asyncio.IncompleteReadError, TimeoutError, ConnectionError):
        raise Refused("not_tls", host, HTTPS) from None
    if server_name(bytes(handshake[4:])) != host:
        raise Refused("server_name", host, HTTPS)
    return bytes(raw)


def server_name(hello: bytes) -> str:
    """The one server name of a ClientHello's body in lower case; empty where there is none, or
    where an encrypted ClientHello may hold another."""
    try:
        names = _extensions(_Fields(hello))
    except (IndexError, UnicodeError):
        return ""
    return names[0] if len(names) == 1 else ""


def _is_whole(handshake: bytearray) -> bool:
    """Whether the handshake message is complete; a second message behind it is not expected."""
    if len(handshake) < 4:
        return False
    return len(handshake) >= 4 + int.from_bytes(handshake[1:4])


@dataclass(slots=True)
class _Fields:
    """Reads fields of given sizes; raises IndexError beyond the end."""

    data: bytes
    at: int = 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        if self.at + size > len(self.data):
            raise IndexError(size)
        self.at += size
        return self.data[self.at - size : self.at]

    def vector(self, size_bytes: int) -> bytes:
        """The next bytes after their length, which takes `size_bytes`."""
        return self.take(int.from_bytes(self.take(size_bytes)))

    @property
    def left(self) -> int:
        """How many bytes are unread."""
        return len(self.data) - self.at


def _extensions(hello: _Fields) -> list[str]:
    """Every server name; an encrypted ClientHello adds one that no host has."""
    hello.take(2 + 32)  # version and random
    hello.vector(1)  # session
    hello.vector(2)  # cipher suites
    hello.vector(1)  # compression methods
    extensions = _Fields(hello.vector(2))
    names: list[str] = []
    while extensions.left:
        kind, content = int.from_bytes(extensions.take(2)), _Fields(extensions.vector(2))
        if kind == ENCRYPTED_HELLO:
            names.append("")
        elif kind == SERVER_NAME:
            listed = _Fields(content.vector(2))
            while listed.left:
                entry = int.from_bytes(listed.take(1))
                name = listed.vector(2).decode("ascii").lower()
                names.append(name if entry == HOST_NAME else "")
    return names
