"""The transitions of a version's status; only this module writes it.

uploaded -> checking -> evaluating -> listed
                |            |-> rejected     the author's fault; the fix is a new version
                |            '-> held         the hub could not decide; author or staff retry
                '-> rejected | held

A rejected version goes back only through `pipeline.rejudge`, by staff.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.utils import timezone

from registry import events
from registry.accounts.models import User
from registry.catalog.models import Version
from registry.catalog.services import lock, refresh_latest
from registry.errors import Stale

UPLOADED, CHECKING, EVALUATING, LISTED, REJECTED, HELD = Version.Status
ALLOWED: dict[str, frozenset[str]] = {
    UPLOADED: frozenset({CHECKING}),
    CHECKING: frozenset({EVALUATING, REJECTED, HELD}),
    EVALUATING: frozenset({LISTED, REJECTED, HELD}),
    HELD: frozenset({CHECKING, EVALUATING, REJECTED}),
    LISTED: frozenset(),
    REJECTED: frozenset({CHECKING, EVALUATING}),
}


def move(
    version: Version,
    to: str,
    *,
    by: User | None = None,
    reason: str = "",
    on_commit: Callable[[], object] | None = None,
) -> None:
    """Move the version from the status in `version` to `to`; raises Stale where the row has
    another.

    The event and, for `listed`, the environment's `latest` are written in the same transaction.
    `on_commit` runs once the outermost transaction has committed: enqueue the next step there.
    """
    before = version.status
    if to not in ALLOWED[before]:
        raise Stale(f"{version} is {before}, which never becomes {to}")
    now = timezone.now()
    listed_at = now if to == LISTED else version.listed_at
    with transaction.atomic():
        if to == LISTED:
            lock(version.environment)
        moved = Version.objects.filter(pk=version.pk, status=before, deleted_at=None).update(
            status=to, status_at=now, listed_at=listed_at
        )
        if not moved:
            raise Stale(f"{version} is not {before} any more")
        version.status, version.status_at, version.listed_at = to, now, listed_at
        events.record(
            f"version.{to}",
            by=by,
            environment=version.environment,
            version=version,
            before=before,
            reason=reason,
        )
        if to == LISTED:
            refresh_latest(version.environment)
        if on_commit is not None:
            transaction.on_commit(on_commit)
