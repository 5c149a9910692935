"""Hosts of an environment: declared by its wheels or an owner, approved by the hub's staff."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from envyard.contract.needs.kinds import JUDGE_HOSTS, approval_fault
from registry import events
from registry.accounts.models import User
from registry.catalog.models import Environment, Version
from registry.catalog.related_models import VersionNeed
from registry.catalog.services import lock
from registry.errors import HubError, NotFound
from registry.provisions.models import EnvironmentHost

MAX_HOSTS = 100


def of(environment: Environment) -> QuerySet[EnvironmentHost]:
    """The declared hosts, by name."""
    return EnvironmentHost.objects.filter(environment=environment)


def to_approve() -> QuerySet[EnvironmentHost]:
    """Declared hosts of existing environments that nobody has approved, the oldest first."""
    rows = EnvironmentHost.objects.filter(approved_at=None, environment__deleted_at=None)
    return rows.select_related("environment__owner").order_by("declared_at", "pk")


def declare_by_wheel(version: Version, names: Iterable[str]) -> None:
    """Add rows for the hosts that a wheel declares; nothing is approved by it.

    A judge's host needs no row: it is never reached.
    """
    now = timezone.now()
    rows = [
        EnvironmentHost(environment=version.environment, host=name, declared_at=now)
        for name in names
        if name not in JUDGE_HOSTS
    ]
    EnvironmentHost.objects.bulk_create(rows, ignore_conflicts=True)


def add(*, environment: Environment, host: str, by: User) -> EnvironmentHost:
    """Declare a host for every version; raises request.invalid, quota.provisions."""
    host = host.strip().lower()
    if broken := approval_fault(host):
        raise HubError(
            "request.invalid", f"host {host[:100]!r} {broken}", details={"field": "host"}
        )
    with transaction.atomic():
        lock(environment)
        if of(environment).exclude(host=host).filter(on_page=True).count() >= MAX_HOSTS:
            raise HubError(
                "quota.provisions",
                f"{environment} declares {MAX_HOSTS} hosts already",
                "Remove hosts that no version needs.",
                409,
            )
        now = timezone.now()
        row, created = EnvironmentHost.objects.get_or_create(
            environment=environment,
            host=host,
            defaults={"on_page": True, "declared_by": by, "declared_at": now},
        )
        if not created and not row.on_page:
            row.on_page, row.declared_by = True, by
            row.save(update_fields=["on_page", "declared_by"])
        events.record("host.declared", by=by, environment=environment, host=host)
    return row


def remove(*, environment: Environment, host: str, by: User) -> None:
    """Delete a host that an owner declared, with its approval, unless a wheel declares it too:
    then it holds for those versions alone. Raises NotFound."""
    host = host.strip().lower()
    with transaction.atomic():
        lock(environment)
        row = of(environment).filter(host=host, on_page=True).first()
        if row is None:
            raise NotFound(f"no owner of {environment} declared the host {host[:100]}")
        wheels = VersionNeed.objects.filter(
            version__environment=environment, version__deleted_at=None, kind="host", declared=True
        )
        if any(host in need.names for need in wheels):
            row.on_page = False
            row.save(update_fields=["on_page"])
        else:
            row.delete()
        events.record("host.removed", by=by, environment=environment, host=host)


def approve(*, environment: Environment, host: str, by: User | None) -> EnvironmentHost:
    """Let runs of the environment reach the host, where they declare it; raises NotFound."""
    return _decide(environment, host, by, approved=True)


def refuse(*, environment: Environment, host: str, by: User | None) -> EnvironmentHost:
    """End the approval for later runs; raises NotFound."""
    return _decide(environment, host, by, approved=False)


def _decide(
    environment: Environment, host: str, by: User | None, *, approved: bool
) -> EnvironmentHost:
    host = host.strip().lower()
    with transaction.atomic():
        lock(environment)
        row = of(environment).filter(host=host).first()
        if row is None:
            declared = ", ".join(sorted(row.host for row in of(environment))) or "none"
            message = f"{environment} does not declare the host {host[:100]}; it declares"
            raise NotFound(f"{message} {declared}.")
        if (row.approved_at is not None) != approved:
            row.approved_at = timezone.now() if approved else None
            row.approved_by = by if approved else None
            row.save(update_fields=["approved_at", "approved_by"])
            if approved:
                events.record("host.approved", by=by, environment=environment, host=host)
            else:
                events.record("host.refused", by=by, environment=environment, host=host)
    return row


def granted(version: Version) -> tuple[str, ...]:
    """The hosts that runs of the version may reach: declared by its wheel or an owner, and
    approved."""
    rows = list(of(version.environment).filter(approved_at__isnull=False))
    if all(row.on_page for row in rows):
        return tuple(row.host for row in rows)
    declared = {
        name
        for need in version.needs.all()
        if need.kind == "host" and need.declared
        for name in need.names
    }
    return tuple(row.host for row in rows if row.on_page or row.host in declared)
