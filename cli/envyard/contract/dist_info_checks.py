"""Static checks of the file name and of the files in .dist-info. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.parser import HeaderParser

from packaging.utils import parse_wheel_filename

from envyard.contract import header_lines, names
from envyard.contract.findings import Finding, finding
from envyard.contract.wheel import Wheel

# uv reads the fields of WHEEL in this spelling alone; pip in any.
VERSION_1 = re.compile(r"1\.[0-9]{1,4}")
PYTHON_3 = re.compile(r"py3[0-9]{0,2}")
FIELDS = ("Wheel-Version", "Generator", "Root-Is-Purelib", "Tag", "Build")


def file_name(whl: Wheel) -> Iterator[Finding]:
    """The file name is a wheel's, in its normal form, and has no build number."""
    try:
        name, version, build, _ = parse_wheel_filename(whl.filename)
    except ValueError:
        yield finding(
            "wheel.bad_filename",
            f"file name {whl.filename!r} is not name-version-py3-none-any.whl",
            where=whl.filename,
        )
        return
    expected = f"{name.replace('-', '_')}-{version}-{whl.tag}.whl"
    if build:
        yield finding(
            "wheel.build_number",
            f"file name {whl.filename!r} has build number {build[0]}; a version has one wheel",
            where=whl.filename,
        )
    elif whl.filename != expected or len(expected) > 255:
        yield finding(
            "wheel.unnormal_filename",
            f"file name {whl.filename!r} is not in normal form (at most 255 characters): "
            f"{expected!r}",
            where=whl.filename,
        )


def pure_tag(whl: Wheel) -> Iterator[Finding]:
    """The tags in the file name are those of a wheel for every machine."""
    if whl.tags and not (
        any(PYTHON_3.fullmatch(tag.interpreter) for tag in whl.tags)
        and all(tag.abi == "none" and tag.platform == "any" for tag in whl.tags)
    ):
        yield finding(
            "wheel.platform_tag",
            f"file name {whl.filename!r} has the tag {whl.tag!r}, not py3-none-any",
            where=whl.filename,
        )


def folder(whl: Wheel) -> Iterator[Finding]:
    """There is exactly one .dist-info folder, and its name is the file's name and version."""
    if not whl.dist_info:
        tops = {member.name.partition("/")[0] for member in whl.members}
        folders = sorted(top for top in tops if top.lower().endswith(".dist-info"))
        if folders:
            yield finding(
                "wheel.several_dist_infos",
                f"the wheel has the .dist-info folders {str(folders)[:400]}; one is allowed",
                where=folders[1],
            )
        else:
            yield finding(
                "wheel.no_dist_info", "the wheel has no top-level .dist-info folder; it needs one"
            )
        return
    name, _, version = whl.dist_info.removesuffix(".dist-info").partition("-")
    if whl.name and (names.normalise(name), _canonical(version)) != (whl.name, whl.version):
        yield finding(
            "wheel.other_dist_info",
            f"folder {whl.dist_info!r} is not that of file name {whl.filename!r}: name and version "
            "must be the same",
            where=whl.dist_info,
        )


def wheel_file(whl: Wheel) -> Iterator[Finding]:
    """WHEEL exists, has version 1, declares purelib and repeats the file name's tags."""
    where = f"{whl.dist_info}/WHEEL"
    if not whl.dist_info:
        return
    if whl.wheel_file is None:
        yield finding("wheel.no_wheel_file", f"{where!r} is missing or not UTF-8", where=where)
        return
    yield from _wheel_lines(whl.wheel_file, where)
    headers = HeaderParser().parsestr(whl.wheel_file)
    versions = [str(line).strip() for line in headers.get_all("Wheel-Version", [])]
    if len(versions) != 1 or not VERSION_1.fullmatch(versions[0]):
        yield finding(
            "wheel.wheel_version", f"{where!r}: Wheel-Version is {versions}, not 1.x", where=where
        )
    pure = [str(line).strip() for line in headers.get_all("Root-Is-Purelib", [])]
    if [line.lower() for line in pure] != ["true"]:
        yield finding(
            "wheel.not_purelib", f"{where!r}: Root-Is-Purelib is {pure}, not true", where=where
        )
    lines = [str(line).strip() for line in headers.get_all("Tag", [])]
    if whl.tags and set(lines) != {str(tag) for tag in whl.tags}:
        yield finding(
            "wheel.tag_mismatch",
            f"{where!r} names the tags {str(lines)[:400]}, the file name {whl.tag!r}; "
            "they must agree",
            where=where,
        )


def _wheel_lines(text: str, where: str) -> Iterator[Finding]:
    """Each line of WHEEL is `Field: value`, in the spelling that every installer reads."""
    spelled = {field.lower(): field for field in FIELDS}
    ended = False
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        name = line.partition(":")[0]
        canonical = spelled.get(name.lower(), name)
        ended = ended or not line
        if line and ended:
            rule = "follows the empty line that ends the fields"
        elif fault := header_lines.fault(line) if line else "":
            rule = fault
        elif line[:1] in (" ", "\t"):
            rule = "continues the line before, which installers parse differently"
        elif canonical != name:
            rule = f"must be written {canonical!r}: some installers do not read it otherwise"
        elif name == "Build":
            rule = "names a build number; a version has one wheel"
        else:
            continue
        yield finding(
            "wheel.bad_wheel_file", f"line {number} of {where!r}, {line[:80]!r}, {rule}",
            where=where,
        )  # fmt: skip


def _canonical(version: str) -> str:
    try:
        return names.canonical_version(version)
    except names.BadName:
        return ""
