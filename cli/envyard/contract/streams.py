"""Compressed streams inside a member: unpacked, counted, searched, and not kept."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Protocol

from envyard.contract.headers import unreadable_wheel
from envyard.contract.inflate import CHUNK

MAX_DICTIONARY = 128 << 20  # bytes that unpacking one xz stream may need; `xz -9` needs 65 MiB
ZSTD_MAGIC, ZSTD_BLOCK = b"\x28\xb5\x2f\xfd", 1 << 17
MAX_HEADER = 18  # of a Zstandard frame
TINY_BLOCK = 16  # bytes; reading very many blocks of so few takes long


class Output(Protocol):
    """Receives the unpacked bytes of a stream."""

    def count(self, expanded: int, parts: int = 0) -> None:
        """Count an expansion; raises Unreadable where it is too much."""

    def feed(self, chunk: bytes) -> None:
        """The next unpacked bytes."""

    def close(self) -> None:
        """There are no more."""


class Deflated:
    """zlib's decompressor with the interface of the other two."""

    def __init__(self, wbits: int) -> None:
        self._zlib = zlib.decompressobj(wbits)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        """The bytes after its end."""
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Up to `max_length` unpacked bytes of the data so far."""
        chunk = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self.needs_input = len(chunk) < max_length
        return chunk


Machine = Deflated | bz2.BZ2Decompressor | lzma.LZMADecompressor
MACHINES: dict[bytes, Callable[[], Machine]] = {
    b"\x1f\x8b\x08": lambda: Deflated(31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_DICTIONARY),
}


def machine(start: bytes) -> Callable[[], Machine] | None:
    """The decompressor for data with those first bytes; None where it is no stream."""
    for magic, name in MACHINES.items():
        if start.startswith(magic):
            return name
    return None


def weak_machine(start: bytes) -> Callable[[], Machine] | None:
    """The same for formats whose first bytes say little: zlib, and the older one of .lzma."""
    if _is_lzma(start):
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=MAX_DICTIONARY)
    if start[:1] == b"x" and len(start) > 2 and int.from_bytes(start[:2], "big") % 31 == 0:
        return lambda: Deflated(15)
    return None


def _is_lzma(start: bytes) -> bool:
    """Whether the 13 bytes of a header of .lzma are such as an encoder writes."""
    if len(start) < 14 or start[0] > 224 or start[13] != 0:
        return False
    dictionary = int.from_bytes(start[1:5], "little")
    usual = {2**power for power in range(12, 32)} | {3 * 2**power for power in range(11, 31)}
    size = int.from_bytes(start[5:13], "little")
    return (dictionary in usual or dictionary == 2**32 - 1) and (size < 2**38 or size == 2**64 - 1)


class Stream:
    """Compressed data, possibly several streams one after the other."""

    def __init__(self, name: str, new: Callable[[], Machine], output: Output) -> None:
        self._name, self._output = name, output
        self._new: Callable[[], Machine] | None = new
        self._machine = new()

    def feed(self, chunk: bytes) -> None:
        """Unpack without keeping; from the first fault on the bytes are plain data."""
        if self._new is None:
            return
        try:
            self._unpack(chunk, self._new)
        except (OSError, EOFError, ValueError, zlib.error):
            self._new = None
        except lzma.LZMAError as error:
            if "limit" in str(error):
                raise unreadable_wheel(
                    "wheel.nested_bomb",
                    f"member {self._name!r} is an archive that takes more than {MAX_DICTIONARY} "
                    "bytes of memory to unpack; that is the limit",
                    self._name,
                ) from None
            self._new = None

    def close(self) -> None:
        """The compressed data ends here, maybe too early."""
        self._output.close()

    def _unpack(self, chunk: bytes, new: Callable[[], Machine]) -> None:
        while True:
            out = self._machine.decompress(chunk, CHUNK)
            self._output.count(len(out))
            self._output.feed(out)
            chunk = b""
            if self._machine.eof:
                self._output.count(0, parts=1)
                chunk = self._machine.unused_data
                self._machine = new()  # another stream may follow
                if not chunk:
                    return
            elif self._machine.needs_input:
                return


class Zstandard:
    """Counts what a Zstandard stream unpacks to at most, by the headers of its blocks.

    Source: RFC 8878. The standard library cannot unpack it, so its content is not examined.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._data = b""
        self._at = self._skip = 0  # the bytes read, and the bytes to skip
        self._step: Callable[[], bool] = self._frame
        self._ended = False  # no frame follows
        self._checksum = False
        self._declared = -1  # the rest of the frame's declared size, which readers enforce

    def feed(self, chunk: bytes) -> None:
        """Count the next blocks."""
        if self._ended:
            return
        if self._skip >= len(chunk):
            self._skip -= len(chunk)
            return
        self._data += chunk[self._skip :]
        self._at = self._skip = 0
        while self._step():
            self._at, self._skip = self._at + self._skip, 0
            if self._at >= len(self._data):
                break
        self._data, self._skip = self._data[self._at :], max(0, self._at - len(self._data))

    def close(self) -> None:
        """The compressed data ends here."""
        self._output.close()

    def _frame(self) -> bool:
        start = self._data[self._at : self._at + MAX_HEADER]
        if len(start) < MAX_HEADER:
            return False
        magic, descriptor = start[:4], start[4]
        if magic[1:] == b"\x2a\x4d\x18" and magic[0] >> 4 == 5:  # a frame to be skipped
            self._skip = 8 + int.from_bytes(start[4:8], "little")
            return True
        if magic != ZSTD_MAGIC:
            self._ended = True
            return False
        single = descriptor >> 5 & 1
        sizes = (single, 2, 4, 8)[descriptor >> 6]
        self._checksum = bool(descriptor & 4)
        before = 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3]
        self._skip = before + sizes
        declared = int.from_bytes(start[before : self._skip], "little")
        self._declared = declared + (256 if sizes == 2 else 0) if sizes else -1
        self._step = self._block
        self._output.count(0, parts=1)
        return True

    def _block(self) -> bool:
        start = self._data[self._at : self._at + 3]
        if len(start) < 3:
            return False
        header = int.from_bytes(start, "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        expanded = ZSTD_BLOCK if kind == 2 else min(size, ZSTD_BLOCK)
        if self._declared >= 0:
            expanded = min(expanded, self._declared)
            self._declared -= expanded
        self._output.count(expanded, parts=int(size < TINY_BLOCK))
        self._skip = 3 + (1 if kind == 1 else size)
        if last:
            self._skip += 4 if self._checksum else 0
            self._step = self._frame
        return True
