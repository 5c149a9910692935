"""A zip inside a member, read as Python's zipfile does, from its end."""

from __future__ import annotations

import bz2
import struct
import zipfile
import zlib
from copy import copy
from typing import IO, Protocol

from envyard.contract.archive import END, END_MAGIC
from envyard.contract.headers import CENTRAL, CENTRAL_MAGIC, LOCAL_MAGIC, ZIP64
from envyard.contract.inflate import CHUNK

MAGICS = (LOCAL_MAGIC, END_MAGIC, b"PK\x07\x08PK\x03\x04")
TAIL = END.size + 0xFFFF
READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
ENCRYPTED = 1
MEAN_HEADER = 100  # bytes of a directory for one file; its names are kept in memory
ZIP64_END, ZIP64_LOCATOR = 56, 20
FAULTS = (
    zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError,
    ValueError, KeyError, IndexError, struct.error, OverflowError,
)  # fmt: skip


class Part(Protocol):
    """Takes the bytes of one file of the zip."""

    def feed(self, chunk: bytes) -> None:
        """The next bytes."""

    def close(self) -> None:
        """There are no more."""

    def opaque(self, kind: str) -> Exception:
        """The refusal of a file that cannot be examined."""


class Archive(Protocol):
    """Counts and takes the files of the zip."""

    def count(self, expanded: int, parts: int = 0) -> None:
        """Count an expansion; raises Unreadable where it is too much."""

    def part(self, inner: str, extra: int = 0) -> Part:
        """A file in it."""


def tail(before: bytes, chunk: bytes) -> bytes:
    """The last bytes of a file, where the end record of a zip would be."""
    return chunk[-TAIL:] if len(chunk) >= TAIL else (before + chunk)[-TAIL:]


def ends(last: bytes) -> bool:
    """Whether a file that ends so is a zip with files in it, whatever it begins with."""
    at = last.rfind(END_MAGIC)
    if at < 0 or len(last) - at < END.size:
        return False
    _, disk, first_disk, disk_count, count, length, _, _ = END.unpack_from(last, at)
    if (disk, first_disk) not in ((0, 0), (0xFFFF, 0xFFFF)) or not count or disk_count != count:
        return False
    if length >= count * CENTRAL.size and length <= at:
        return last[at - length :].startswith(CENTRAL_MAGIC)
    return bool(length > at)  # the directory begins before these bytes


def walk(file: IO[bytes], archive: Archive) -> None:
    """Count what the zip's directory declares, then examine its files."""
    archive.count(0, parts=_directory_length(file) // MEAN_HEADER)
    try:
        with zipfile.ZipFile(file) as opened:
            for info in opened.infolist():
                archive.count(info.file_size, parts=1)
            for info in opened.infolist():
                if not info.is_dir():
                    _read(opened, info, archive.part(info.filename), archive)
    except FAULTS:
        return


def _read(opened: zipfile.ZipFile, info: zipfile.ZipInfo, part: Part, archive: Archive) -> None:
    if info.flag_bits & ENCRYPTED:
        raise part.opaque("zip with a password")
    if info.compress_type not in READABLE:
        return
    try:
        if info.compress_type == zipfile.ZIP_BZIP2:
            _unpack(opened, info, part, archive)
        else:
            with opened.open(info) as member:
                while chunk := member.read(CHUNK):
                    part.feed(chunk)
    except FAULTS:
        pass
    part.close()


def _unpack(opened: zipfile.ZipFile, info: zipfile.ZipInfo, part: Part, archive: Archive) -> None:
    """Feed a bzip2 member, at most as many bytes as it declares, and count those beyond.

    zipfile unpacks all that it has read of it at once, whatever it declares.
    """
    packed = copy(info)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
    del packed.CRC  # of the unpacked bytes
    machine, bytes_left = bz2.BZ2Decompressor(), info.file_size
    with opened.open(packed) as member:
        while not machine.eof:
            data = member.read(CHUNK) if machine.needs_input else b""
            if machine.needs_input and not data:
                return
            chunk = machine.decompress(data, CHUNK)
            part.feed(chunk[:bytes_left])
            archive.count(max(0, len(chunk) - bytes_left))
            bytes_left = max(0, bytes_left - len(chunk))


def _directory_length(file: IO[bytes]) -> int:
    """How many bytes of headers the end record declares, in its ZIP64 form where it has one."""
    size = file.seek(0, 2)
    file.seek(max(0, size - TAIL - ZIP64_END))
    last = file.read()
    at = last.rfind(END_MAGIC)
    if at < 0 or len(last) - at < END.size:
        return 0
    length: int = END.unpack_from(last, at)[6]
    before = at - ZIP64_LOCATOR - ZIP64_END
    if length == ZIP64 and before >= 0 and last[before:].startswith(b"PK\6\6"):
        length = struct.unpack_from("<Q", last, before + 40)[0]
    return 0 if length >= size else length
