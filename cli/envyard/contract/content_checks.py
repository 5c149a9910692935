"""Static checks of what a wheel holds: its names, its members, its .dist-info. Pure functions."""

from __future__ import annotations

import base64
import csv
import io
import re
import stat
import sys
import unicodedata
from collections.abc import Iterator
from email.parser import HeaderParser

from packaging.utils import parse_wheel_filename

from envyard.contract import names
from envyard.contract.codes import Finding, finding
from envyard.contract.wheel import Wheel

COMPILED = re.compile(r"\.(pyd|dll|dylib|so(\.\d+)*)$", re.IGNORECASE)
# Python imports the first two at every start; the others are stdlib modules of newer Pythons.
RESERVED_MODULES = sys.stdlib_module_names | {
    "sitecustomize",
    "usercustomize",
    "annotationlib",
    "compression",
}


def file_name(whl: Wheel) -> Iterator[Finding]:
    """The file name is a wheel's, in its normal form, and carries no build number."""
    try:
        name, version, build, _ = parse_wheel_filename(whl.filename)
    except ValueError:
        yield finding(
            "wheel.bad_filename",
            f"{whl.filename!r} is not name-version-py3-none-any.whl",
            where=whl.filename,
        )
        return
    wanted = f"{name.replace('-', '_')}-{version}-{whl.tag}.whl"
    if build:
        yield finding(
            "wheel.bad_filename",
            f"{whl.filename!r} carries build number {build[0]}; a version has one wheel",
            where=whl.filename,
        )
    elif whl.filename != wanted or len(wanted) > 255:
        yield finding(
            "wheel.bad_filename",
            f"{whl.filename!r} is not in normal form (at most 255 characters): {wanted!r}",
            where=whl.filename,
        )


def pure_python(whl: Wheel) -> Iterator[Finding]:
    """The wheel runs on every machine: py3-none-any, and no compiled code inside."""
    if whl.tags and not (
        any(tag.interpreter.startswith("py3") for tag in whl.tags)
        and all(tag.abi == "none" and tag.platform == "any" for tag in whl.tags)
    ):
        yield finding(
            "wheel.not_pure", f"the tag is {whl.tag!r}, not py3-none-any", where=whl.filename
        )
    for member in whl.files:
        if COMPILED.search(member.name):
            yield finding("wheel.not_pure", f"{member.name!r} is compiled code", where=member.name)


def member_paths(whl: Wheel) -> Iterator[Finding]:
    """Every member's path stays inside the wheel on every system."""
    for member in whl.members:
        parts = member.name.removesuffix("/").split("/")
        if "\\" in member.name or ":" in member.name:
            rule = "holds a backslash or a colon"
        elif member.name.startswith("/"):
            rule = "is absolute"
        elif any(part in ("", ".", "..") for part in parts):
            rule = "holds an empty, '.' or '..' part"
        else:
            continue
        yield finding("wheel.unsafe_member", f"path {member.name!r} {rule}", where=member.name)


def member_kinds(whl: Wheel) -> Iterator[Finding]:
    """Members are regular files, or folders without content."""
    for member in whl.members:
        kind = stat.S_IFMT(member.mode)
        allowed = (0, stat.S_IFDIR) if member.is_directory else (0, stat.S_IFREG)
        if kind not in allowed or (member.is_directory and member.size):
            yield finding(
                "wheel.symlink_member",
                f"{member.name!r} is a link, a device or otherwise no regular file "
                f"(mode {member.mode:o}, {member.size} bytes)",
                where=member.name,
            )


def collisions(whl: Wheel) -> Iterator[Finding]:
    """No two paths are one path where letter case or Unicode form does not count."""
    spelled: dict[str, tuple[str, bool]] = {}
    for member in whl.members:
        parts = member.name.removesuffix("/").split("/")
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            folder = depth < len(parts) or member.is_directory
            first, was_folder = spelled.setdefault(_folded(path), (path, folder))
            if first != path or was_folder != folder:
                yield finding(
                    "wheel.case_collision",
                    f"{member.name!r} needs {path!r} as a {'folder' if folder else 'file'}, but "
                    f"{first!r} is a {'folder' if was_folder else 'file'} already",
                    where=member.name,
                )
                break


def startup_files(whl: Wheel) -> Iterator[Finding]:
    """Nothing runs merely because the wheel is installed."""
    for member in whl.files:
        if "/" not in member.name and member.name.lower().endswith(".pth"):
            yield finding(
                "wheel.pth_member",
                f"{member.name!r} would run code at every start of Python",
                where=member.name,
            )


def data_folder(whl: Wheel) -> Iterator[Finding]:
    """Nothing is installed outside the environment's own modules."""
    for folder in sorted({member.name.partition("/")[0] for member in whl.members}):
        if folder.lower().endswith(".data"):
            yield finding(
                "wheel.data_member",
                f"{folder!r} would install files outside the environment's modules",
                where=folder,
            )


def module_names(whl: Wheel) -> Iterator[Finding]:
    """No top-level module takes the name of one that Python itself brings or imports."""
    tops = {member.name.partition("/")[0].removesuffix(".py") for member in whl.files}
    for name in sorted(tops & RESERVED_MODULES):
        yield finding(
            "wheel.shadows_stdlib",
            f"top-level module {name!r} has the name of a module of Python itself",
            where=name,
        )


def dist_info(whl: Wheel) -> Iterator[Finding]:
    """There is exactly one .dist-info folder, and its name is the file's name and version."""
    if not whl.dist_info:
        yield finding("wheel.no_dist_info", "there is not exactly one top-level .dist-info folder")
        return
    name, _, version = whl.dist_info.removesuffix(".dist-info").partition("-")
    if whl.name and (names.normalise(name), _canonical(version)) != (whl.name, whl.version):
        yield finding(
            "wheel.no_dist_info",
            f"folder {whl.dist_info!r} does not match file name {whl.filename!r}",
            where=whl.dist_info,
        )


def wheel_file(whl: Wheel) -> Iterator[Finding]:
    """WHEEL is there, of version 1, says purelib and repeats the file name's tags."""
    where = f"{whl.dist_info}/WHEEL"
    if not whl.dist_info:
        return
    if whl.wheel_file is None:
        yield finding("wheel.no_wheel_file", f"{where!r} is missing or not UTF-8", where=where)
        return
    said = HeaderParser().parsestr(whl.wheel_file)
    version = str(said.get("Wheel-Version", ""))
    if version.partition(".")[0] != "1":
        yield finding("wheel.no_wheel_file", f"Wheel-Version is {version!r}, not 1.x", where=where)
    if str(said.get("Root-Is-Purelib", "")).lower() != "true":
        yield finding(
            "wheel.not_pure",
            f"Root-Is-Purelib is {said.get('Root-Is-Purelib')!r}, not 'true'",
            where=where,
        )
    lines = [str(line).strip() for line in said.get_all("Tag", [])]
    if whl.tags and set(lines) != {str(tag) for tag in whl.tags}:
        yield finding(
            "wheel.bad_filename",
            f"WHEEL names the tags {str(lines)[:400]}, the file name {whl.tag!r}",
            where=where,
        )


def record(whl: Wheel) -> Iterator[Finding]:
    """RECORD lists exactly the members, each with its true sha256 and size; itself blank."""
    if not whl.dist_info:
        return
    where = f"{whl.dist_info}/RECORD"
    if whl.record is None:
        yield finding("wheel.no_record", f"{where!r} is missing or not UTF-8", where=where)
        return
    try:
        rows = list(csv.reader(io.StringIO(whl.record, newline="")))
    except csv.Error as error:
        yield finding("wheel.no_record", f"{where!r} is not CSV: {error}", where=where)
        return
    listed: dict[str, list[str]] = {}
    for row in rows:
        if len(row) != 3 or row[0] in listed:
            yield finding(
                "wheel.record_mismatch",
                f"row {str(row)[:400]} is not path,hash,size, or its path stands twice",
                where=where,
            )
        else:
            listed[row[0]] = row[1:]
    yield from _differences(whl, listed, where)


def _differences(whl: Wheel, listed: dict[str, list[str]], where: str) -> Iterator[Finding]:
    wanted = {
        member.name: [_record_hash(member.sha256), str(member.size)] for member in whl.files
    } | {where: ["", ""]}
    for name in sorted(listed.keys() - wanted.keys()):
        yield finding(
            "wheel.record_mismatch", f"RECORD lists {name[:400]!r}, which is no member", where=where
        )
    for name, truth in wanted.items():
        given = listed.get(name)
        if given is None:
            yield finding(
                "wheel.record_mismatch", f"member {name!r} is not listed in RECORD", where=name
            )
        elif given != truth:
            yield finding(
                "wheel.record_mismatch",
                f"RECORD says {','.join(given)[:200]!r} of {name!r}; true is {','.join(truth)!r}",
                where=name,
            )


def _record_hash(sha256: str) -> str:
    """RECORD's way to write a digest: urlsafe base64 without padding."""
    return "sha256=" + base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode().rstrip("=")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _canonical(version: str) -> str:
    try:
        return names.canonical_version(version)
    except names.BadName:
        return ""
