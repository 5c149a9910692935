"""The cache that all web processes share where no Redis is named: a table of the database."""

from __future__ import annotations

import base64
import pickle
from typing import Any

from django.core.cache.backends.db import DatabaseCache
from django.db import models, transaction
from django.utils import timezone


class CacheRow(models.Model):
    """One entry, in the columns that Django's DatabaseCache reads and writes by itself."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "hub_cache"

    def __str__(self) -> str:
        return self.cache_key


class SharedCache(DatabaseCache):
    """Django's own, with an `incr` that loses no count and keeps the time the entry ends.

    Django's reads and then sets: of two processes at once one is not counted, and every call
    starts the default time-out anew, so that a busy client would never be forgiven.
    """

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """The new count; raises ValueError where there is no such entry, as Django's does."""
        name = self.make_and_validate_key(key, version=version)
        with transaction.atomic():
            live = CacheRow.objects.filter(cache_key=name, expires__gt=timezone.now())
            row = live.select_for_update().first()
            if row is None:
                raise ValueError(f"Key {key!r} not found")
            count: int = _read(row.value) + delta
            CacheRow.objects.filter(pk=row.pk).update(value=self._write(count))
        return count

    def _write(self, value: Any) -> str:
        return base64.b64encode(pickle.dumps(value, self.pickle_protocol)).decode("ascii")


def _read(value: str) -> Any:
    return pickle.loads(base64.b64decode(value))  # noqa: S301 - as Django's own, from our table
