"""The static findings and the environment of a wheel, for both `hub check` and the hub."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from envyard.contract import checks, wheel
from envyard.contract.code_checks.registry import CODE_CHECKS
from envyard.contract.codes import Severity
from envyard.contract.detect import Detection, detect
from envyard.contract.findings import Finding, finding
from envyard.contract.frameworks.choose import choose, requires_dist
from envyard.contract.git_requirements import Repositories
from envyard.contract.needs import declarations, predict
from envyard.contract.own_imports import missing_modules
from envyard.contract.sources import Sources
from envyard.contract.syntax import MAX_IMPORTS, MAX_NODES


def examine(
    source: Path | BinaryIO,
    *,
    filename: str = "",
    limits: wheel.Limits = wheel.LIMITS,
    repositories: Repositories = checks.NO_REPOSITORIES,
) -> tuple[list[Finding], Detection]:
    """The static checks' findings, and the environment that the wheel holds.

    `repositories` are the git repositories that the hub's operator allows. The environment is
    detected only in a wheel without errors, and is empty otherwise.
    """
    try:
        whl = wheel.read(source, filename=filename, limits=limits)
    except wheel.Unreadable as error:
        return [error.finding], Detection()
    findings = checks.run(whl, repositories)
    if any(item.severity == "error" for item in findings):
        return findings, Detection()
    members = Sources(wheel.sources(source, limits=limits))
    detection = detect(members)
    if not detection.framework:
        if unread := _unread(members, severity="error"):
            return [*findings, *unread], Detection()
        return [*findings, *detection.findings], detection
    choice = choose(
        members,
        framework=detection.framework,
        api=detection.api,
        module=detection.module,
        requires_dist=requires_dist(members),
    )
    declared = declarations.read(members, detection.module)
    detection = replace(
        detection,
        release=choice.release,
        needs=predict.needs_of(members, declared, module=detection.module),
        variables=declared.variables,
    )
    missing = missing_modules(members, {member.name for member in whl.members}, detection.module)
    of_code = (
        *_unread(members),
        *detection.findings,
        *choice.findings,
        *declared.findings,
        *missing,
        *(each for check in CODE_CHECKS for each in check(members)),
    )
    return [*findings, *of_code], detection


def _unread(sources: Sources, severity: Severity | None = None) -> list[Finding]:
    """The finding about code beyond the limits; none where all was read."""
    if not sources.unread:
        return []
    count = len(sources.unread)
    more = f" and {count - 1} more files were" if count > 1 else " was"
    message = (
        f"The wheel has more than {MAX_NODES} syntax nodes or {MAX_IMPORTS} imported names in its "
        f"code; {sources.unread[0]!r}{more} not read."
    )
    return [finding("env.code_over_limit", message, where=sources.unread[0], severity=severity)]
