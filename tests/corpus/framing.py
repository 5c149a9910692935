"""Archives that two readers could read in two ways, or that no reader could read."""

import struct
from collections.abc import Callable
from dataclasses import replace

from tests.corpus.case import Case
from tests.corpus.zips import LOCAL, Zip, load, member
from tests.wheels import make_wheel

INIT = "demo_env/__init__.py"
END_RECORD = 22


def zipped(change: Callable[[Zip], None] = lambda archive: None) -> Callable[[], bytes]:
    """A good wheel, taken apart, changed and put together again."""

    def build() -> bytes:
        archive = load(make_wheel())
        change(archive)
        return archive.dump()

    return build


def case(name: str, change: Callable[[Zip], None], code: str, *words: str) -> Case:
    return Case(name, zipped(change), code, words)


def both(**values: object) -> Callable[[Zip], None]:
    return lambda archive: archive[INIT].both(**values)


def local(**values: object) -> Callable[[Zip], None]:
    return lambda archive: [setattr(archive[INIT].local, *pair) for pair in values.items()] and None


def extra(kind: int, data: bytes, length: int | None = None) -> bytes:
    return struct.pack("<2H", kind, len(data) if length is None else length) + data


def outer(**values: object) -> Callable[[Zip], None]:
    return lambda archive: [setattr(archive, *pair) for pair in values.items()] and None


def two_archives(*, counted: bool) -> Callable[[Zip], None]:
    return outer(prefix=make_wheel(), counted_prefix=counted)


def overlapping(archive: Zip) -> None:
    """Two names for the bytes of one member."""
    first = archive[INIT]
    twin = replace(first, central=replace(first.central, name=b"demo_env/__main__.py"), offset=0)
    archive.parts.insert(1, twin)


def overlap_at_the_end(archive: Zip) -> None:
    last = archive.parts[-1]
    last.both(compressed=last.local.compressed + 40)


def late_end(archive: Zip) -> None:
    """The comment of the archive is an end record itself."""
    data = archive.dump()
    archive.comment = data[-END_RECORD:]


def zip64_records(archive: Zip) -> None:
    count = len(archive.parts)
    record = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, 0, 0)
    archive.after_directory = record + struct.pack("<4sIQI", b"PK\6\7", 0, 0, 1)


def misplaced(archive: Zip) -> None:
    """The first member's data starts where the second's header should."""
    first = archive[INIT]
    first.both(compressed=0, size=0, crc=0, method=0)
    first.data = b"PK\1\2" + first.data
    archive.parts[1].offset = LOCAL.size + len(INIT)


def duplicate(archive: Zip) -> None:
    archive.parts.append(member(INIT, b"import os\n"))


def unpacked_end(archive: Zip) -> None:
    part = archive[INIT]
    part.data += b"more"
    part.both(compressed=len(part.data))


def cut_data(archive: Zip) -> None:
    part = archive[INIT]
    part.data = part.data[:-3]
    part.both(compressed=len(part.data))


def stored_lie(archive: Zip) -> None:
    archive.parts[0] = member(INIT, b"x = 1\n", stored=True)
    archive[INIT].both(size=7)


def raw_name(name: bytes, flags: int) -> Callable[[Zip], None]:
    return both(name=name, flags=flags)


BAD = [
    Case("no bytes", lambda: b"", "wheel.not_a_zip", ("0 bytes", "22")),
    Case("words", lambda: b"no zip at all, but long enough", "wheel.not_a_zip",
         ("neither starts nor ends like a zip",)),
    Case("a tar archive", lambda: b"PKG-INFO".ljust(257, b"\0") + b"ustar".ljust(2000, b"\0"),
         "wheel.not_a_zip", ("neither starts nor ends like a zip",)),
    Case("a wheel cut off", lambda: make_wheel()[:-40], "wheel.cut_off",
         ("end record is missing",)),
    Case("a wheel cut off in its last bytes", lambda: make_wheel()[:-4], "wheel.cut_off",
         ("end record is missing",)),
    case("a script before the archive", outer(prefix=b"#!/bin/sh\n"), "wheel.prefix_bytes",
         "10 bytes", "none may"),
    case("a counted script before the archive", outer(prefix=b"#!/bin/sh\n", counted_prefix=True),
         "wheel.prefix_bytes", "first byte"),
    case("a newline after the archive", outer(tail=b"\n"), "wheel.trailing_bytes",
         "1 bytes", "none may"),
    case("bytes between two members",
         lambda archive: setattr(archive.parts[1], "gap", b"hidden"), "wheel.extra_bytes",
         "starts at byte", "ends at byte"),
    case("bytes before the directory", outer(before_directory=b"hidden"), "wheel.extra_bytes",
         "central directory", "ends at byte"),
    case("a signature block before the directory", outer(before_directory=b"APK Sig Block 42"),
         "wheel.extra_bytes", "central directory"),
    case("bytes after the directory", outer(after_directory=b"hidden"), "wheel.extra_bytes",
         "its end record is at byte"),
    case("two archives one after the other", two_archives(counted=False), "wheel.two_archives",
         "whole archive", "precedes"),
    case("two archives with counted offsets", two_archives(counted=True), "wheel.two_archives",
         "whole archive", "precedes"),
    case("two names for the same bytes", overlapping, "wheel.shared_bytes", "demo_env/__main__.py",
         "starts at byte 0"),
    case("a member that runs into the directory", overlap_at_the_end, "wheel.shared_bytes",
         "central directory"),
    case("an archive comment", outer(comment=b"hello"), "wheel.archive_comment",
         "5 bytes", "wheels have none"),
    case("an archive comment that is not there", outer(end={"comment": 5}),
         "wheel.archive_comment", "5 bytes"),
    case("an end record in the archive's comment", late_end, "wheel.second_end_record",
         "another end record is between them"),
    case("several disks", outer(end={"disk": 1}), "wheel.several_disks", "disk 1"),
    case("a member on another disk", lambda archive: setattr(archive[INIT], "disk", 2),
         "wheel.several_disks", INIT, "disk 2", "not 0"),
    case("fewer members counted", outer(end={"here": 3, "count": 3}), "wheel.member_count",
         "counts 3 members"),
    case("more members counted", outer(end={"here": 9, "count": 9}), "wheel.member_count",
         "after 4 of 9 members"),
    case("two counts of members", outer(end={"here": 3}), "wheel.member_count",
         "4 members", "3 on"),
    case("a directory that lies beyond the file", outer(end={"start": 1 << 30}),
         "wheel.bad_directory", "ends at byte"),
    case("a directory of other bytes", outer(end={"start": 0, "length": 0}),
         "wheel.extra_bytes", "its end record is at byte"),
    case("ZIP64 numbers in the end record", outer(end={"start": 0xFFFFFFFF}), "wheel.zip64",
         "ZIP64"),
    case("ZIP64 records before the end record", zip64_records, "wheel.zip64", "ZIP64"),
    case("a ZIP64 extra field", both(extra=extra(1, bytes(16))), "wheel.zip64", INIT, "0x0001"),
    case("a size that is in a ZIP64 field", both(size=0xFFFFFFFF), "wheel.zip64", INIT),
    case("a member inside another's header", lambda archive: setattr(archive.parts[1], "offset", 7),
         "wheel.shared_bytes", "starts at byte 7"),
    case("other bytes where a local header should be", misplaced, "wheel.no_local_header",
         "METADATA", "no local header at byte 50"),
    case("another name in the local header", local(name=b"demo_env/__init__.pY"),
         "wheel.local_name", INIT, "demo_env/__init__.pY", "must be equal"),
    case("other flags in the local header", local(flags=8), "wheel.local_flags", INIT, "0x0008",
         "must be equal"),
    case("another method in the local header", local(method=0), "wheel.local_method", INIT,
         "0", "8", "must be equal"),
    case("another CRC in the local header", local(crc=7), "wheel.local_crc", INIT, "0x00000007",
         "must be equal"),
    case("another packed size in the local header", local(compressed=7),
         "wheel.local_compressed_size", INIT, "7", "must be equal"),
    case("another size in the local header", local(size=7), "wheel.local_size", INIT, "7",
         "must be equal"),
    case("an encrypted member", both(flags=1), "wheel.encrypted_member", INIT, "0x0001"),
    case("a strongly encrypted member", both(flags=0x41), "wheel.encrypted_member", INIT, "0x0041"),
    case("a masked header", both(flags=0x2000), "wheel.encrypted_member", INIT, "0x2000"),
    case("a data descriptor", both(flags=8), "wheel.data_descriptor", INIT, "0x0008", "not before"),
    case("a patch", both(flags=0x20), "wheel.unknown_flags", INIT, "0x0020", "allowed"),
    case("bzip2", both(method=12), "wheel.bad_compression", INIT, "12", "only stored (0)"),
    case("LZMA", both(method=14), "wheel.bad_compression", INIT, "14", "only stored (0)"),
    case("Zstandard", both(method=93), "wheel.bad_compression", INIT, "93", "only stored (0)"),
    case("AES, method 99", both(method=99), "wheel.bad_compression", INIT, "99"),
    case("a newer kind of zip", both(needs=64), "wheel.needs_version", INIT, "64", "63"),
    case("a newer kind of zip in the local header", local(needs=200), "wheel.needs_version", INIT,
         "200", "63"),
    case("a member's comment", lambda archive: setattr(archive[INIT], "comment", b"hello"),
         "wheel.member_comment", INIT, "5 bytes", "none"),
    case("a second name in an extra field", both(extra=extra(0x7075, b"\1abcdother.py")),
         "wheel.second_name", INIT, "0x7075"),
    case("a second name in the local header alone",
         local(extra=extra(0x7075, b"\1abcdother.py")), "wheel.second_name", INIT, "0x7075"),
    case("a link in a Unix extra field", both(extra=extra(0x000D, bytes(12) + b"/etc/passwd")),
         "wheel.link_field", INIT, "0x000d", "link"),
    case("a link in an ASi extra field", both(extra=extra(0x756E, bytes(14) + b"/etc/passwd")),
         "wheel.link_field", INIT, "0x756e", "link"),
    case("an extra field that breaks off", both(extra=extra(0x5455, b"\1abcd", 9)),
         "wheel.bad_extra", INIT, "end at byte 13 of 9"),
    case("an extra field of one byte", both(extra=b"\0"), "wheel.bad_extra", INIT, "0 of 1"),
    case("bytes that fail their checksum", both(crc=7), "wheel.bad_crc", INIT, "0x00000007"),
    case("a size that is too small", both(size=10), "wheel.wrong_size", INIT, "declares 10",
         "more"),
    case("a size that is too large", both(size=40_000), "wheel.wrong_size", INIT, "declares 40000"),
    case("a stored member with another size", stored_lie, "wheel.wrong_size", INIT, "declares 7"),
    case("data that cannot be inflated", lambda archive: setattr(
        archive[INIT], "data", b"\xff" * len(archive[INIT].data)), "wheel.bad_deflate", INIT),
    case("data that breaks off", cut_data, "wheel.bad_deflate", INIT, "are truncated"),
    case("data that goes on after its end", unpacked_end, "wheel.data_after_end", INIT, "4 bytes"),
    case("a member that stands twice", duplicate, "wheel.duplicate_member", INIT, "twice"),
    case("a member without a name", raw_name(b"", 0), "wheel.empty_name", "empty", "1 character"),
    case("a name of 301 bytes", raw_name(b"a" * 301, 0), "wheel.long_name", "301", "300"),
    case("a name that is not UTF-8", raw_name(b"demo_env/\xff.py", 0x800), "wheel.name_not_utf8",
         "\\xff.py", "UTF-8"),
    case("a name in the code page of DOS", raw_name(b"demo_env/\x81.py", 0), "wheel.name_not_utf8",
         "\\x81.py", "UTF-8"),
    case("a UTF-8 name that is not marked", raw_name("demo_env/ü.py".encode(), 0),
         "wheel.name_unmarked", "demo_env/ü.py", "0x0000"),
    case("a NUL in a name", raw_name(b"demo_env/a.py\0.txt", 0), "wheel.name_control", "\\x00",
         "control or invisible"),
    case("a newline in a name", raw_name(b"demo_env/a\n.py", 0), "wheel.name_control", "\\n"),
    case("a name written backwards", raw_name("demo_env/a\u202eyp.b".encode(), 0x800),
         "wheel.name_control", "\\u202e", "invisible"),
]  # fmt: skip
