"""The data lock of a version, as the API and pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from envyard.contract.data_lock import LockedRepository
from registry.catalog.data_locks import VersionDataLock
from registry.catalog.models import Version


@dataclass(frozen=True, slots=True)
class DataLockDetail:
    """What runs of the version read; `frozen_at` is null until one succeeded. Sizes in bytes."""

    ref: str
    sha256: str
    frozen_at: datetime | None
    files: int
    size: int
    repositories: list[LockedRepository]


def detail(version: Version) -> DataLockDetail | None:
    """The version's data lock; None where no run has read a data set."""
    row = VersionDataLock.objects.filter(version=version, repositories__gt=0).first()
    if row is None:
        return None
    return DataLockDetail(
        ref=str(version),
        sha256=row.sha256,
        frozen_at=row.frozen_at,
        files=row.files,
        size=row.size,
        repositories=list(row.lock.repositories),
    )
