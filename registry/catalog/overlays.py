"""What is laid over a version or an environment, and taken off again. Callers asked `permissions`.

Of a version: yanked (its owner's, PEP 592) and quarantined (the staff's, PEP 792). Of an
environment: deprecated (its owner's) and quarantined.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from envyard.contract.names import BadName, parse_ref
from registry import events
from registry.accounts.models import Token, User
from registry.accounts.permissions import Actor
from registry.catalog.changes import index_changed
from registry.catalog.models import Environment, Version
from registry.catalog.services import lock, refresh_latest
from registry.errors import HubError, Stale

LONGEST_REASON = 400


def yank(*, version: Version, by: User, reason: str) -> None:
    """Take a listed version out of catalogue and `latest`; exact pins still install (PEP 592)."""
    change = {"yanked_at": timezone.now(), "yanked_reason": _said(reason)}
    _lay(version, "yanked", change, by)


def unyank(*, version: Version, by: User) -> None:
    """Undo `yank`."""
    _lay(version, "unyanked", {"yanked_at": None, "yanked_reason": ""}, by)


def quarantine(*, version: Version, by: User, reason: str) -> None:
    """Take a version away from everybody until staff release it (PEP 792)."""
    change = {"quarantined_at": timezone.now(), "quarantine_reason": _said(reason)}
    _lay(version, "quarantined", change, by)


def release(*, version: Version, by: User) -> None:
    """Undo `quarantine`."""
    _lay(version, "released", {"quarantined_at": None, "quarantine_reason": ""}, by)


def quarantine_environment(*, environment: Environment, by: User, reason: str) -> None:
    """Take all of an environment away from everybody until staff release it (PEP 792)."""
    change = {"quarantined_at": timezone.now(), "quarantine_reason": _said(reason)}
    _lay_over_all(environment, "quarantined", change, by)


def release_environment(*, environment: Environment, by: User) -> None:
    """Undo `quarantine_environment`; versions quarantined by themselves stay so."""
    _lay_over_all(environment, "released", {"quarantined_at": None, "quarantine_reason": ""}, by)


def deprecate(
    *, environment: Environment, by: User, reason: str, successor: Environment | None = None
) -> None:
    """Say that nobody should begin to use it, and why (PEP 792); said again, the last word counts.

    Everybody who sees the environment is sent to the successor, so they must see that too.
    """
    if successor is not None:
        _check_successor(environment, successor)
    change = {
        "deprecated_at": timezone.now(),
        "deprecation_reason": _said(reason),
        "successor": successor,
    }
    _lay_over_all(environment, "deprecated", change, by, again=True)


def undeprecate(*, environment: Environment, by: User) -> None:
    """Undo `deprecate`."""
    change = {"deprecated_at": None, "deprecation_reason": "", "successor": None}
    _lay_over_all(environment, "undeprecated", change, by)


def successor_named(text: str, *, who: Actor, token: Token | None = None) -> Environment | None:
    """The environment that `owner/name` means to the get_actor, None for an empty text."""
    if not text:
        return None
    try:
        ref = parse_ref(text)
    except BadName as refused:
        raise _wrong_successor(str(refused)) from None
    visible = Environment.objects.visible_to(who, token).select_related("owner")
    found = visible.filter(owner__name=ref.owner, name=ref.name).first()
    if found is None:
        raise _wrong_successor(f"successor {text[:140]!r} is no environment that you may see")
    return found


def _check_successor(environment: Environment, successor: Environment) -> None:
    if successor.pk == environment.pk:
        why = "is the environment itself"
    elif successor.deprecated_at is not None:
        why = "is deprecated too"
    elif not successor.may_succeed(environment):
        why = f"is not listed, or not for everybody who sees {environment}"
    else:
        return
    raise _wrong_successor(f"successor {str(successor)!r} {why}")


def _wrong_successor(message: str) -> HubError:
    return HubError(
        "request.invalid",
        message,
        "Name a listed environment as owner/name, or none.",
        details={"field": "successor"},
    )


def _said(reason: str) -> str:
    reason = " ".join(reason.split())
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise HubError(
            "request.invalid",
            f"reason must have 1 to {LONGEST_REASON} characters, not {len(reason)}",
            details={"field": "reason"},
        )
    return reason


def _lay(version: Version, verb: str, change: Mapping[str, object], by: User) -> None:
    """Write one overlay where it is not so already; `change` begins with its time or None."""
    field, at = next(iter(change.items()))
    rows = Version.objects.filter(
        pk=version.pk, deleted_at=None, **{f"{field}__isnull": at is not None}
    )
    if field == "yanked_at":
        rows = rows.filter(status=Version.Status.LISTED)
    with transaction.atomic():
        lock(version.environment)
        if not rows.update(**change):
            version.refresh_from_db()
            now = f"it is {version.status}, or {verb} already"
            raise Stale(f"{version} cannot be {verb}: {now}")
        for name, value in change.items():
            setattr(version, name, value)
        reason = change.get("yanked_reason", change.get("quarantine_reason", ""))
        events.record(
            f"version.{verb}",
            by=by,
            environment=version.environment,
            version=version,
            reason=reason,
        )
        refresh_latest(version.environment)


def _lay_over_all(
    environment: Environment, verb: str, change: Mapping[str, object], by: User, again: bool = False
) -> None:
    """The same over an environment; `again` where it may be so already."""
    field, at = next(iter(change.items()))
    rows = Environment.objects.filter(pk=environment.pk, deleted_at=None)
    if not again:
        rows = rows.filter(**{f"{field}__isnull": at is not None})
    with transaction.atomic():
        if not rows.update(**change):
            raise Stale(f"{environment} is {verb} already")
        for name, value in change.items():
            setattr(environment, name, value)
        reason = change.get("deprecation_reason", change.get("quarantine_reason", ""))
        successor = str(change.get("successor") or "")
        events.record(
            f"environment.{verb}",
            by=by,
            environment=environment,
            reason=reason,
            successor=successor,
        )
        index_changed(environment)
