"""The dependency locks of a version, as the API and pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from envyard.contract.lock import PLATFORM
from registry.catalog.locks import VersionLock
from registry.catalog.models import Version
from registry.read_models.annotations import Moment, Sha256, Spec, extended


@dataclass(frozen=True, slots=True)
class LockSummary:
    """The dependencies of a version on one platform."""

    platform: Annotated[str, Spec(pattern=PLATFORM)]
    packages: int
    sha256: Sha256
    made_at: Moment
    run: Annotated[str | None, Spec(description="The run that resolved them.")]


@dataclass(frozen=True, slots=True)
class LockDetail(LockSummary):
    """With the requirements file, as pip and uv read it."""

    text: str


def summaries(version: Version) -> list[LockSummary]:
    """LockSummary of each of its locks, without the texts."""
    return [summary(lock) for lock in version.locks.defer("text")]


def summary(lock: VersionLock) -> LockSummary:
    """LockSummary."""
    return LockSummary(
        platform=lock.platform,
        packages=lock.packages,
        sha256=lock.sha256,
        made_at=lock.made_at,
        run=str(lock.run_id) if lock.run_id else None,
    )


def detail(lock: VersionLock) -> LockDetail:
    """LockDetail."""
    return extended(LockDetail, summary(lock), text=lock.text)
