"""The data lock of a version: what its first runs read of data sets, frozen once one succeeded.

Runners resolve and verify, the hub stores. It parses every lock that a runner offers.
"""

from __future__ import annotations

import hashlib

from django.db import models
from django.utils import timezone

from envyard.contract.data_lock import BadDataLock, DataLock, merged, parse, render
from registry import constraints
from registry.catalog.models import Version
from registry.errors import HubError


class VersionDataLock(models.Model):
    """The commits and files that runs of a version read. Once frozen, the row never changes."""

    version = models.OneToOneField(Version, on_delete=models.CASCADE, related_name="data_lock")
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    repositories = models.PositiveIntegerField()
    files = models.PositiveIntegerField()
    size = models.PositiveBigIntegerField()
    frozen_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=constraints.sha256("sha256"), name="data_lock_digest_is_sha256"
            ),
        )

    def __str__(self) -> str:
        return f"data lock of {self.version}"

    @property
    def lock(self) -> DataLock:
        """The parsed lock."""
        return parse(self.text)


def of(version: Version) -> tuple[DataLock, bool]:
    """The version's data lock, empty before its first run, and whether it is frozen."""
    row = VersionDataLock.objects.filter(version=version).first()
    return (DataLock(), False) if row is None else (row.lock, row.frozen_at is not None)


def extend(*, version: Version, offered: DataLock) -> DataLock:
    """The present lock with what `offered` adds, unless it is frozen. Call in a transaction.

    Raises request.invalid where the lock would grow beyond its bounds.
    """
    row = _locked_row(version)
    if row.frozen_at is not None:
        return row.lock
    try:
        lock = merged(row.lock, offered)
    except BadDataLock as error:
        raise HubError(
            "request.invalid", f"lock: {error}", "Install the hub's version of the runner."
        ) from error
    for name, value in _columns(lock).items():
        setattr(row, name, value)
    row.save(update_fields=list(_columns(lock)))
    return lock


def freeze(version: Version) -> None:
    """Let no later run read anything else; does nothing where it is frozen."""
    row = _locked_row(version)
    if row.frozen_at is None:
        row.frozen_at = timezone.now()
        row.save(update_fields=["frozen_at"])


def _locked_row(version: Version) -> VersionDataLock:
    VersionDataLock.objects.get_or_create(version=version, defaults=_columns(DataLock()))
    return VersionDataLock.objects.select_for_update().get(version=version)


def _columns(lock: DataLock) -> dict[str, str | int]:
    text = render(lock)
    return {
        "text": text,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "repositories": len(lock.repositories),
        "files": lock.files,
        "size": lock.size,
    }
