"""The archive reads in only one way, within its limits, in bounded memory."""

import io
import struct
import tracemalloc
import zipfile
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envyard.contract import archive, checks, wheel
from tests.wheels import entry, filename, make_wheel

GOOD = make_wheel()
END = len(GOOD) - 22
DIRECTORY = struct.unpack_from("<I", GOOD, END + 16)[0]


def codes(data: bytes, name: str = "", limits: wheel.Limits = wheel.LIMITS) -> list[str]:
    found = checks.run_all(io.BytesIO(data), filename=name or filename(), limits=limits)
    return [one.code for one in found]


def patched(data: bytes, at: int, form: str, *values: int) -> bytes:
    changed = bytearray(data)
    struct.pack_into(form, changed, at, *values)
    return bytes(changed)


def spliced(data: bytes, at: int, more: bytes) -> bytes:
    """Bytes put in, and the end record's idea of the directory's start moved along."""
    end = len(data) - 22
    start = struct.unpack_from("<I", data, end + 16)[0]
    if at <= start:
        data = patched(data, end + 16, "<I", start + len(more))
    return data[:at] + more + data[at:]


def test_a_wheel_of_the_default_builder_has_no_finding() -> None:
    assert codes(GOOD) == []


def test_stored_members_and_folder_entries_are_fine() -> None:
    folder = entry("demo_env/", mode=0o40755, compression=zipfile.ZIP_STORED)
    data = make_wheel(compression=zipfile.ZIP_STORED, extra=[(folder, b"")])
    assert codes(data) == []


def test_what_is_read_is_what_zipfile_reads() -> None:
    data = make_wheel(files={"demo_env/__init__.py": "x = 1\n", "demo_env/ü.txt": b"\xff" * 70_000})
    read = wheel.read(io.BytesIO(data), filename=filename())
    with zipfile.ZipFile(io.BytesIO(data)) as theirs:
        assert [m.name for m in read.members] == theirs.namelist()
        assert [m.size for m in read.members] == [i.file_size for i in theirs.infolist()]
    assert (read.name, read.version, read.tag) == ("demo-env", "0.1.0", "py3-none-any")
    assert read.metadata.name == "demo-env"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "wheel.not_a_zip"),
        (b"no zip at all, but longer than an end record", "wheel.not_a_zip"),
        (GOOD[:-40], "wheel.extra_bytes"),
        (b"#!/bin/sh\n" + GOOD, "wheel.extra_bytes"),
        (spliced(GOOD, 0, b"#!/bin/sh\n"), "wheel.bad_framing"),
        (GOOD + b"\n", "wheel.extra_bytes"),
        (GOOD + GOOD, "wheel.extra_bytes"),
        (spliced(GOOD, DIRECTORY, b"hidden"), "wheel.extra_bytes"),
        (patched(GOOD, END + 20, "<H", 5) + b"hello", "wheel.extra_bytes"),
        (patched(GOOD, END + 20, "<H", 5), "wheel.bad_framing"),
        (patched(GOOD, END + 4, "<H", 1), "wheel.bad_framing"),
        (patched(GOOD, END + 8, "<2H", 3, 3), "wheel.extra_bytes"),
        (patched(GOOD, END + 8, "<2H", 9, 9), "wheel.bad_framing"),
    ],
    ids=[
        "empty", "text", "cut off", "prefix", "moved prefix", "trailing newline", "two archives",
        "bytes before the directory", "archive comment", "comment that is not there",
        "several disks", "fewer members", "more members",
    ],
)  # fmt: skip
def test_bytes_of_no_member_are_refused(data: bytes, code: str) -> None:
    assert codes(data) == [code]


LOCAL_FIELDS = {
    "flags": (6, "<H", 0x0008),
    "method": (8, "<H", 0),
    "crc": (14, "<I", 7),
    "compressed": (18, "<I", 7),
    "size": (22, "<I", 7),
    "name": (30, "<B", ord("x")),
}


@pytest.mark.parametrize("field", LOCAL_FIELDS)
def test_a_local_header_that_differs_from_the_directory_is_refused(field: str) -> None:
    at, form, value = LOCAL_FIELDS[field]
    assert codes(patched(GOOD, at, form, value)) == ["wheel.bad_framing"]


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (0x0001, "wheel.encrypted_member"),
        (0x0040, "wheel.encrypted_member"),
        (0x0008, "wheel.bad_framing"),
        (0x0020, "wheel.bad_framing"),
    ],
)
def test_encrypted_members_and_late_sizes_are_refused(flags: int, code: str) -> None:
    data = patched(patched(GOOD, 6, "<H", flags), DIRECTORY + 8, "<H", flags)
    assert codes(data) == [code]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compression_is_refused(method: int) -> None:
    data = make_wheel(extra=[(entry("demo_env/a.txt", compression=method), b"a" * 100)])
    assert codes(data)[0] in ("wheel.bad_compression", "wheel.bad_framing")
    assert "wheel.bad_compression" in codes(
        patched(patched(GOOD, 8, "<H", method), DIRECTORY + 10, "<H", method)
    )


def test_a_member_that_stands_twice_is_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = make_wheel(extra=[(entry("demo_env/__init__.py"), b"import os\n")])
    assert codes(data) == ["wheel.duplicate_member"]


def test_two_directory_entries_for_the_same_bytes_are_refused() -> None:
    count, length = struct.unpack_from("<HI", GOOD, END + 10)
    first = GOOD[DIRECTORY : DIRECTORY + 46 + struct.unpack_from("<H", GOOD, DIRECTORY + 28)[0]]
    twin = first.replace(b"__init__.py", b"__main__.py")
    data = spliced(GOOD, END, twin)
    end = len(data) - 22
    data = patched(data, end + 8, "<2H", count + 1, count + 1)
    data = patched(data, end + 12, "<I", length + len(twin))
    assert codes(data) == ["wheel.extra_bytes"]


@pytest.mark.parametrize("kind", [0x0001, 0x7075])
def test_extra_fields_that_replace_name_or_sizes_are_refused(kind: int) -> None:
    info = entry("demo_env/a.txt")
    info.extra = struct.pack("<2H5s", kind, 5, b"\x01abcd")
    assert codes(make_wheel(extra=[(info, b"a")])) == ["wheel.bad_framing"]


def test_a_harmless_extra_field_is_fine_and_a_broken_one_is_not() -> None:
    info = entry("demo_env/", mode=0o40755, compression=zipfile.ZIP_STORED)
    info.extra = struct.pack("<2H5s", 0x5455, 5, b"\x01abcd")
    assert codes(make_wheel(extra=[(info, b"")])) == []
    info.extra = struct.pack("<2H5s", 0x5455, 9, b"\x01abcd")
    assert codes(make_wheel(extra=[(info, b"")])) == ["wheel.bad_framing"]


def test_bytes_that_fail_their_checksum_are_refused() -> None:
    data = patched(patched(GOOD, 14, "<I", 7), DIRECTORY + 16, "<I", 7)
    assert codes(data) == ["wheel.bad_crc"]


def bomb(declared: int, real: int) -> bytes:
    """A wheel whose member inflates to `real` zeros but declares another size in both headers."""
    info = entry("demo_env/zeros.bin")
    data = make_wheel(files={}, extra=[(info, bytes(real))])
    at = data.index(b"demo_env/zeros.bin") - 30
    central = data.rindex(b"demo_env/zeros.bin") - 46
    crc = zlib.crc32(bytes(declared))
    data = patched(data, at + 14, "<I", crc)
    data = patched(data, central + 16, "<I", crc)
    return patched(patched(data, at + 22, "<I", declared), central + 24, "<I", declared)


@pytest.mark.parametrize("declared", [10, 40 << 20])
def test_a_size_that_is_a_lie_is_refused(declared: int) -> None:
    limits = replace(wheel.LIMITS, ratio=10_000)
    assert codes(bomb(declared, 20 << 20), limits=limits) == ["wheel.bad_framing"]


def test_a_bomb_is_refused_in_little_memory() -> None:
    data = bomb(1000, 200 << 20)
    tracemalloc.start()
    assert codes(data) == ["wheel.bad_framing"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 << 20


def test_compressed_data_that_goes_on_after_its_end_is_refused() -> None:
    machine = zlib.compressobj(wbits=-15)
    packed = machine.compress(b"x = 1\n") + machine.flush() + b"more"
    stored = entry("demo_env/a.py", compression=zipfile.ZIP_STORED)
    data = make_wheel(files={}, extra=[(stored, packed)])
    at = data.index(b"demo_env/a.py") - 30
    central = data.rindex(b"demo_env/a.py") - 46
    for method_at, crc_at, size_at in (
        (at + 8, at + 14, at + 22),
        (central + 10, central + 16, central + 24),
    ):
        data = patched(data, method_at, "<H", 8)
        data = patched(data, crc_at, "<I", zlib.crc32(b"x = 1\n"))
        data = patched(data, size_at, "<I", 6)
    assert codes(data) == ["wheel.bad_framing"]


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"packed": 100}, "wheel.too_large"),
        ({"members": 3}, "wheel.too_many_members"),
        ({"expanded": 1000}, "wheel.expands_too_much"),
        ({"ratio_floor": 0, "ratio": 1}, "wheel.expands_too_much"),
        ({"metadata": 100}, "metadata.too_large"),
        ({"record": 100}, "metadata.too_large"),
    ],
)
def test_each_limit_is_enforced_and_named(limits: dict[str, int], code: str) -> None:
    wordy = make_wheel(description="word " * 1000)
    [found] = checks.run_all(
        io.BytesIO(wordy), filename=filename(), limits=replace(wheel.LIMITS, **limits)
    )
    assert found.code == code
    assert "limit is" in found.message


@pytest.mark.parametrize(
    ("raw", "flags"), [(b"demo_env/\xff.py", 0x800), (b"demo_env/\xc3\xbc.py", 0)]
)
def test_names_that_readers_decode_differently_are_refused(raw: bytes, flags: int) -> None:
    data = make_wheel(files={"demo_env/" + "a" * (len(raw) - 12) + ".py": ""})
    plain = b"demo_env/" + b"a" * (len(raw) - 12) + b".py"
    at, central = data.index(plain), data.rindex(plain)
    data = data[:at] + raw + data[at + len(raw) : central] + raw + data[central + len(raw) :]
    data = patched(patched(data, at - 30 + 6, "<H", flags), central - 46 + 8, "<H", flags)
    assert codes(data) == ["wheel.unsafe_member"]


@pytest.mark.parametrize("name", ["a\nb.py", "a\x7fb.py", "a\u202eyp.b", "\u200b.py"])
def test_invisible_characters_in_names_are_refused(name: str) -> None:
    assert codes(make_wheel(files={name: ""})) == ["wheel.unsafe_member"]


def test_a_very_long_name_is_refused() -> None:
    assert codes(make_wheel(files={"a" * 301: ""})) == ["wheel.bad_framing"]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_no_changed_byte_goes_unnoticed_or_raises(at: int, value: int) -> None:
    """Only fields that no reader acts on may change without a finding: times, versions, modes."""
    changed = GOOD[:at] + bytes([value]) + GOOD[at + 1 :]
    found = codes(changed)
    if not found and changed != GOOD:
        before = wheel.read(io.BytesIO(GOOD), filename=filename())
        after = wheel.read(io.BytesIO(changed), filename=filename())
        assert [(m.name, m.sha256) for m in after.members] == [
            (m.name, m.sha256) for m in before.members
        ]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_hostile_bytes_give_findings_and_never_raise(data: bytes) -> None:
    assert codes(data) != []
    assert codes(data + GOOD[DIRECTORY:]) != []


def test_contents_never_yields_more_than_declared() -> None:
    file = io.BytesIO(bomb(10, 1 << 20))
    [zeros] = [e for e in archive.entries(file, max_members=10) if e.name.endswith(".bin")]
    with pytest.raises(archive.Unreadable):
        next(archive.contents(file, zeros))
