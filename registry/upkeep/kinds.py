"""Every kind of object in the storage, and the rows that say it should be there.

An object under no prefix of KINDS is reported by `verify`, and a test compares KINDS with the
kinds that `storage.key` knows: whoever adds one says here which rows name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any, cast

from django.db.models import Q, QuerySet

from registry import storage
from registry.catalog.models import Version
from registry.evaluations.models import SampleBatch
from registry.sources.models import Source
from registry.storage.base import Kind as Prefix
from registry.uploads import staging

GRACE = timedelta(hours=24)  # for what no row names: it may be on its way in, or just deleted
PAGE = 1000


@dataclass(frozen=True, slots=True)
class Named:
    """An object that a row, `by` for people, names; `needed` where it must be there. Without a
    `sha256` its bytes are not looked at."""

    key: str
    by: str
    sha256: str
    needed: bool


@dataclass(frozen=True, slots=True)
class Kind:
    """The objects under a prefix. `rows` at a time are those that name one each by `field`; None
    where the objects are copies of what the rows say, which can be made anew at any time."""

    prefix: str
    rows: Callable[[datetime], QuerySet[Any]] | None = None
    field: str = "sha256"

    def named(self, now: datetime, page_size: int = PAGE) -> Iterator[Named]:
        """Every named object once, in the order of the keys; page by page, so that neither memory
        nor a transaction lasts as long as the walk."""
        last = ""
        while self.rows is not None:
            after = self.rows(now).filter(**{f"{self.field}__gt": last}).order_by(self.field)
            page = list(after[:page_size])
            if not page:
                return
            for value, same in groupby(page, lambda row: str(getattr(row, self.field))):
                yield from self._objects(value, list(same))
                last = value

    def names(self, key: str, now: datetime) -> bool:
        """Whether a row names that key just now."""
        named = {self.field: PurePosixPath(key).stem}
        return self.rows is not None and self.rows(now).filter(**named).exists()

    def _objects(self, value: str, rows: list[Any]) -> Iterator[Named]:
        by = str(rows[0])
        if self.field == "staged":  # either may have been promoted a moment ago
            for key in (staging.metadata_key(value), staging.wheel_key(value)):
                yield Named(key, by, "", needed=False)
        else:
            needed = not all(getattr(row, "staged", "") for row in rows)
            yield Named(storage.key(cast("Prefix", self.prefix), value), by, value, needed)


def _versions(now: datetime) -> QuerySet[Version]:
    """A deleted version keeps its bytes for the grace: somebody may have second thoughts."""
    kept = Version.objects.filter(Q(deleted_at=None) | Q(deleted_at__gt=now - GRACE))
    return kept.select_related("environment__owner")


KINDS = (
    Kind("index"),
    Kind("metadata", _versions, "metadata_sha256"),
    Kind("samples", lambda _: SampleBatch.objects.all()),
    Kind("sources", lambda _: Source.objects.all()),
    Kind("staging", lambda _: Version.objects.exclude(staged=""), "staged"),
    Kind("wheels", _versions),
)
