"""Final deletion: rows stay as tombstones, so that no name, version or file name is used again.

Callers have checked permissions. The bytes are deleted later (`upkeep.deleted`), once no other
version has them.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from registry import events
from registry.accounts import owner_notices
from registry.accounts.models import Owner, User
from registry.catalog.models import Environment, Version
from registry.catalog.services import lock, refresh_latest
from registry.errors import NotFound


def delete_version(*, version: Version, by: User) -> None:
    """Delete one version for good; raises NotFound where it is deleted already."""
    with transaction.atomic():
        lock(version.environment)
        version.deleted_at = timezone.now()
        rows = Version.objects.filter(pk=version.pk, deleted_at=None)
        if not rows.update(deleted_at=version.deleted_at):
            raise NotFound
        _notify_owners(version, version.environment.owner, by)
        events.record(
            "version.deleted",
            by=by,
            environment=version.environment,
            version=version,
            status=version.status,
            sha256=version.sha256,
        )
        refresh_latest(version.environment)


def delete_environment(*, environment: Environment, by: User) -> None:
    """Delete it and all its versions for good; raises NotFound where it is deleted already.

    The owner keeps the name: an upload under it revives the environment, without its versions.
    """
    with transaction.atomic():
        lock(environment)
        now = timezone.now()
        rows = Environment.objects.filter(pk=environment.pk, deleted_at=None)
        if not rows.update(
            deleted_at=now,
            latest=None,
            summary="",
            deprecated_at=None,
            deprecation_reason="",
            successor=None,
        ):
            raise NotFound
        versions = Version.objects.filter(environment=environment, deleted_at=None)
        count = versions.update(deleted_at=now)
        environment.refresh_from_db()
        environment.tags.clear()
        # Otherwise tokens and publishers for it alone would be valid again once it is revived.
        revocation = {"revoked_at": now, "revoked_because": "its environment was deleted"}
        environment.tokens.filter(revoked_at=None).update(**revocation)
        environment.publishers.all().delete()
        for provided in (environment.variables, environment.secrets, environment.hosts):
            provided.all().delete()
        _notify_owners(environment, environment.owner, by)
        events.record("environment.deleted", by=by, environment=environment, versions=count)
        refresh_latest(environment)


def _notify_owners(deleted: Environment | Version, owner: Owner, by: User) -> None:
    """Mail the owners where staff who are no owner delete it."""
    owner_notices.send(
        people=owner_notices.to_notify(owner, by=by),
        owner=owner,
        by=by,
        change=f"{deleted} is deleted for good.",
        subject=f"Staff deleted {deleted}",
    )
