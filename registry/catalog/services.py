"""What changes an environment or the overlays of its versions. Callers asked `permissions`."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from packaging.version import Version as Pep440

from envyard.contract.names import BadName, check_name
from registry import events
from registry.accounts.models import Owner, User
from registry.catalog.changes import index_changed
from registry.catalog.models import Environment, Tag, Version
from registry.errors import HubError, Stale

RESERVED = frozenset({"simple", "legacy"})  # they follow an owner's name in the hub's addresses
MOST_TAGS = 20


def get_or_create_environment(
    *, owner: Owner, name: str, visibility: str | None = None, by: User
) -> tuple[Environment, bool]:
    """The environment of that name in any spelling, and whether it is new.

    Where a visibility is asked for and the existing one differs, it raises: who says `private`
    must not find the wheel in public.
    """
    try:
        normal = check_name(name)
    except BadName as refused:
        raise HubError("metadata.bad_name", str(refused)) from None
    if normal in RESERVED:
        raise HubError("metadata.bad_name", f"environment name {name!r} is reserved by the hub")
    if visibility is not None:
        _check_visibility(visibility)
    with transaction.atomic():
        environment, created = Environment.objects.select_related("owner").get_or_create(
            owner=owner,
            name=normal,
            defaults={"visibility": visibility or Environment.Visibility.PUBLIC},
        )
        if created:
            events.record(
                "environment.created",
                by=by,
                environment=environment,
                visibility=environment.visibility,
            )
    if visibility is not None and environment.visibility != visibility:
        raise HubError(
            "request.conflict",
            f"{environment} exists and is {environment.visibility}, not {visibility}",
            "Change its visibility first, or leave the option out.",
            409,
        )
    return environment, created


def set_visibility(*, environment: Environment, visibility: str, by: User) -> None:
    """Make the environment public or private, all its versions with it."""
    _check_visibility(visibility)
    with transaction.atomic():
        changed = (
            Environment.objects.filter(pk=environment.pk)
            .exclude(visibility=visibility)
            .update(visibility=visibility, updated_at=timezone.now())
        )
        if changed:
            events.record(f"environment.{visibility}", by=by, environment=environment)
            index_changed(environment)
    environment.visibility = visibility


def yank(*, version: Version, by: User, reason: str) -> None:
    """Take a listed version out of catalogue and `latest`; exact pins still install (PEP 592)."""
    reason = " ".join(reason.split())
    if not 1 <= len(reason) <= 400:
        raise HubError(
            "request.invalid", f"reason must have 1 to 400 characters, not {len(reason)}"
        )
    _overlay(version, "yanked", by=by, yanked_at=timezone.now(), yanked_reason=reason)


def unyank(*, version: Version, by: User) -> None:
    """Undo `yank`."""
    _overlay(version, "unyanked", by=by, yanked_at=None, yanked_reason="")


def quarantine(*, version: Version, by: User, reason: str) -> None:
    """Take a version away from everybody until staff release it (PEP 792)."""
    _overlay(
        version,
        "quarantined",
        by=by,
        quarantined_at=timezone.now(),
        quarantine_reason=reason[:400],
    )


def release(*, version: Version, by: User) -> None:
    """Undo `quarantine`."""
    _overlay(version, "released", by=by, quarantined_at=None, quarantine_reason="")


def _overlay(version: Version, verb: str, *, by: User, **change: object) -> None:
    """Write one overlay where it is not so already; `change` begins with its time or None."""
    field, at = next(iter(change.items()))
    rows = Version.objects.filter(
        pk=version.pk, deleted_at=None, **{f"{field}__isnull": at is not None}
    )
    if field == "yanked_at":
        rows = rows.filter(status=Version.Status.LISTED)
    with transaction.atomic():
        if not rows.update(**change):
            version.refresh_from_db()
            raise Stale(
                f"{version} ({version.status}) cannot be {verb}: it is not listed, or is so already"
            )
        for name, value in change.items():
            setattr(version, name, value)
        events.record(
            f"version.{verb}",
            by=by,
            environment=version.environment,
            version=version,
            reason=change.get("yanked_reason", change.get("quarantine_reason", "")),
        )
        refresh_latest(version.environment)


def refresh_latest(environment: Environment) -> None:
    """Recompute `latest` and what is shown of it; call it in the transaction of the change.

    The newest final release wins; a pre-release only where there is nothing else, as installers
    choose. The lock makes two changes at once take turns.
    """
    Environment.objects.select_for_update().get(pk=environment.pk)
    current = environment.versions.current().only("version", "summary", "keywords", "listed_at")
    latest = max(current, key=_preference, default=None)
    environment.latest = latest
    environment.summary = latest.summary if latest else environment.summary
    environment.fresh_at = (latest and latest.listed_at) or environment.created_at
    environment.save(update_fields=("latest", "summary", "fresh_at", "updated_at"))
    if latest is not None:
        names = sorted({str(word).lower()[:40] for word in latest.keywords if word})[:MOST_TAGS]
        Tag.objects.bulk_create([Tag(name=name) for name in names], ignore_conflicts=True)
        environment.tags.set(Tag.objects.filter(name__in=names))
    index_changed(environment)


def _preference(version: Version) -> tuple[bool, Pep440]:
    parsed = Pep440(version.version)
    return not parsed.is_prerelease, parsed


def _check_visibility(visibility: str) -> None:
    if visibility not in Environment.Visibility.values:
        words = " or ".join(Environment.Visibility.values)
        raise HubError("request.invalid", f"visibility {visibility!r} must be {words}")
