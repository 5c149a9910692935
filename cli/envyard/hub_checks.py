"""Checks of a wheel against a hub before the upload: its Pythons, framework releases and names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from envyard.client import Hub
from envyard.contract.detect import Detection
from envyard.contract.examine import examine
from envyard.contract.findings import Finding, finding
from envyard.contract.git_requirements import BadRepository, Repositories
from envyard.contract.needs.kinds import KINDS
from envyard.contract.wheel import Wheel
from envyard.errors import ApiError, HubCliError


@dataclass(frozen=True, slots=True)
class About:
    """The Pythons, releases and package index of a hub's runners; empty where it sends none.

    `provides` are the kinds of needs that hub and runners provide, None where it sends none.
    """

    pythons: tuple[str, ...] = ()
    releases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    driven: dict[str, dict[str, str]] = field(default_factory=dict)
    index: str = ""
    repositories: Repositories = field(default_factory=Repositories)
    provides: tuple[str, ...] | None = None

    @classmethod
    def of(cls, hub: Hub) -> About:
        """The hub's answer; empty for a hub without that address. Raises NoConnection."""
        try:
            answer = hub.get("about/")
        except ApiError as error:
            if error.status == 404:
                return cls()
            raise
        return cls.from_dict(answer if isinstance(answer, dict) else {})

    @classmethod
    def from_dict(cls, answer: dict[str, Any]) -> About:
        """Read an answer; values of an unknown shape are left out."""
        frameworks = answer.get("frameworks")
        rows = {
            str(name): row
            for name, row in (frameworks.items() if isinstance(frameworks, dict) else ())
            if isinstance(row, dict)
        }
        return cls(
            pythons=_versions(answer.get("pythons")),
            releases={name: _versions(row.get("releases")) for name, row in rows.items()},
            driven={name: _driven(row.get("apis")) for name, row in rows.items()},
            index=str(answer.get("index") or ""),
            repositories=_repositories(answer.get("git_repositories")),
            provides=_kinds(answer.get("provides")),
        )


def _kinds(value: Any) -> tuple[str, ...] | None:
    return tuple(kind for kind in KINDS if kind in value) if isinstance(value, list) else None


def _repositories(value: Any) -> Repositories:
    try:
        return Repositories.of(map(str, value if isinstance(value, list) else ()))
    except BadRepository:
        return Repositories()


def examine_for(hub: Hub | None, path: Path) -> tuple[list[Finding], Detection]:
    """The static checks with the git repositories that the hub allows; none are allowed where it
    cannot be reached. The hub's list is requested for wheels with URLs alone."""
    findings, detection = examine(path)
    if hub is None or not any(item.code == "metadata.direct_url" for item in findings):
        return findings, detection
    try:
        repositories = About.of(hub).repositories
    except HubCliError:
        return findings, detection
    return examine(path, repositories=repositories)


def _driven(apis: Any) -> dict[str, str]:
    if not isinstance(apis, dict):
        return {}
    bounds = {
        str(api): str(row.get("specifier")) for api, row in apis.items() if isinstance(row, dict)
    }
    return {api: bound for api, bound in bounds.items() if _is_a(SpecifierSet, bound)}


def _versions(value: Any) -> tuple[str, ...]:
    texts = [str(item) for item in value] if isinstance(value, list) else []
    return tuple(text for text in texts if _is_a(Version, text))


def _is_a(kind: type[SpecifierSet | Version], text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


def python_findings(wheel: Wheel, about: About) -> Iterator[Finding]:
    """Warn of a Requires-Python that no live runner's Python meets: the run would stay queued."""
    requires_python = wheel.metadata.requires_python
    if not requires_python or not about.pythons:
        return
    try:
        fitting = list(SpecifierSet(requires_python).filter(about.pythons, prereleases=True))
    except ValueError:
        return  # the static checks name it
    if not fitting:
        yield finding(
            "run.no_python",
            f"Requires-Python is {requires_python[:200]}; the hub's runners have "
            f"Python {', '.join(about.pythons)}",
            where="Requires-Python",
            severity="warning",
            hint=f"Widen requires-python in pyproject.toml, for example to "
            f'">={".".join(about.pythons[-1].split(".")[:2])}".',
        )


def framework_findings(wheel: Wheel, detected: Detection, about: About) -> Iterator[Finding]:
    """Refuse requirements of the framework that no release the hub can drive meets."""
    releases = about.releases.get(detected.framework, ())
    requirement = _requirement(wheel, detected.framework)
    if not releases or requirement is None:
        return
    driven = about.driven.get(detected.framework, {}).get(detected.api, "")
    usable = list(SpecifierSet(driven).filter(releases)) if driven else list(releases)
    if usable and not list(requirement.specifier.filter(usable, prereleases=True)):
        label = f"{detected.framework} {detected.api}".strip()
        yield finding(
            "env.framework_undriven",
            f"the wheel requires {str(requirement)[:200]!r}; for {label} this hub runs "
            + (f"{usable[0]} to {usable[-1]}" if usable[1:] else f"release {usable[0]} alone"),
            where=requirement.name,
            hint=f'Require a release that the hub runs, for example "{requirement.name}'
            f'{driven or ">=" + usable[-1]}".',
        )


def _requirement(wheel: Wheel, framework: str) -> Requirement | None:
    for line in wheel.metadata.requires_dist:
        try:
            requirement = Requirement(line)
        except (ValueError, RecursionError):
            continue
        if requirement.name.lower().replace("_", "-") == framework and not requirement.marker:
            return requirement
    return None


def request_check(
    hub: Hub, path: Path, wheel: Wheel, *, owner: str, trial: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The hub's answer about the wheel's names and, with `trial`, its card; raises ApiError."""
    body: dict[str, Any] = {
        "owner": owner,
        "name": wheel.metadata.name,
        "version": wheel.metadata.version,
        "filename": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    answer = hub.post("check/", body if trial is None else {**body, "report": trial})
    return answer if isinstance(answer, dict) else {}


def findings_in(answer: dict[str, Any]) -> list[Finding]:
    """The findings of such an answer, read as untrusted input."""
    rows = answer.get("findings")
    listed = rows if isinstance(rows, list) else []
    return [Finding.from_dict(row) for row in listed if isinstance(row, dict)]
