"""Static checks of the file name and of what stands in .dist-info. Pure functions."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from email.parser import HeaderParser

from packaging.utils import parse_wheel_filename

from envyard.contract import names
from envyard.contract.codes import Finding, finding
from envyard.contract.wheel import Wheel

SIGNATURES = {"RECORD.jws", "RECORD.p7s"}
INSTALLERS = {"INSTALLER", "REQUESTED", "direct_url.json"}
SCRIPT_GROUPS = ("console_scripts", "gui_scripts")
SCRIPT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]*")
# What every virtual environment has in its folder of programs, or needs from there.
COMMANDS = re.compile(
    r"(pythonw?|pip|pypy)[0-9.]*(-config)?|activate.*|deactivate|uvx?|hub(-runner)?"
)
OBJECT = re.compile(r"\w+(\.\w+)*(\s*:\s*\w+(\.\w+)*)?(\s*\[.*\])?")


def file_name(whl: Wheel) -> Iterator[Finding]:
    """The file name is a wheel's, in its normal form, and carries no build number."""
    try:
        name, version, build, _ = parse_wheel_filename(whl.filename)
    except ValueError:
        yield finding(
            "wheel.bad_filename",
            f"file name {whl.filename!r} is not name-version-py3-none-any.whl",
            where=whl.filename,
        )
        return
    wanted = f"{name.replace('-', '_')}-{version}-{whl.tag}.whl"
    if build:
        yield finding(
            "wheel.build_number",
            f"file name {whl.filename!r} carries build number {build[0]}; a version has one wheel",
            where=whl.filename,
        )
    elif whl.filename != wanted or len(wanted) > 255:
        yield finding(
            "wheel.unnormal_filename",
            f"file name {whl.filename!r} is not in normal form (at most 255 characters): "
            f"{wanted!r}",
            where=whl.filename,
        )


def pure_tag(whl: Wheel) -> Iterator[Finding]:
    """The tags in the file name say that the wheel runs on every machine."""
    if whl.tags and not (
        any(tag.interpreter.startswith("py3") for tag in whl.tags)
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
        found = sorted(top for top in tops if top.lower().endswith(".dist-info"))
        if found:
            yield finding(
                "wheel.several_dist_infos",
                f"the wheel has the .dist-info folders {str(found)[:400]}; one is allowed",
                where=found[1],
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
    """WHEEL is there, of version 1, says purelib and repeats the file name's tags."""
    where = f"{whl.dist_info}/WHEEL"
    if not whl.dist_info:
        return
    if whl.wheel_file is None:
        yield finding("wheel.no_wheel_file", f"{where!r} is missing or not UTF-8", where=where)
        return
    said = HeaderParser().parsestr(whl.wheel_file)
    versions = [str(line).strip() for line in said.get_all("Wheel-Version", [])]
    if len(versions) != 1 or versions[0].partition(".")[0] != "1":
        yield finding(
            "wheel.wheel_version", f"{where!r}: Wheel-Version is {versions}, not 1.x", where=where
        )
    pure = [str(line).strip() for line in said.get_all("Root-Is-Purelib", [])]
    if [line.lower() for line in pure] != ["true"]:
        yield finding(
            "wheel.not_purelib", f"{where!r}: Root-Is-Purelib is {pure}, not true", where=where
        )
    lines = [str(line).strip() for line in said.get_all("Tag", [])]
    if whl.tags and set(lines) != {str(tag) for tag in whl.tags}:
        yield finding(
            "wheel.tag_mismatch",
            f"{where!r} names the tags {str(lines)[:400]}, the file name {whl.tag!r}; "
            "they must agree",
            where=where,
        )


def other_files(whl: Wheel) -> Iterator[Finding]:
    """No signature that nobody checks, and nothing that tells how the wheel was installed."""
    for member in whl.files:
        parent, _, name = member.name.rpartition("/")
        if parent != whl.dist_info:
            continue
        if name in SIGNATURES:
            yield finding(
                "wheel.signature_file",
                f"{member.name!r} is a signature that no installer checks; none may be shipped",
                where=member.name,
            )
        elif name in INSTALLERS:
            yield finding(
                "wheel.installer_file",
                f"{member.name!r} tells how a wheel was installed; only installers write it",
                where=member.name,
            )


def scripts(whl: Wheel) -> Iterator[Finding]:
    """entry_points.txt can be read, and its scripts have names of their own."""
    where = f"{whl.dist_info}/entry_points.txt"
    if whl.entry_points is None:
        if any(member.name == where for member in whl.files):
            yield finding("wheel.bad_entry_points", f"{where!r} is not UTF-8", where=where)
        return
    parser = configparser.RawConfigParser(delimiters=("=",), strict=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(whl.entry_points)
    except configparser.Error as error:
        told = " ".join(str(error).split())[:300]
        yield finding("wheel.bad_entry_points", f"{where!r} is no INI file: {told}", where=where)
        return
    for group in parser.sections():
        for name, value in parser.items(group):
            yield from _entry(group, name, value, where)


def _entry(group: str, name: str, value: str, where: str) -> Iterator[Finding]:
    told = f"entry {f'{name} = {value}'[:200]!r} of [{group[:80]}]"
    if not OBJECT.fullmatch(value):
        yield finding("wheel.bad_entry_points", f"{told} is not module:object", where=where)
    if group not in SCRIPT_GROUPS:
        return
    if not SCRIPT.fullmatch(name) or name[-1] in ". ":
        yield finding(
            "wheel.script_name",
            f"{told} would write a script; its name must be letters, digits and inner '.-_ '",
            where=where,
        )
    elif COMMANDS.fullmatch(name.lower().removesuffix(".exe")):
        yield finding(
            "wheel.script_takes_command",
            f"{told} would replace the command {name!r}; that name is taken",
            where=where,
        )


def _canonical(version: str) -> str:
    try:
        return names.canonical_version(version)
    except names.BadName:
        return ""
