"""The errors and warnings of an upload that depend on its names alone; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.utils import timezone

from envyard.contract.findings import Finding, finding
from envyard.contract.names import BadName, canonical_version
from registry.accounts import permissions, second_factor
from registry.accounts.models import Owner, Token, User
from registry.catalog import naming, similar
from registry.catalog.models import Environment, Version
from registry.catalog.related_models import UsedFilename
from registry.catalog.sorting import sort_key
from registry.errors import HubError
from registry.uploads import authority


def name_findings(
    *,
    owner: Owner | None,
    owner_name: str,
    name: str,
    version: str,
    filename: str,
    sha256: str,
    by: User,
    token: Token | None,
) -> list[Finding]:
    """The errors and warnings for the names of such a wheel under the owner.

    A user who may not publish there gets only that error, as for an upload.
    """
    if owner is None:
        return [
            finding("upload.owner_mismatch", f"there is no owner {owner_name[:40]!r} on this hub")
        ]
    try:
        normal = naming.normal(name)
        environment = Environment.objects.filter(owner=owner, name=normal).first()
        _check_may_publish(owner, environment, by, token)
    except HubError as error:
        return [_finding(error)]
    checks: list[Callable[[], None]] = []
    if environment is None:
        checks.append(lambda: naming.check_allowed(owner=owner, name=normal, by=by))
    checks.append(lambda: _check_free(owner, environment, version, filename, sha256))
    proposed = environment or Environment(owner=owner, name=normal, created_at=timezone.now())
    return [*_errors(checks), *similar.name_findings(proposed)]


def _errors(checks: list[Callable[[], None]]) -> Iterator[Finding]:
    for check in checks:
        try:
            check()
        except HubError as error:
            yield _finding(error)


def _finding(error: HubError) -> Finding:
    return Finding(error.code, error.message, error.hint, details=error.details)


def _check_may_publish(
    owner: Owner, environment: Environment | None, by: User, token: Token | None
) -> None:
    if environment and permissions.can(by, "environment.publish", environment, token):
        return
    if second_factor.missing(by):
        raise second_factor.refusal(by)
    if not permissions.can(by, "owner.publish", owner):
        raise authority.refusal(owner=owner, by=by)
    permissions.require(by, "owner.publish", owner, token)


def _check_free(
    owner: Owner, environment: Environment | None, version: str, filename: str, sha256: str
) -> None:
    """Refuse a version or file name that was used, except for a repeated upload of the same
    bytes."""
    try:
        number = canonical_version(version)
    except BadName as error:
        raise HubError("metadata.bad_version", str(error)) from None
    before = Version.objects.filter(environment=environment, sort_key=sort_key(number)).first()
    if environment is not None and before is not None:
        if before.deleted_at is None and sha256 == before.sha256:
            return
        deleted = "was deleted, and its number never returns" if before.deleted_at else ""
        raise HubError(
            "upload.version_exists",
            f"{owner.name}/{environment.name}=={before.version} "
            f"{deleted or 'exists with other bytes; versions never change'}",
            "Raise `version` in pyproject.toml.",
        )
    if filename and UsedFilename.objects.filter(owner=owner, filename=filename).exists():
        raise HubError("upload.filename_taken", f"file name {filename!r} was used before")
