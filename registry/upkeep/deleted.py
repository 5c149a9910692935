"""Delete the objects of deleted versions for good, HUB_DELETED_DAYS after the deletion."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from registry import storage
from registry.catalog.data_locks import VersionDataLock
from registry.catalog.models import Version
from registry.sources.models import Source
from registry.storage.unnamed import delete_unnamed
from registry.upkeep.kinds import GIT, METADATA, SOURCES, WHEELS, Kind, kept_since
from registry.uploads import staging

MAX_VERSIONS = 1000  # versions in one call: celery beat repeats it


def empty_deleted(*, now: datetime) -> int:
    """Delete the objects of versions deleted that long ago, unless other rows refer to them;
    returns the number of versions. After a crash the next call continues with the same version."""
    expired = Version.objects.filter(deleted_at__lte=kept_since(now), emptied_at=None)
    versions = list(expired.select_related("source").order_by("deleted_at", "pk")[:MAX_VERSIONS])
    for version in versions:
        if version.staged:
            staging.discard(version.staged)
        for kind, key in _objects(version):
            delete_unnamed(key, kind.rows_of(key, now))
        version.locks.all().delete()
        VersionDataLock.objects.filter(version=version).delete()
        Version.objects.filter(pk=version.pk).update(staged="", emptied_at=now)
    return len(versions)


def _objects(version: Version) -> Iterator[tuple[Kind, str]]:
    yield METADATA, storage.key("metadata", version.metadata_sha256)
    yield WHEELS, storage.key("wheels", version.sha256)
    for source in version.git_sources.all():
        yield GIT, storage.key("git", source.sha256)
    with suppress(Source.DoesNotExist):
        yield SOURCES, storage.key("sources", version.source.sha256)
