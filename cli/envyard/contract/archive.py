"""A zip archive read so strictly that no two readers can see different contents in it.

Every byte of the file must belong to exactly one member, to the central directory or to its end
record, and what a member's two headers say must be equal. Source: PKWARE APPNOTE 6.3.10; the
confusions it prevents are of the kind of CVE-2025-54368. Nothing here trusts a declared size.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from envyard.contract.codes import Finding, finding

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
STORED, DEFLATED = 0, 8
CHUNK = 1 << 16
MAX_NAME = 300  # bytes, so that a path fits every system and column

ENCRYPTED_FLAGS = 0x0001 | 0x0040 | 0x2000
UTF8_FLAG = 0x0800
# Besides UTF-8 names only the two bits that tell how hard the compressor tried are harmless.
KNOWN_FLAGS = 0x0002 | 0x0004 | UTF8_FLAG
# Fields that replace what the header says: 64-bit sizes, and another name.
DECEIVING_EXTRAS = {0x0001: "ZIP64 sizes", 0x7075: "a second name"}


class Unreadable(Exception):
    """The archive cannot be read in only one way, or goes beyond a limit; `finding` says why."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(finding.message)


@dataclass(frozen=True, slots=True)
class Entry:
    """One member as both its headers describe it; `mode` is the Unix mode, 0 where none is set."""

    name: str
    method: int
    crc: int
    compressed: int
    size: int
    mode: int
    start: int
    offset: int

    @property
    def is_directory(self) -> bool:
        """A folder entry: its name ends in a slash."""
        return self.name.endswith("/")


def bad(code: str, message: str, where: str = "") -> Unreadable:
    """The refusal with a catalogued code."""
    return Unreadable(finding(code, message, where=where))


def file_size(file: BinaryIO) -> int:
    """How many bytes the file really has."""
    return file.seek(0, 2)


def entries(file: BinaryIO, *, max_members: int) -> list[Entry]:
    """All members in the order of their bytes; raises Unreadable at the first doubt."""
    count, length, start = _end_record(file, max_members)
    file.seek(start)
    directory = file.read(length)
    found = sorted(_central_entries(directory, count), key=lambda entry: entry.offset)
    position = 0
    placed = []
    for entry in found:
        if entry.offset != position:
            raise bad(
                "wheel.extra_bytes",
                f"member {entry.name!r} starts at byte {entry.offset}, "
                f"but what stands before it ends at byte {position}",
                entry.name,
            )
        first = _after_local_header(file, entry)
        position = first + entry.compressed
        placed.append(replace(entry, start=first))
    if position != start:
        raise bad(
            "wheel.extra_bytes",
            f"the last member ends at byte {position}, but the directory starts at byte {start}",
        )
    return placed


def contents(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    """The member's bytes, at most CHUNK at a time; raises Unreadable where they are not what the
    headers say, at the latest after the last piece. Never yields more than `entry.size` bytes."""
    crc, size = 0, 0
    for piece in _decompressed(file, entry):
        size += len(piece)
        if size > entry.size:
            break
        crc = zlib.crc32(piece, crc)
        yield piece
    if size != entry.size:
        raise bad(
            "wheel.bad_framing",
            f"member {entry.name!r} declares {entry.size} bytes but holds "
            f"{'more' if size > entry.size else size}",
            entry.name,
        )
    if crc != entry.crc:
        raise bad(
            "wheel.bad_crc", f"the bytes of member {entry.name!r} fail their CRC-32", entry.name
        )


def sha256(file: BinaryIO, entry: Entry) -> str:
    """The hex digest of the member's bytes; raises Unreadable like `contents`."""
    digest = hashlib.sha256()
    for piece in contents(file, entry):
        digest.update(piece)
    return digest.hexdigest()


def _end_record(file: BinaryIO, max_members: int) -> tuple[int, int, int]:
    """Number of members, and length and start of the central directory."""
    total = file_size(file)
    if total < END.size:
        raise bad("wheel.not_a_zip", f"the file has {total} bytes; the smallest zip has {END.size}")
    file.seek(total - END.size)
    magic, disk, first_disk, here, count, length, start, comment = END.unpack(file.read(END.size))
    if magic != b"PK\x05\x06":
        file.seek(0)
        if file.read(4) != b"PK\x03\x04":
            raise bad("wheel.not_a_zip", "the file neither starts nor ends like a zip archive")
        raise bad("wheel.extra_bytes", "the archive's end record is not the file's last 22 bytes")
    if disk or first_disk or here != count or comment:
        raise bad("wheel.bad_framing", "the end record tells of several disks or a comment")
    if count > max_members:
        raise bad(
            "wheel.too_many_members", f"the wheel has {count} members; the limit is {max_members}"
        )
    if start + length != total - END.size:
        raise bad(
            "wheel.extra_bytes",
            f"the central directory ends at byte {start + length}, "
            f"but its end record starts at byte {total - END.size}",
        )
    if length > max_members * (CENTRAL.size + 2 * MAX_NAME):
        raise bad("wheel.bad_framing", f"the central directory has {length} bytes")
    return count, length, start


def _central_entries(directory: bytes, count: int) -> Iterator[Entry]:
    seen: set[str] = set()
    position = 0
    for _ in range(count):
        head = directory[position : position + CENTRAL.size]
        if len(head) < CENTRAL.size or head[:4] != b"PK\x01\x02":
            raise bad("wheel.bad_framing", f"the central directory breaks off at byte {position}")
        (_, _, _, flags, method, _, _, crc, compressed, size, n_name, n_extra, n_comment, disk, _,
         attributes, offset) = CENTRAL.unpack(head)  # fmt: skip
        position += CENTRAL.size
        name = _name(directory[position : position + n_name], flags)
        _check_flags(name, flags, method)
        _check_extra(name, directory[position + n_name : position + n_name + n_extra])
        position += n_name + n_extra
        if n_comment or disk:
            raise bad("wheel.bad_framing", f"member {name!r} has a comment or another disk", name)
        if name in seen:
            raise bad("wheel.duplicate_member", f"member {name!r} stands twice in the wheel", name)
        seen.add(name)
        yield Entry(name, method, crc, compressed, size, attributes >> 16, 0, offset)
    if position != len(directory):
        raise bad("wheel.extra_bytes", "the central directory holds bytes of no member")


def _after_local_header(file: BinaryIO, entry: Entry) -> int:
    """Where the member's data starts, once its local header says the same as the directory."""
    file.seek(entry.offset)
    head = file.read(LOCAL.size)
    if len(head) < LOCAL.size or head[:4] != b"PK\x03\x04":
        raise bad(
            "wheel.bad_framing", f"no local header at {entry.offset} for {entry.name!r}", entry.name
        )
    _, _, flags, method, _, _, crc, compressed, size, n_name, n_extra = LOCAL.unpack(head)
    name = _name(file.read(n_name), flags)
    _check_flags(name, flags, method)
    _check_extra(name, file.read(n_extra))
    local = (name, method, crc, compressed, size)
    central = (entry.name, entry.method, entry.crc, entry.compressed, entry.size)
    for field, here, there in zip(
        ("name", "compression method", "CRC-32", "compressed size", "size"),
        local,
        central,
        strict=True,
    ):
        if here != there:
            raise bad(
                "wheel.bad_framing",
                f"member {entry.name!r}: its local header says {field} {here!r}, "
                f"the central directory {there!r}",
                entry.name,
            )
    return entry.offset + LOCAL.size + int(n_name) + int(n_extra)


def _name(raw: bytes, flags: int) -> str:
    if not raw or len(raw) > MAX_NAME:
        raise bad("wheel.bad_framing", f"a member's name has {len(raw)} bytes, not 1 to {MAX_NAME}")
    try:
        name = raw.decode("utf-8" if flags & UTF8_FLAG else "ascii")
    except UnicodeDecodeError:
        raise bad(
            "wheel.unsafe_member", f"member name {raw!r} is not valid UTF-8, or not marked as such"
        ) from None
    if not name.isprintable():
        raise bad(
            "wheel.unsafe_member", f"member name {name!a} holds a control or invisible character"
        )
    return name


def _check_flags(name: str, flags: int, method: int) -> None:
    if flags & ENCRYPTED_FLAGS:
        raise bad("wheel.encrypted_member", f"member {name!r} is encrypted", name)
    if flags & ~KNOWN_FLAGS:
        raise bad(
            "wheel.bad_framing",
            f"member {name!r} has flags {flags:#06x}; sizes after the data, patches and unknown "
            "flags are refused",
            name,
        )
    if method not in (STORED, DEFLATED):
        raise bad(
            "wheel.bad_compression",
            f"member {name!r} uses compression method {method}; only stored (0) and deflated (8) "
            "are accepted",
            name,
        )


def _check_extra(name: str, extra: bytes) -> None:
    position = 0
    while position < len(extra):
        if position + 4 > len(extra):
            break
        kind, length = struct.unpack_from("<2H", extra, position)
        if kind in DECEIVING_EXTRAS:
            raise bad(
                "wheel.bad_framing",
                f"member {name!r} carries {DECEIVING_EXTRAS[kind]} in an extra field",
                name,
            )
        position += 4 + length
    if position != len(extra):
        raise bad("wheel.bad_framing", f"an extra field of member {name!r} breaks off", name)


def _decompressed(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    """The member's bytes in pieces of at most CHUNK; memory stays bounded whatever it holds."""
    file.seek(entry.start)
    left = entry.compressed
    if entry.method == STORED:
        while left:
            piece = file.read(min(CHUNK, left))
            if not piece:
                return
            left -= len(piece)
            yield piece
        return
    machine = zlib.decompressobj(-15)
    pending = b""
    try:
        while not machine.eof:
            if not pending and left:
                pending = file.read(min(CHUNK, left))
                left -= len(pending)
            piece = machine.decompress(pending, CHUNK)
            if not piece and not pending:
                break
            pending = machine.unconsumed_tail
            if piece:
                yield piece
    except zlib.error as error:
        raise bad(
            "wheel.bad_framing", f"member {entry.name!r} cannot be inflated: {error}", entry.name
        ) from None
    if not machine.eof or machine.unused_data or left:
        raise bad(
            "wheel.bad_framing",
            f"the compressed data of member {entry.name!r} does not end where its header says",
            entry.name,
        )
