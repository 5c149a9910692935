"""The bytes of versions that were deleted go for good, once nobody can have second thoughts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from registry import storage
from registry.catalog.models import Version
from registry.sources.models import Source
from registry.storage.unnamed import delete_unnamed
from registry.upkeep.kinds import METADATA, SOURCES, WHEELS, Kind, kept_since
from registry.uploads import staging

MOST = 1000  # versions at a time: the clock comes back


def empty_deleted(*, now: datetime) -> int:
    """Delete the bytes of versions deleted before the grace, where no other row names them; how
    many versions that were. Killed anywhere, the next call goes on with the same version."""
    due = Version.objects.filter(deleted_at__lte=kept_since(now), emptied_at=None)
    versions = list(due.select_related("source").order_by("deleted_at", "pk")[:MOST])
    for version in versions:
        if version.staged:
            staging.discard(version.staged)
        for kind, key in _objects(version):
            delete_unnamed(key, kind.naming(key, now))
        version.locks.all().delete()
        Version.objects.filter(pk=version.pk).update(staged="", emptied_at=now)
    return len(versions)


def _objects(version: Version) -> Iterator[tuple[Kind, str]]:
    yield METADATA, storage.key("metadata", version.metadata_sha256)
    yield WHEELS, storage.key("wheels", version.sha256)
    with suppress(Source.DoesNotExist):
        yield SOURCES, storage.key("sources", version.source.sha256)
