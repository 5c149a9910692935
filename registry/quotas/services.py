"""Limits of an owner's storage and queue, and of a user's uploads per hour.

The settings HUB_UPLOADS_PER_HOUR, HUB_OWNER_BYTES and HUB_QUEUED_VERSIONS apply to all owners; a
row of `Quota` applies to one. Usage is counted from the rows themselves, so that no counter drifts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet, Subquery
from django.utils import timezone

from registry import events, prepared
from registry.accounts.models import Owner, User
from registry.errors import HubError
from registry.quotas.models import Quota
from registry.quotas.usage import SOURCES, of_limit

HOUR = timedelta(hours=1)
QUEUE_RETRY = 60  # seconds after which a version of a full queue may have been decided
FIELDS = ("uploads_per_hour", "storage_bytes", "queued_versions")
MAXIMA = {"uploads_per_hour": 1_000_000, "storage_bytes": 1 << 50, "queued_versions": 1_000_000}
# Placeholders of the prepared query.
_OWNER, _BY, _SINCE = -1, -2, datetime(1970, 1, 1, tzinfo=UTC)
STAFF = "Ask the staff of this hub for more."


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one owner."""

    uploads_per_hour: int
    storage_bytes: int
    queued_versions: int


@dataclass(frozen=True, slots=True)
class Usage:
    """The present usage; `uploads_per_hour` counts a user's last hour, under any owner."""

    uploads_per_hour: int
    storage_bytes: int
    queued_versions: int


def default_limits() -> Limits:
    """The settings, which apply to owners without limits of their own."""
    return Limits(
        uploads_per_hour=settings.HUB_UPLOADS_PER_HOUR,
        storage_bytes=settings.HUB_OWNER_BYTES,
        queued_versions=settings.HUB_QUEUED_VERSIONS,
    )


def measure(*, owner: Owner, by: User | None = None) -> tuple[Limits, Usage]:
    """Limits and usage of the owner, with the uploads of that user (default: the owner's)."""
    since = timezone.now() - HOUR
    person = by or owner.user
    numbers = prepared.row(
        _numbers,
        {_OWNER: owner.pk, _BY: person.pk if person else 0, _moment(_SINCE): _moment(since)},
    )
    storage, queue, rate, *totals = numbers or (None,) * (3 + len(SOURCES))
    default = default_limits()
    limits = Limits(
        default.uploads_per_hour if rate is None else rate,
        default.storage_bytes if storage is None else storage,
        default.queued_versions if queue is None else queue,
    )
    used = dict.fromkeys(FIELDS, 0)
    for source, total in zip(SOURCES, totals, strict=True):
        used[source.limit] += int(total or 0)
    return limits, Usage(**used)


def _numbers() -> QuerySet[Owner, Any]:
    """One row: the limits that staff set, then the total of each source. What the hub itself
    measured is not stored at the owner's cost."""
    of_person = Quota.objects.filter(owner__user=_BY)
    totals = (
        source.of_holder(_BY, since=_SINCE) if source.time else source.of_holder(_OWNER)
        for source in SOURCES
    )
    return Owner.objects.filter(pk=_OWNER).values_list(
        "quota__storage_bytes",
        "quota__queued_versions",
        Subquery(of_person.values("uploads_per_hour")[:1]),
        *map(Subquery, totals),
    )


def _moment(at: datetime) -> object:
    """As a parameter for the database driver."""
    return connection.ops.adapt_datetimefield_value(at)


def lock(*owners: Owner | None) -> None:
    """Lock these owners against simultaneous uploads until the transaction ends.

    Call it before rows of environments or evaluations are locked. Rows of `Quota` serve as the
    lock, since rows of owners are locked after environments elsewhere.
    """
    ids = {owner.pk for owner in owners if owner is not None}
    rows = Quota.objects.select_for_update(of=("self",)).filter(owner__in=ids)
    missing = ids - set(rows.order_by("owner_id").values_list("owner_id", flat=True))
    if missing:
        Quota.objects.bulk_create([Quota(owner_id=pk) for pk in missing], ignore_conflicts=True)
        list(rows.order_by("owner_id").values_list("owner_id", flat=True))


def check_upload(*, owner: Owner, by: User, size: int) -> None:
    """Raise where one more version of `size` bytes would exceed a limit of the owner, or one more
    upload that of the person. Exact between `lock` and the end of the transaction."""
    limits, usage = measure(owner=owner, by=by)
    _check_rate(by, limits.uploads_per_hour, usage.uploads_per_hour)
    _check_storage(owner, limits.storage_bytes, usage.storage_bytes, size)
    _check_queue(owner, limits.queued_versions, usage.queued_versions, 1)


def _check_queue(owner: Owner, maximum: int, waiting: int, more: int) -> None:
    if maximum == 0:
        raise _closed("quota.queue", f"of versions of {owner} that wait for their evaluation")
    if waiting + more > maximum:
        raise HubError(
            "quota.queue",
            f"{waiting} versions of {owner} wait for their evaluation; the limit is {maximum}",
            f"Try again in {QUEUE_RETRY} seconds, when some have been decided.",
            429,
            {"retry_after": QUEUE_RETRY, "owner": owner.name, "used": waiting, "limit": maximum},
        )


def check_storage(*, owner: Owner, more: int) -> None:
    """Raise where `more` bytes would exceed the owner's storage."""
    limits, usage = measure(owner=owner)
    _check_storage(owner, limits.storage_bytes, usage.storage_bytes, more)


def _check_storage(owner: Owner, maximum: int, used: int, more: int) -> None:
    if used + more > maximum:
        raise HubError(
            "quota.storage",
            f"{owner} stores {used} bytes, and {more} more would exceed the limit of {maximum}",
            f"Delete versions or pushed evaluations that nobody needs: deleted versions count for "
            f"{settings.HUB_DELETED_DAYS} more days. {STAFF}",
            413,
            {"owner": owner.name, "used": used, "more": more, "limit": maximum},
        )


def check_transfer(*, environment: int, to: Owner) -> None:
    """Raise where the files of that environment would exceed the new owner's storage, or its
    versions that wait for their evaluation the new owner's queue."""
    check_storage(owner=to, more=_moving("storage_bytes", environment))
    if more := _moving("queued_versions", environment):
        limits, usage = measure(owner=to, by=None)
        _check_queue(to, limits.queued_versions, usage.queued_versions, more)


def _moving(limit: str, environment: int) -> int:
    return sum(source.of_environment(environment) for source in of_limit(limit))


def change(*, owner: Owner, by: User | None, **limits: int | None) -> None:
    """Set the named limits for one owner; None returns to the hub's own setting."""
    for name, value in limits.items():
        if name not in FIELDS:
            words = ", ".join(FIELDS)
            raise HubError("request.invalid", f"limit {name[:40]!r} must be one of {words}")
        if value is not None and not 0 <= value <= MAXIMA[name]:
            raise HubError(
                "request.invalid",
                f"{name} {value} must lie between 0 and {MAXIMA[name]}",
                details={"field": name},
            )
    if not limits:
        return
    with transaction.atomic():
        lock(owner)
        now = timezone.now()
        Quota.objects.filter(owner=owner).update(changed_by=by, changed_at=now, **limits)
        limits_text = ", ".join(
            f"{name} {'default' if value is None else value}" for name, value in limits.items()
        )
        events.record("quota.changed", by=by, owner=owner, limits=limits_text)


def as_dict(values: Limits | Usage) -> dict[str, int]:
    """By name."""
    return asdict(values)


def _check_rate(by: User, maximum: int, used: int) -> None:
    if used < maximum:
        return
    if maximum == 0:
        raise _closed("quota.rate", f"of uploads by {by.get_username()} within an hour")
    raise HubError(
        "quota.rate",
        f"{by.get_username()} has uploaded {used} versions within an hour; the limit is {maximum}",
        f"Try again in {(seconds := _until_next(by, maximum))} seconds. {STAFF}",
        429,
        {"retry_after": seconds, "limit": maximum},
    )


def _closed(code: str, rule: str) -> HubError:
    """The error for a limit of 0, for which waiting does not help."""
    return HubError(code, f"uploads are closed: the limit is 0 {rule}", STAFF, 403, {"limit": 0})


def _until_next(by: User, maximum: int) -> int:
    """Seconds until the last hour has room: the oldest of the uploads that fill it leaves then."""
    times = sorted(_upload_times(by, maximum), reverse=True)[max(maximum - 1, 0) : max(maximum, 1)]
    first = next(iter(times), None)
    if first is None:
        return int(HOUR.total_seconds())
    return max(1, ceil((first + HOUR - timezone.now()).total_seconds()))


def _upload_times(by: User, count: int) -> Iterator[datetime]:
    """The times of the newest uploads, all of them where there are fewer than `count`."""
    for source in of_limit("uploads_per_hour"):
        rows = source.rows().filter(**{source.holder: by}).order_by(f"-{source.time}")
        yield from rows.values_list(source.time, flat=True)[: max(count, 1)]
