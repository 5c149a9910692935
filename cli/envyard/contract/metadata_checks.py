"""Static checks of what a wheel's METADATA says. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.version import Version

from envyard.contract import names
from envyard.contract.codes import Finding, finding
from envyard.contract.wheel import Wheel

FIELD_CODES = {
    "name": "metadata.bad_name",
    "version": "metadata.bad_version",
    "requires-dist": "metadata.bad_requirement",
    "metadata": "wheel.no_metadata",
}
LONGEST = {"version": 80, "summary": 512, "requires_python": 120, "description_content_type": 80}


def present(whl: Wheel) -> Iterator[Finding]:
    """METADATA is there and not empty."""
    if whl.dist_info and not whl.metadata.raw:
        where = f"{whl.dist_info}/METADATA"
        yield finding("wheel.no_metadata", f"{where!r} is missing or empty", where=where)


def fields(whl: Wheel) -> Iterator[Finding]:
    """METADATA is UTF-8 and each field keeps the core metadata specification."""
    for fault in whl.metadata.faults:
        code = FIELD_CODES.get(fault.field, "metadata.bad_field")
        yield finding(code, f"METADATA: {fault.message}", where=fault.field)


def lengths(whl: Wheel) -> Iterator[Finding]:
    """No one-line field is longer than the hub keeps."""
    for name, most in LONGEST.items():
        value = getattr(whl.metadata, name)
        if len(value) > most:
            field = name.replace("_", "-")
            yield finding(
                "metadata.bad_field",
                f"{field} has {len(value)} characters; the limit is {most}",
                where=field,
            )


def name(whl: Wheel) -> Iterator[Finding]:
    """The name keeps the rule for environments and is the file name's."""
    if not whl.metadata.name:
        return
    try:
        said = names.check_name(whl.metadata.name)
    except names.BadName as error:
        yield finding("metadata.bad_name", f"METADATA: {error}", where="name")
        return
    if whl.name and said != whl.name:
        yield finding(
            "metadata.name_mismatch",
            f"METADATA says name {said!r}, the file name {whl.name!r}",
            where="name",
        )


def version(whl: Wheel) -> Iterator[Finding]:
    """The version is PEP 440, public, and the file name's."""
    try:
        said = Version(whl.metadata.version)
    except ValueError:
        return  # absent or unreadable: `fields` has told
    if said.local:
        yield finding(
            "metadata.bad_version",
            f"version {str(said)!r} has the local part {said.local!r}; publish {said.public!r}",
            where="version",
        )
    elif whl.version and str(said) != whl.version:
        yield finding(
            "metadata.version_mismatch",
            f"METADATA says version {str(said)!r}, the file name {whl.version!r}",
            where="version",
        )


def requirements(whl: Wheel) -> Iterator[Finding]:
    """Dependencies are names and versions from an index, never direct URLs."""
    for text in whl.metadata.requires_dist:
        try:
            requirement = Requirement(text)
        except (RecursionError, ValueError):
            continue  # `fields` has told
        if requirement.url:
            yield finding(
                "metadata.direct_url",
                f"Requires-Dist {text[:200]!r} points at a URL",
                where=requirement.name[:100],
            )


def card(whl: Wheel) -> Iterator[Finding]:
    """A reader finds a summary, a README and a licence; without them the wheel still passes."""
    said = whl.metadata
    if not said.name:
        return
    if not said.summary:
        yield finding("metadata.no_summary", severity="warning", where="summary")
    if not said.description.strip():
        yield finding("metadata.no_readme", severity="warning", where="description")
    if not said.license and not said.license_files:
        yield finding("metadata.no_license", severity="warning", where="license-expression")
