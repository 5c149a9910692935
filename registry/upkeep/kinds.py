"""The registry of kinds of stored objects, each with the rows that refer to them.

`verify` reports an object under no prefix of KINDS, and a test compares KINDS with the kinds of
`storage.key`: a new kind needs an entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, groupby
from pathlib import PurePosixPath
from typing import Any, cast

from django.conf import settings
from django.db.models import Q, QuerySet

from registry import storage
from registry.catalog.models import Version
from registry.git_sources.models import GitSource
from registry.runs.transcript_models import TranscriptPack
from registry.self_reported.models import SampleBatch
from registry.sources.models import Source
from registry.storage import probe
from registry.storage.base import Kind as Prefix
from registry.uploads import staging

GRACE = timedelta(hours=24)  # for objects without a row: an upload or a deletion may be in progress
PAGE = 1000


@dataclass(frozen=True, slots=True)
class Reference:
    """An object that a row refers to, `by` in messages; `needed` where it must exist. Without a
    `sha256` its bytes are not read."""

    key: str
    by: str
    sha256: str
    needed: bool


@dataclass(frozen=True, slots=True)
class Kind:
    """The objects under a prefix. `rows` are those that refer to one object each by `field`; None
    where the objects are derived from rows and can be rebuilt at any time."""

    prefix: str
    rows: Callable[[datetime], QuerySet[Any]] | None = None
    field: str = "sha256"

    def references(self, now: datetime, page_size: int = PAGE) -> Iterator[Reference]:
        """Every object that rows refer to, once, in the order of the keys; page by page, so that
        neither memory nor a transaction grows with the number of rows."""
        if self.rows is None:
            return
        rows = self._pages(self.rows(now).order_by(self.field, "pk"), page_size)
        for value, object_rows in groupby(rows, lambda row: str(getattr(row, self.field))):
            yield from self._objects(value, object_rows)

    def rows_of(self, key: str, now: datetime) -> QuerySet[Any]:
        """The rows that refer to that key now; raises ValueError for a kind without rows."""
        if self.rows is None:
            raise ValueError(f"no row names what is under {self.prefix!r}")
        return self.rows(now).filter(**{self.field: PurePosixPath(key).stem})

    def _pages(self, rows: QuerySet[Any], page_size: int) -> Iterator[Any]:
        """All rows; those that refer to one object may begin on one page and end on the next."""
        page = list(rows[:page_size])
        while page:
            yield from page
            value, pk = getattr(page[-1], self.field), page[-1].pk
            after = Q(**{f"{self.field}__gt": value}) | Q(pk__gt=pk)
            page = list(rows.filter(after, **{f"{self.field}__gte": value})[:page_size])

    def _objects(self, value: str, rows: Iterator[Any]) -> Iterator[Reference]:
        first = next(rows)
        by = str(first)
        if self.field == "staged":  # either may have been promoted meanwhile
            for key in (staging.metadata_key(value), staging.wheel_key(value)):
                yield Reference(key, by, "", needed=False)
        else:
            needed = not all(getattr(row, "staged", "") for row in chain((first,), rows))
            yield Reference(storage.key(cast("Prefix", self.prefix), value), by, value, needed)


def kept_since(now: datetime) -> datetime:
    """Objects of versions deleted after this time are kept (HUB_DELETED_DAYS)."""
    return now - timedelta(days=settings.HUB_DELETED_DAYS)


def _retained(now: datetime, version: str = "") -> Q:
    recently_deleted = Q(
        **{f"{version}deleted_at__gt": kept_since(now), f"{version}emptied_at": None}
    )
    return Q(**{f"{version}deleted_at": None}) | recently_deleted


def _versions(now: datetime) -> QuerySet[Version]:
    return Version.objects.filter(_retained(now)).select_related("environment__owner")


def _sources(now: datetime) -> QuerySet[Source]:
    return Source.objects.filter(_retained(now, "version__"))


def _git_sources(now: datetime) -> QuerySet[GitSource]:
    return GitSource.objects.filter(_retained(now, "version__"))


GIT = Kind("git", _git_sources)
METADATA = Kind("metadata", _versions, "metadata_sha256")
SOURCES = Kind("sources", _sources)
WHEELS = Kind("wheels", _versions)
KINDS = (
    GIT,
    Kind("index"),
    METADATA,
    Kind(probe.PREFIX),
    Kind("samples", lambda _: SampleBatch.objects.all()),
    SOURCES,
    Kind("staging", lambda now: _versions(now).exclude(staged=""), "staged"),
    Kind("transcripts", lambda _: TranscriptPack.objects.all()),
    WHEELS,
)
