"""How much an archive inside a wheel would expand to; nothing of it is kept.

The hub never unpacks it, but whoever installs the wheel or looks through it may. A zip is taken at
the word of its directory; gzip, bzip2 and xz data tell nothing true and are unpacked to be counted.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable
from typing import Protocol

from envyard.contract.headers import CENTRAL, CENTRAL_MAGIC, LOCAL_MAGIC, bad
from envyard.contract.inflate import CHUNK

MAX_PARTS = 100_000  # members and streams, in all archives inside one wheel
MAX_DICTIONARY = 128 << 20  # bytes that unpacking one xz stream may need; `xz -9` needs 65 MiB
ARCHIVE = re.compile(rb"\.(zip|whl|jar|7z|rar|tar|tgz|txz|tbz2?|gz|bz2|xz|zst)$", re.IGNORECASE)


class Budget:
    """What all archives inside one wheel may expand to together, in bytes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._expanded = 0
        self._parts = 0

    def spend(self, name: str, expanded: int, parts: int = 0) -> None:
        """Note an expansion; raises Unreadable where it is too much."""
        self._expanded += expanded
        self._parts += parts
        if self._expanded > self.most:
            raise bad(
                "wheel.nested_bomb",
                f"member {name!r} is an archive that expands to {self._expanded} bytes or more; "
                f"the limit for all archives in this wheel is {self.most}",
                name,
            )
        if self._parts > MAX_PARTS:
            raise bad(
                "wheel.nested_bomb",
                f"member {name!r} is an archive of more than {MAX_PARTS} parts; that is the limit",
                name,
            )


class Meter(Protocol):
    """Counts one member's expansion as its bytes arrive."""

    def feed(self, piece: bytes) -> None:
        """Count the next bytes; raises Unreadable where they expand to too much."""


class Watch:
    """The meter of any member: tells by its first bytes what it is, however few come at a time."""

    def __init__(self, name: str, budget: Budget) -> None:
        self.name, self.budget = name, budget
        self._start: bytes | None = b""
        self._meter: Meter | None = None

    def feed(self, piece: bytes) -> None:
        """Count the next bytes; raises Unreadable where they expand to too much."""
        if self._start is not None:
            piece = self._start + piece
            self._start = piece if len(piece) < LONGEST_MAGIC else None
            if self._start is None:
                self._meter = self._choose(piece)
        if self._meter is not None:
            self._meter.feed(piece)

    def _choose(self, start: bytes) -> Meter | None:
        if start.startswith(LOCAL_MAGIC):
            return Directory(self.name, self.budget)
        for magic, machine in MACHINES.items():
            if start.startswith(magic):
                return Stream(self.name, machine, self.budget)
        return None


class Directory:
    """A zip's own list of members, wherever in it that stands."""

    def __init__(self, name: str, budget: Budget) -> None:
        self.name, self.budget = name, budget
        self._rest = b""

    def feed(self, piece: bytes) -> None:
        """Count what the headers of the directory declare."""
        data = self._rest + piece
        here = data.find(CENTRAL_MAGIC)
        while 0 <= here <= len(data) - CENTRAL.size:
            fields = CENTRAL.unpack_from(data, here)
            size, length = fields[9], fields[10]
            first = here + CENTRAL.size
            if first + length > len(data):
                break
            self._count(data[first : first + length], size)
            here = data.find(CENTRAL_MAGIC, first + length)
        self._rest = data[here:] if here >= 0 else data[1 - len(CENTRAL_MAGIC) :]

    def _count(self, inner: bytes, size: int) -> None:
        self.budget.spend(self.name, size, parts=1)
        if ARCHIVE.search(inner):
            raise bad(
                "wheel.nested_archive",
                f"member {self.name!r} is an archive that holds the archive "
                f"{inner[-200:].decode(errors='replace')!r}; archives nest once at most",
                self.name,
            )


class Gzip:
    """zlib's decompressor with the manners of the other two."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        """What stands after its end."""
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """At most `max_length` bytes of what is known so far."""
        piece = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self.needs_input = len(piece) < max_length
        return piece


Machine = Gzip | bz2.BZ2Decompressor | lzma.LZMADecompressor
MACHINES: dict[bytes, Callable[[], Machine]] = {
    b"\x1f\x8b\x08": Gzip,
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_DICTIONARY),
}
LONGEST_MAGIC = max(len(magic) for magic in (LOCAL_MAGIC, *MACHINES))


class Stream:
    """Compressed data, possibly several streams one after the other."""

    def __init__(self, name: str, machine: Callable[[], Machine], budget: Budget) -> None:
        self.name, self.budget = name, budget
        self._new: Callable[[], Machine] | None = machine
        self._machine = machine()

    def feed(self, piece: bytes) -> None:
        """Unpack and forget; from the first fault on the bytes are mere data."""
        if self._new is None:
            return
        try:
            self._unpack(piece, self._new)
        except (OSError, EOFError, zlib.error):
            self._new = None
        except lzma.LZMAError as error:
            if "limit" in str(error):
                raise bad(
                    "wheel.nested_bomb",
                    f"member {self.name!r} is an archive that takes more than {MAX_DICTIONARY} "
                    "bytes of memory to unpack; that is the limit",
                    self.name,
                ) from None
            self._new = None

    def _unpack(self, piece: bytes, new: Callable[[], Machine]) -> None:
        while True:
            out = self._machine.decompress(piece, CHUNK)
            self.budget.spend(self.name, len(out))
            piece = b""
            if self._machine.eof:
                self.budget.spend(self.name, 0, parts=1)
                piece = self._machine.unused_data
                self._machine = new()  # another stream may follow
                if not piece:
                    return
            elif self._machine.needs_input:
                return
