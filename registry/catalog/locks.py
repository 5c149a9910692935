"""The locked dependencies of a version: resolved once per platform, then always the same.

A runner resolves, the hub stores; the hub checks the lock itself, since runners are not trusted.
"""

from __future__ import annotations

import hashlib
import re
from uuid import UUID

from django.db import models
from django.db.models import Q

from envyard.contract.lock import PLATFORM, BadLock, parse, render
from registry import constraints
from registry.catalog.models import Version
from registry.errors import HubError, NotFound

MAX_PLATFORMS = 16  # of one version


class VersionLock(models.Model):
    """The exact distributions of a version on one platform, a requirements file with hashes.

    Rows never change, so that an install by one gets the same bytes for ever.
    """

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="locks")
    platform = models.CharField(max_length=80)
    text = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64)
    packages = models.PositiveIntegerField()
    run = models.ForeignKey(
        "registry.Run", null=True, on_delete=models.SET_NULL, related_name="locks"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("platform",)
        constraints = (
            models.UniqueConstraint(fields=("version", "platform"), name="one_lock_a_platform"),
            models.CheckConstraint(
                condition=constraints.sha256("sha256"), name="lock_digest_is_sha256"
            ),
            models.CheckConstraint(
                condition=Q(platform__regex=PLATFORM), name="lock_platform_is_plain"
            ),
        )

    def __str__(self) -> str:
        return f"{self.version} {self.platform}"


def agree(
    *, version: Version, run_id: UUID | None, platform: str, offered: str | None, attempt: int = 1
) -> str | None:
    """The lock for that platform: the first one that was offered, None before that.

    Raises 400 for an invalid lock or platform, and where the run has created as many locks as it
    had attempts: a machine has one platform and may lock no other.
    """
    if not re.fullmatch(PLATFORM, platform):
        raise _invalid(f"platform={platform[:100]!r} must match {PLATFORM}")
    existing = version.locks.filter(platform=platform).first()
    if existing is not None or offered is None:
        return None if existing is None else existing.text
    try:
        pins = parse(offered)
    except BadLock as error:
        raise _invalid(f"lock: {error}") from error
    if version.locks.count() >= MAX_PLATFORMS:
        raise _invalid(f"{version} has locks for {MAX_PLATFORMS} platforms, and gets no more")
    if version.locks.filter(run=run_id).count() >= attempt:
        raise _invalid(f"platform={platform}: this attempt has made a lock for another platform")
    text = render(pins)
    lock, _ = VersionLock.objects.get_or_create(
        version=version,
        platform=platform,
        defaults={
            "text": text,
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "packages": len(pins),
            "run_id": run_id,
        },
    )
    return lock.text


def of(version: Version, platform: str) -> VersionLock:
    """The version's lock for that platform; raises NotFound."""
    lock = version.locks.filter(platform=platform).first()
    if lock is None:
        has = ", ".join(version.locks.values_list("platform", flat=True)) or "none yet"
        raise NotFound(
            f"{version} has no lock for {platform[:80]!r}; its platforms: {has}. A version's "
            "first run on a platform makes it."
        )
    return lock


def _invalid(message: str) -> HubError:
    return HubError("request.invalid", message, "Install the hub's version of the runner.")
