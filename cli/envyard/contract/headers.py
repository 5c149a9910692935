"""The two zip headers of one member: in the central directory and before the member's data.

Source: PKWARE APPNOTE 6.3.10, of which only what wheels need is understood.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from envyard.contract import hidden
from envyard.contract.findings import Finding, finding

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
LOCAL_MAGIC, CENTRAL_MAGIC = b"PK\x03\x04", b"PK\x01\x02"
STORED, DEFLATED = 0, 8
MAX_NAME = 300  # bytes, so that a path fits every system and column
MAX_VERSION = 63  # of the zip format, times ten: what readers of wheels know
ZIP64 = 0xFFFFFFFF  # marks a number that is in a ZIP64 field

ENCRYPTED_FLAGS = 0x0001 | 0x0040 | 0x2000
LATE_SIZES_FLAG = 0x0008
UTF8_FLAG = 0x0800
# Besides UTF-8 names only the two bits of the compression level are harmless.
KNOWN_FLAGS = 0x0002 | 0x0004 | UTF8_FLAG
# Fields that replace values of the header.
DECEIVING_EXTRAS = {
    0x0001: ("wheel.zip64", "ZIP64 sizes"),
    0x7075: ("wheel.second_name", "a second name"),
    0x000D: ("wheel.link_field", "the target of a link"),
    0x756E: ("wheel.link_field", "the target of a link"),
}
# Fields that zip writers add and that change nothing: times, owners, padding, a mark of jar.
PLAIN_EXTRAS = {0x000A, 0x5455, 0x5855, 0x7855, 0x7875, 0xA11E, 0xCAFE, 0xD935}
# Attributes of DOS and Windows: a folder, and kinds other than regular files.
FOLDER_ATTRIBUTE = 0x10
ODD_ATTRIBUTES = {0x08: "a volume label", 0x40: "a device", 0x400: "a link (reparse point)"}


class Unreadable(Exception):
    """The archive cannot be read in only one way, or exceeds a limit; `finding` has the reason."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(finding.message)


@dataclass(frozen=True, slots=True)
class Entry:
    """One member as both its headers describe it; `mode` is the Unix mode, 0 where none is set.

    `offset` is where its local header starts, `start` where its data does (0 until that is known).
    """

    name: str
    flags: int
    method: int
    crc: int
    compressed: int
    size: int
    mode: int
    offset: int
    start: int = 0

    @property
    def is_directory(self) -> bool:
        """A folder entry: its name ends in a slash."""
        return self.name.endswith("/")


def unreadable_wheel(code: str, message: str, where: str = "") -> Unreadable:
    """The refusal with a catalogued code."""
    return Unreadable(finding(code, message, where=where))


def central(directory: bytes, count: int) -> Iterator[Entry]:
    """The `count` members that the central directory names; raises Unreadable."""
    seen: set[str] = set()
    position = 0
    for number in range(count):
        entry, position = _central_entry(directory, position, f"{number} of {count} members")
        if entry.name in seen:
            raise unreadable_wheel(
                "wheel.duplicate_member",
                f"member {entry.name!r} is in the wheel twice; each name may be there once",
                entry.name,
            )
        seen.add(entry.name)
        yield entry
    if directory[position : position + 4] == CENTRAL_MAGIC:
        raise unreadable_wheel(
            "wheel.member_count",
            f"the end record counts {count} members, but the central directory names more",
        )
    if position != len(directory):
        raise unreadable_wheel(
            "wheel.bad_directory",
            f"the last {len(directory) - position} bytes of the central directory are no member's",
        )


def _central_entry(directory: bytes, position: int, read: str) -> tuple[Entry, int]:
    if position == len(directory):
        raise unreadable_wheel("wheel.member_count", f"the central directory ends after {read}")
    head = directory[position : position + CENTRAL.size]
    if len(head) < CENTRAL.size or not head.startswith(CENTRAL_MAGIC):
        raise unreadable_wheel(
            "wheel.bad_directory",
            f"the central directory is truncated at its byte {position}, after {read}",
        )
    (_, _, needs, flags, method, _, _, crc, compressed, size, n_name, n_extra, n_comment, disk, _,
     attributes, offset) = CENTRAL.unpack(head)  # fmt: skip
    position += CENTRAL.size
    name = _name(directory[position : position + n_name], flags)
    position += n_name
    entry = Entry(name, flags, method, crc, compressed, size, attributes >> 16, offset)
    _check_flags(entry)
    _check_attributes(entry, attributes)
    _check_version(name, needs)
    _check_extra(name, directory[position : position + n_extra], n_extra)
    if ZIP64 in (compressed, size, offset):
        raise unreadable_wheel(
            "wheel.zip64", f"member {name!r} keeps its size or place in ZIP64 fields", name
        )
    if n_comment:
        raise unreadable_wheel(
            "wheel.member_comment",
            f"member {name!r} has a comment of {n_comment} bytes; members have none",
            name,
        )
    if disk:
        raise unreadable_wheel(
            "wheel.several_disks", f"member {name!r} is on disk {disk}, not 0", name
        )
    return entry, position + n_extra


def located(file: BinaryIO, entry: Entry) -> Entry:
    """The member with its `start`, after its local header was compared; raises Unreadable."""
    file.seek(entry.offset)
    head = file.read(LOCAL.size)
    if len(head) < LOCAL.size or not head.startswith(LOCAL_MAGIC):
        raise unreadable_wheel(
            "wheel.no_local_header",
            f"no local header at byte {entry.offset}, where member {entry.name!r} should start",
            entry.name,
        )
    _, needs, flags, method, _, _, crc, compressed, size, n_name, n_extra = LOCAL.unpack(head)
    name = file.read(n_name)
    for code, field, local, central in (
        ("wheel.local_flags", "flags", f"{flags:#06x}", f"{entry.flags:#06x}"),
        ("wheel.local_name", "name", name, entry.name.encode()),
        ("wheel.local_method", "compression method", method, entry.method),
        ("wheel.local_crc", "CRC-32", f"{crc:#010x}", f"{entry.crc:#010x}"),
        ("wheel.local_compressed_size", "compressed size", compressed, entry.compressed),
        ("wheel.local_size", "size", size, entry.size),
    ):
        if local != central:
            raise unreadable_wheel(
                code,
                f"member {entry.name!r}: its own header has {field} {local!r}, "
                f"the central directory {central!r}; they must be equal",
                entry.name,
            )
    _check_version(entry.name, needs)
    _check_extra(entry.name, file.read(n_extra), n_extra)
    return replace(entry, start=entry.offset + LOCAL.size + int(n_name) + int(n_extra))


def _name(raw: bytes, flags: int) -> str:
    if not raw:
        raise unreadable_wheel(
            "wheel.empty_name", "a member's name is empty; it must have 1 character or more"
        )
    if len(raw) > MAX_NAME:
        raise unreadable_wheel(
            "wheel.long_name",
            f"member name {raw[:60]!r}... has {len(raw)} bytes; the limit is {MAX_NAME}",
        )
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        raise unreadable_wheel(
            "wheel.name_not_utf8", f"member name {raw!r} is not valid UTF-8"
        ) from None
    if not flags & UTF8_FLAG and not name.isascii():
        raise unreadable_wheel(
            "wheel.name_unmarked",
            f"member name {name!r} is not ASCII, and its flags {flags:#06x} do not declare UTF-8",
        )
    if fault := hidden.path_fault(name):
        raise unreadable_wheel(
            "wheel.name_control",
            f"member name {name!a} holds the control or invisible character {fault}",
        )
    return name


def _check_flags(entry: Entry) -> None:
    name, flags = entry.name, entry.flags
    if flags & ENCRYPTED_FLAGS:
        raise unreadable_wheel(
            "wheel.encrypted_member", f"member {name!r} is encrypted (flags {flags:#06x})", name
        )
    if flags & LATE_SIZES_FLAG:
        raise unreadable_wheel(
            "wheel.data_descriptor",
            f"member {name!r} gives its size after its data (flags {flags:#06x}), not before",
            name,
        )
    if flags & ~KNOWN_FLAGS:
        raise unreadable_wheel(
            "wheel.unknown_flags",
            f"member {name!r} has flags {flags:#06x}; allowed are {KNOWN_FLAGS:#06x}",
            name,
        )
    if entry.method not in (STORED, DEFLATED):
        raise unreadable_wheel(
            "wheel.bad_compression",
            f"member {name!r} uses compression method {entry.method}; only stored (0) and "
            "deflated (8) are accepted",
            name,
        )


def _check_attributes(entry: Entry, attributes: int) -> None:
    """The low half, which readers on Windows go by, agrees with the name."""
    name = entry.name
    for bit, kind in ODD_ATTRIBUTES.items():
        if attributes & bit:
            raise unreadable_wheel(
                "wheel.device_member",
                f"member {name!r} is {kind} by its attributes ({attributes & 0xFFFF:#x}); members "
                "are regular files",
                name,
            )
    if attributes & FOLDER_ATTRIBUTE and not entry.is_directory:
        raise unreadable_wheel(
            "wheel.disguised_member",
            f"member {name!r} is a folder by its attributes ({attributes & 0xFFFF:#x}) and a file "
            "by its name; members are regular files or empty folders",
            name,
        )


def _check_version(name: str, needs: int) -> None:
    if needs & 0xFF > MAX_VERSION:
        raise unreadable_wheel(
            "wheel.needs_version",
            f"member {name!r} needs version {needs & 0xFF} of the zip format; the limit is "
            f"{MAX_VERSION}",
            name,
        )


def _check_extra(name: str, extra: bytes, declared: int) -> None:
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        if kind in DECEIVING_EXTRAS:
            code, content = DECEIVING_EXTRAS[kind]
            raise unreadable_wheel(
                code,
                f"extra field {kind:#06x} of member {name!r} contains {content}; wheels must not",
                name,
            )
        if kind not in PLAIN_EXTRAS:
            raise unreadable_wheel(
                "wheel.unknown_extra",
                f"extra field {kind:#06x} of member {name!r} is none that wheels need",
                name,
            )
        position += 4 + length
    if position != declared:
        raise unreadable_wheel(
            "wheel.bad_extra",
            f"the extra fields of member {name!r} end at byte {position} of {declared}",
            name,
        )
