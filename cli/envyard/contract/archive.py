"""A zip archive read so strictly that no two readers can see different contents in it.

Every byte of the file must belong to exactly one member, to the central directory or to its end
record, and a member's two headers must be equal. Source: PKWARE APPNOTE 6.3.10; the
confusions it prevents are of the kind of CVE-2025-54368. Nothing here trusts a declared size.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import BinaryIO, NoReturn

from envyard.contract import headers
from envyard.contract.headers import (
    CENTRAL,
    CENTRAL_MAGIC,
    LOCAL_MAGIC,
    MAX_NAME,
    Entry,
    unreadable_wheel,
)

END = struct.Struct("<4s4H2IH")
END_MAGIC = b"PK\x05\x06"
ZIP64_MAGICS = (b"PK\x06\x06", b"PK\x06\x07")
MAX_COMMENT = 0xFFFF


def file_size(file: BinaryIO) -> int:
    """The true size of the file in bytes."""
    return file.seek(0, 2)


def entries(file: BinaryIO, *, max_members: int) -> list[Entry]:
    """All members in the order of their bytes; raises Unreadable at the first doubt."""
    count, length, start = _end_record(file, max_members)
    directory = _at(file, start, length)
    listed = sorted(headers.central(directory, count), key=lambda entry: entry.offset)
    if count and _at(file, 0, 4) != LOCAL_MAGIC:
        raise unreadable_wheel(
            "wheel.prefix_bytes", "the file's first byte is not the first member's"
        )
    return _placed(file, listed, start)


def _placed(file: BinaryIO, entries: Iterable[Entry], end: int) -> list[Entry]:
    """The members with the place of their data; they and nothing else fill the file to `end`."""
    position = 0
    placed = []
    for entry in entries:
        _check_border(file, position, entry.offset, f"member {entry.name!r}", entry.name)
        located = headers.located(file, entry)
        position = located.start + located.compressed
        placed.append(located)
    _check_border(file, position, end, "the central directory")
    return placed


def _check_border(file: BinaryIO, before: int, after: int, part: str, where: str = "") -> None:
    if after < before:
        raise unreadable_wheel(
            "wheel.shared_bytes",
            f"{part} starts at byte {after}, but the member before it ends at byte {before}",
            where,
        )
    if after > before == 0:
        _refuse_prefix(file, after)
    if after > before:
        raise unreadable_wheel(
            "wheel.extra_bytes",
            f"{part} starts at byte {after}, but the member before it ends at byte {before}",
            where,
        )


def _refuse_prefix(file: BinaryIO, length: int) -> NoReturn:
    if _at(file, max(0, length - END.size), 4) == END_MAGIC:
        raise unreadable_wheel(
            "wheel.two_archives",
            f"a whole archive of {length} bytes precedes the one that the file ends with",
        )
    raise unreadable_wheel(
        "wheel.prefix_bytes", f"{length} bytes precede the first member; none may"
    )


def _end_record(file: BinaryIO, max_members: int) -> tuple[int, int, int]:
    """Number of members, and length and start of the central directory."""
    end = file_size(file) - END.size
    if end < 0:
        raise unreadable_wheel(
            "wheel.not_a_zip", f"the file has {end + END.size} bytes; the smallest zip has 22"
        )
    record = _at(file, end, END.size)
    if not record.startswith(END_MAGIC):
        _refuse_end(file)
    _, disk, first_disk, disk_count, count, length, start, comment = END.unpack(record)
    if 0xFFFF in (disk, first_disk, disk_count, count) or headers.ZIP64 in (length, start):
        raise unreadable_wheel("wheel.zip64", "the end record leaves its numbers to a ZIP64 record")
    if disk or first_disk:
        raise unreadable_wheel(
            "wheel.several_disks", f"the end record is on disk {max(disk, first_disk)}"
        )
    if disk_count != count:
        raise unreadable_wheel(
            "wheel.member_count",
            f"the end record counts {count} members, {disk_count} on its own disk",
        )
    if comment:
        raise unreadable_wheel(
            "wheel.archive_comment", f"the end record declares a comment of {comment} bytes"
        )
    if count > max_members:
        raise unreadable_wheel(
            "wheel.too_many_members", f"the wheel has {count} members; the limit is {max_members}"
        )
    if start + length != end:
        _refuse_directory(file, start, length, end)
    if length > max_members * (CENTRAL.size + 2 * MAX_NAME):
        raise unreadable_wheel(
            "wheel.bad_directory", f"the central directory of {count} members has {length} bytes"
        )
    return count, length, start


def _refuse_end(file: BinaryIO) -> NoReturn:
    """Raise Unreadable with the reason why the file does not end in an end record."""
    total = file_size(file)
    first = max(0, total - END.size - MAX_COMMENT)
    tail = _at(file, first, total - first)
    position = tail.rfind(END_MAGIC)
    if position < 0 and _at(file, 0, 4) != LOCAL_MAGIC:
        raise unreadable_wheel(
            "wheel.not_a_zip", "the file neither starts nor ends like a zip archive"
        )
    comment_size = len(tail) - position - END.size
    if position < 0 or comment_size < 0:
        raise unreadable_wheel(
            "wheel.cut_off", f"the archive's end record is missing after {total} bytes"
        )
    if struct.unpack_from("<H", tail, position + END.size - 2)[0] == comment_size:
        raise unreadable_wheel(
            "wheel.archive_comment",
            f"the archive has a comment of {comment_size} bytes; wheels have none",
        )
    raise unreadable_wheel(
        "wheel.trailing_bytes", f"{comment_size} bytes follow the end record; none may"
    )


def _refuse_directory(file: BinaryIO, start: int, length: int, end: int) -> NoReturn:
    """Raise Unreadable with the reason why the central directory does not end at `end`, where the
    end record starts."""
    message = (
        f"the central directory ends at byte {start + length}, its end record is at byte {end}"
    )
    if start + length > end:
        raise unreadable_wheel("wheel.bad_directory", message)
    after = _at(file, start + length, 4)
    if after in ZIP64_MAGICS:
        raise unreadable_wheel("wheel.zip64", f"{message}; a ZIP64 record is between them")
    if length and _at(file, end - length, 4) == CENTRAL_MAGIC:
        _refuse_prefix(file, end - length - start)
    if after == END_MAGIC:
        raise unreadable_wheel(
            "wheel.second_end_record", f"{message}; another end record is between them"
        )
    raise unreadable_wheel("wheel.extra_bytes", message)


def _at(file: BinaryIO, position: int, length: int) -> bytes:
    file.seek(position)
    return file.read(length)
