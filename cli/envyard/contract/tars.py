"""The members of a tar archive, from the first byte on; nothing of it is kept.

Source: POSIX pax, and GNU tar's long names and sparse files, which expand to more than they hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol

BLOCK = 512
MAX_HEADER = 1 << 16  # bytes of a long name or of pax fields; more is no header that anybody writes
FIELDS_A_PART = 10  # pax fields of one header that cost as much time as a member
LONG_NAME = b"L"
HEADER_KINDS = (LONG_NAME, b"K", b"x", b"X", b"g")  # of the member that follows, or of all
# Kinds of which the header's size means nothing: links, devices, folders, pipes.
EMPTY_KINDS = (b"1", b"2", b"3", b"4", b"5", b"6")
OCTAL = re.compile(rb"[0-7]+")  # int() takes signs and underscores too
PAX_LENGTH = re.compile(rb"([0-9]{1,19}) ")
SPARSE_SIZES = ("GNU.sparse.realsize", "GNU.sparse.size")


class Sink(Protocol):
    """Takes the bytes of one member."""

    def feed(self, chunk: bytes) -> None:
        """The next bytes."""

    def close(self) -> None:
        """There are no more."""


def is_header(block: bytes) -> bool:
    """Whether a block is the header of a member: its checksum is right."""
    declared = _number(block[148:156])
    computed = sum(block) - sum(block[148:156]) + 8 * 32
    return len(block) == BLOCK and declared == computed and block[:1] != b"\0"


class Tar:
    """Gives each member's bytes to a sink of its own; stops at the first block that is no header.

    `member` is called with each file's name and the size that it expands to beyond its bytes;
    `count` notes headers that take as long to read as members, and may refuse them.
    """

    def __init__(
        self, member: Callable[[str, int], Sink], count: Callable[[int, int], None]
    ) -> None:
        self._member, self._count = member, count
        self._data = bytearray()
        self._left = self._padding = 0
        self._sink: Sink | None = None
        self._header: bytearray | None = None  # of a long name or pax fields, being collected
        self._kind = b""
        self._fields: dict[str, str] = {}
        self._sparse_headers = False
        self._ended = False

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the archive."""
        if self._ended:
            return
        self._data += chunk
        position = 0
        while not self._ended:
            if self._left or self._padding:
                size = self._take(position)
                if not size:
                    break
                position += size
            elif len(self._data) - position >= BLOCK:
                self._block(bytes(self._data[position : position + BLOCK]))
                position += BLOCK
            else:
                break
        del self._data[:position]

    def close(self) -> None:
        """The archive ends, maybe inside a member."""
        if self._sink is not None:
            self._sink.close()
            self._sink = None

    def _take(self, position: int) -> int:
        """Pass on what there is of the member's bytes; how many bytes that were."""
        size = min(self._left or self._padding, len(self._data) - position)
        if not self._left:
            self._padding -= size
            return size
        chunk = bytes(self._data[position : position + size])
        self._left -= size
        if self._sink is not None:
            self._sink.feed(chunk)
        elif self._header is not None:
            self._header += chunk
        if not self._left:
            self._finish()
        return size

    def _finish(self) -> None:
        """The member's bytes are complete."""
        self.close()
        if self._header is None:
            return
        if self._kind == LONG_NAME:
            self._fields["path"] = self._header.rstrip(b"\0").decode(errors="replace")
        else:
            fields = list(_pax(bytes(self._header)))
            self._count(0, len(fields) // FIELDS_A_PART)
            self._fields |= dict(fields)
        self._header = None

    def _block(self, block: bytes) -> None:
        if (
            self._sparse_headers
        ):  # of 21 more pieces; the last byte but seven is set if another follows
            self._sparse_headers = block[504] != 0
            return
        if not any(block):
            return
        if not is_header(block):
            self._ended = True
            return
        kind, size = block[156:157], _number(block[124:136])
        if size < 0:
            self._ended = True
            return
        if kind in HEADER_KINDS:
            self._ended = size > MAX_HEADER
            self._kind, self._header = kind, bytearray()
        else:
            size = self._start(block, kind, size)
        self._left, self._padding = size, -size % BLOCK
        if not size and self._header is None:
            self.close()

    def _start(self, block: bytes, kind: bytes, size: int) -> int:
        """A member begins; how many bytes follow."""
        fields, self._fields = self._fields, {}
        size = _decimal(fields.get("size"), size)
        if kind in EMPTY_KINDS:
            self._member(_name(block, fields), 0)
            return 0
        expanded = max((_decimal(fields.get(key), 0) for key in SPARSE_SIZES), default=0)
        if kind == b"S":
            expanded = max(expanded, _number(block[483:495]))
            self._sparse_headers = block[482] != 0
        self._sink = self._member(_name(block, fields), max(0, expanded - size))
        return size


def _name(block: bytes, fields: dict[str, str]) -> str:
    path = fields.get("GNU.sparse.name") or fields.get("path")
    return path or block[:100].partition(b"\0")[0].decode(errors="replace")


def _number(field: bytes) -> int:
    """A number of a header: octal, or binary where its first bit is set; -1 where it is neither."""
    if field[:1] >= b"\x80":
        return int.from_bytes(bytes([field[0] & 0x3F]) + field[1:], "big")
    text = field.partition(b"\0")[0].strip()
    if not text:
        return 0
    return int(text, 8) if OCTAL.fullmatch(text) else -1


def _decimal(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 20 else default


def _pax(raw: bytes) -> Iterator[tuple[str, str]]:
    """The fields of a pax header: `LENGTH KEY=VALUE` and a newline, each."""
    position = 0
    while match := PAX_LENGTH.match(raw, position):
        length = int(match[1])
        if length <= len(match[0]):
            return
        text = raw[match.end() : position + length].decode(errors="replace")
        key, _, value = text.rstrip("\n").partition("=")
        yield key, value
        position += length
