"""The data lock of a version, as the API and pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from envyard.contract.data_lock import DataLock, LockedRepository
from envyard.contract.data_names import COMMIT, KINDS
from registry.catalog.data_locks import VersionDataLock
from registry.catalog.models import Version
from registry.read_models.annotations import Spec


@dataclass(frozen=True, slots=True)
class DataSet:
    """A repository of a data set hub at the commit that runs read: the number and bytes of their
    files, its licence tag ("" for none) and whether readers must accept terms."""

    kind: Annotated[str, Spec(enum=list(KINDS))]
    name: str
    commit: Annotated[str, Spec(pattern=f"^{COMMIT.pattern}$")]
    files: int
    size: int
    licence: str
    gated: bool


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


def data_sets(lock: DataLock) -> list[DataSet]:
    """What the runs of a version read; empty where they read no data set."""
    return [
        DataSet(
            kind=each.kind,
            name=each.name,
            commit=each.commit,
            files=len(each.files),
            size=each.size,
            licence=each.licence,
            gated=each.gated,
        )
        for each in lock.repositories
    ]
