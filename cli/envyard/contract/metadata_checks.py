"""Static checks of a wheel's METADATA. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.version import Version

from envyard.contract import names
from envyard.contract.findings import Finding, finding
from envyard.contract.frameworks.commits import advice
from envyard.contract.git_requirements import SETTING, GitRequirement, Repositories, parse
from envyard.contract.metadata import is_plain
from envyard.contract.wheel import Wheel

# From this version on License-File names a path below .dist-info/licenses.
LICENSES_SINCE = (2, 4)
MAX_CHARACTERS = {
    "version": 80,
    "summary": 512,
    "requires_python": 120,
    "description_content_type": 80,
}


def present(whl: Wheel) -> Iterator[Finding]:
    """METADATA exists and is not empty."""
    if whl.dist_info and not whl.metadata.raw:
        where = f"{whl.dist_info}/METADATA"
        yield finding("metadata.missing", f"{where!r} is missing or empty", where=where)


def fields(whl: Wheel) -> Iterator[Finding]:
    """METADATA is UTF-8 and each field keeps the core metadata specification."""
    for fault in whl.metadata.faults:
        field = "" if fault.field == "metadata" else f" {fault.field}"
        yield finding(fault.code, f"METADATA{field}: {fault.message}", where=fault.field)


def lengths(whl: Wheel) -> Iterator[Finding]:
    """No one-line field is longer than the hub keeps."""
    for name, limit in MAX_CHARACTERS.items():
        value = getattr(whl.metadata, name)
        if len(value) > limit:
            field = name.replace("_", "-")
            yield finding(
                "metadata.long_field",
                f"METADATA: {field} {value[:40]!r}... has {len(value)} characters; "
                f"the limit is {limit}",
                where=field,
            )


def name(whl: Wheel) -> Iterator[Finding]:
    """The name keeps the rule for environments and is the file name's."""
    if not whl.metadata.name:
        return
    try:
        name_in_metadata = names.check_name(whl.metadata.name)
    except names.BadName as error:
        yield finding("metadata.bad_name", f"METADATA: {error}", where="name")
        return
    if whl.name and name_in_metadata != whl.name:
        yield finding(
            "metadata.name_mismatch",
            f"METADATA has name {name_in_metadata!r}, the file name {whl.name!r}",
            where="name",
        )


def version(whl: Wheel) -> Iterator[Finding]:
    """The version is PEP 440, public, and the file name's."""
    try:
        declared = Version(whl.metadata.version)
    except ValueError:
        return  # absent or unreadable: `fields` has a finding
    if declared.local:
        yield finding(
            "metadata.local_version",
            f"METADATA: version {str(declared)!r} has the local part {declared.local!r}; "
            f"publish {declared.public!r}",
            where="version",
        )
    elif whl.version and str(declared) != whl.version:
        yield finding(
            "metadata.version_mismatch",
            f"METADATA has version {str(declared)!r}, the file name {whl.version!r}",
            where="version",
        )


def requirements(whl: Wheel) -> Iterator[Finding]:
    """Dependencies are lines that all installers parse in the same way."""
    for text in whl.metadata.requires_dist:
        try:
            requirement = Requirement(text)
        except (RecursionError, ValueError):
            continue  # `fields` has a finding
        if not is_plain(requirement):
            yield finding(
                "metadata.bad_requirement",
                f"METADATA: Requires-Dist {text[:200]!r} has a line break, a quote or a sign that "
                "cannot be seen in its marker; leave it out",
                where="requires-dist",
            )
        if any(clause.operator == "===" for clause in requirement.specifier):
            yield finding(
                "metadata.bad_requirement",
                f"METADATA: Requires-Dist {text[:200]!r} compares by '===', which installers do "
                "not parse in the same way; use '=='",
                where="requires-dist",
            )


def direct_urls(whl: Wheel, repositories: Repositories) -> Iterator[Finding]:
    """Dependencies come from an index, or from a git repository that the hub's operator allows."""
    names_by_url: set[str] = set()
    for text in whl.metadata.requires_dist:
        try:
            requirement = Requirement(text)
        except (RecursionError, ValueError):
            continue  # `fields` has a finding
        if not requirement.url:
            continue
        git = parse(requirement)
        refusal = ""
        if git is None or repositories.source(git.repository) is None:
            refusal = f"points at a URL; {_instead(requirement, git)}"
        elif git.name in names_by_url:
            refusal = f"is a second URL for {git.name}; keep one"
        else:
            names_by_url.add(git.name)
        if refusal:
            yield finding(
                "metadata.direct_url",
                f"METADATA: Requires-Dist {text[:200]!r} {refusal}",
                where=requirement.name[:100],
            )


def _instead(requirement: Requirement, git: GitRequirement | None) -> str:
    release = advice(requirement)
    version = f"name a version instead{f': {release}' if release else ''}"
    if git is None:
        return version
    return f"{version.removesuffix('.')}. The hub's operator can allow {git.repository} ({SETTING})"


def license_files(whl: Wheel) -> Iterator[Finding]:
    """Each named licence file is a member, where the specification puts it."""
    metadata = whl.metadata
    if _numbers(metadata.metadata_version) < LICENSES_SINCE or not whl.dist_info:
        return
    members = {member.name for member in whl.files}
    for path in metadata.license_files:
        expected = f"{whl.dist_info}/licenses/{path}"
        if expected not in members:
            yield finding(
                "metadata.no_license_file",
                f"METADATA: License-File {path[:200]!r} must be member {expected[:400]!r}, which "
                "is missing",
                where="license-file",
            )


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()


def recommended_texts(whl: Wheel) -> Iterator[Finding]:
    """A reader finds a summary, a README and a licence; without them the wheel still passes."""
    metadata = whl.metadata
    if not metadata.name:
        return
    if not metadata.summary:
        yield finding("metadata.no_summary", where="summary")
    if not metadata.description.strip():
        yield finding("metadata.no_readme", where="description")
    if not metadata.license and not metadata.license_files:
        yield finding("metadata.no_license", where="license-expression")
