"""Names of owners, environments and versions, and the one way to write a reference to them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.utils import canonicalize_name
from packaging.version import Version

INSTALLED_HUB = "installed_hub.txt"  # in the wheel a hub serves: that hub's public address
OWNER = re.compile(r"^[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?$")
DISTRIBUTION = re.compile(r"^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$")
REFERENCE = re.compile(r"^(?P<owner>[^/=@\s]+)/(?P<name>[^/=@\s]+)(?:(?:==|@)(?P<version>\S+))?$")


class BadName(ValueError):
    """A name or reference that breaks a rule; the text names the rule."""


@dataclass(frozen=True, slots=True)
class Ref:
    """`owner/name` or `owner/name==version`; name and version in canonical form."""

    owner: str
    name: str
    version: str | None = None

    def __str__(self) -> str:
        pin = f"=={self.version}" if self.version else ""
        return f"{self.owner}/{self.name}{pin}"


def normalise(name: str) -> str:
    """The PEP 503 form of a distribution name: lower case, runs of `-_.` as one `-`."""
    return str(canonicalize_name(name))


def canonical_version(text: str) -> str:
    """The PEP 440 normal form, trailing zeros kept; raises BadName."""
    try:
        return str(Version(text))
    except ValueError as exc:  # InvalidVersion, or a number of thousands of digits
        raise BadName(f"version {text[:80]!r} is not a PEP 440 version, e.g. 0.1.0") from exc


def check_owner(name: str) -> str:
    """Return the owner name, or raise BadName with the rule."""
    if not OWNER.fullmatch(name):
        raise BadName(f"owner {name!r} must be 1 to 39 lower-case letters, digits or inner hyphens")
    return name


def check_name(name: str) -> str:
    """Return the normalised environment name, or raise BadName with the rule."""
    if not DISTRIBUTION.fullmatch(name):
        raise BadName(
            f"environment name {name!r} must be 1 to 100 letters, digits, or inner '.', '_', '-'"
        )
    return normalise(name)


def parse_ref(text: str) -> Ref:
    """Read `owner/name`, `owner/name==version` or `owner/name@version`; raises BadName."""
    match = REFERENCE.fullmatch(text.strip())
    if not match:
        raise BadName(f"{text!r} is not an environment; write owner/name or owner/name==version")
    version = match["version"]
    return Ref(
        owner=check_owner(match["owner"].lower()),
        name=check_name(match["name"]),
        version=canonical_version(version) if version else None,
    )


def module_name(name: str) -> str:
    """The import name verifiers derives from an environment's name: `-` and `.` become `_`."""
    return normalise(name).replace("-", "_")
