"""Overlays: reversible states beside the status. Callers have checked permissions.

Versions are yanked by owners (PEP 592) and quarantined by staff (PEP 792), environments deprecated
by owners and quarantined by staff.
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

MAX_REASON = 400


def yank(*, version: Version, by: User, reason: str) -> None:
    """Remove a listed version from catalogue and `latest`; exact pins still install it (PEP
    592)."""
    change = {"yanked_at": timezone.now(), "yanked_reason": _checked_reason(reason)}
    _apply_overlay(version, "yanked", change, by)


def unyank(*, version: Version, by: User) -> None:
    """Undo `yank`."""
    _apply_overlay(version, "unyanked", {"yanked_at": None, "yanked_reason": ""}, by)


def quarantine(*, version: Version, by: User, reason: str) -> None:
    """Make a version unavailable until staff release it (PEP 792)."""
    change = {"quarantined_at": timezone.now(), "quarantine_reason": _checked_reason(reason)}
    _apply_overlay(version, "quarantined", change, by)


def release(*, version: Version, by: User) -> None:
    """Undo `quarantine`."""
    _apply_overlay(version, "released", {"quarantined_at": None, "quarantine_reason": ""}, by)


def quarantine_environment(*, environment: Environment, by: User, reason: str) -> None:
    """Make an environment and its versions unavailable until staff release it (PEP 792)."""
    change = {"quarantined_at": timezone.now(), "quarantine_reason": _checked_reason(reason)}
    _apply_environment_overlay(environment, "quarantined", change, by)


def release_environment(*, environment: Environment, by: User) -> None:
    """Undo `quarantine_environment`; versions with a quarantine of their own keep it."""
    _apply_environment_overlay(
        environment, "released", {"quarantined_at": None, "quarantine_reason": ""}, by
    )


def deprecate(
    *, environment: Environment, by: User, reason: str, successor: Environment | None = None
) -> None:
    """Mark it as not to be used any more, with the reason (PEP 792); a second call replaces both.

    The successor must be visible to everybody who sees the environment, since its page links it.
    """
    if successor is not None:
        _check_successor(environment, successor)
    change = {
        "deprecated_at": timezone.now(),
        "deprecation_reason": _checked_reason(reason),
        "successor": successor,
    }
    _apply_environment_overlay(environment, "deprecated", change, by, repeatable=True)


def undeprecate(*, environment: Environment, by: User) -> None:
    """Undo `deprecate`."""
    change = {"deprecated_at": None, "deprecation_reason": "", "successor": None}
    _apply_environment_overlay(environment, "undeprecated", change, by)


def parse_successor(text: str, *, actor: Actor, token: Token | None = None) -> Environment | None:
    """The environment `owner/name`, if the actor may see it; None for an empty text."""
    if not text:
        return None
    try:
        ref = parse_ref(text)
    except BadName as refused:
        raise _wrong_successor(str(refused)) from None
    visible = Environment.objects.visible_to(actor, token).select_related("owner")
    successor = visible.filter(owner__name=ref.owner, name=ref.name).first()
    if successor is None:
        raise _wrong_successor(f"successor {text[:140]!r} is no environment that you may see")
    return successor


def _check_successor(environment: Environment, successor: Environment) -> None:
    if successor.pk == environment.pk:
        reason = "is the environment itself"
    elif successor.deprecated_at is not None:
        reason = "is deprecated too"
    elif not successor.may_succeed(environment):
        reason = f"is not listed, or not for everybody who sees {environment}"
    else:
        return
    raise _wrong_successor(f"successor {str(successor)!r} {reason}")


def _wrong_successor(message: str) -> HubError:
    return HubError(
        "request.invalid",
        message,
        "Name a listed environment as owner/name, or none.",
        details={"field": "successor"},
    )


def _checked_reason(reason: str) -> str:
    reason = " ".join(reason.split())
    if not 1 <= len(reason) <= MAX_REASON:
        raise HubError(
            "request.invalid",
            f"reason must have 1 to {MAX_REASON} characters, not {len(reason)}",
            details={"field": "reason"},
        )
    return reason


def _apply_overlay(version: Version, verb: str, change: Mapping[str, object], by: User) -> None:
    """Write one overlay unless it is set already; `change` begins with its time, or None to
    undo."""
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


def _apply_environment_overlay(
    environment: Environment,
    verb: str,
    change: Mapping[str, object],
    by: User,
    repeatable: bool = False,
) -> None:
    """The same for an environment; `repeatable` where it may be set already."""
    field, at = next(iter(change.items()))
    rows = Environment.objects.filter(pk=environment.pk, deleted_at=None)
    if not repeatable:
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
