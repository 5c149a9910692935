"""The cache that all web processes share where no Redis is named: a table of the database."""

from __future__ import annotations

import base64
import errno
import pickle
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.db import DatabaseCache
from django.db import DatabaseError, connection, models, transaction
from django.utils import timezone

from registry.space import database_has_no_room, is_full


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
    """Django's cache with an atomic `incr` that keeps the expiry of the entry.

    Django's reads and then sets: of two simultaneous calls one is not counted, and every call
    restarts the default time-out, so that a rate limit would never end for a busy client.
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

    def get_or_set(
        self, key: str, default: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> Any:
        """Stored where there is disk space; Django's own needs `add`."""
        missing = object()
        value = self.get(key, missing, version=version)
        if value is missing:
            value = default() if callable(default) else default
            self.set(key, value, timeout=timeout, version=version)
        return value

    def _base_set(self, mode: str, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT) -> bool:
        """Django's own returns False on any database error, which callers of `add` take for an
        existing entry: a full disk would look like an exceeded rate limit."""
        if mode != "add":
            return bool(super()._base_set(mode, key, value, timeout))  # type: ignore[misc]
        failures: list[DatabaseError] = []

        def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            try:
                return execute(sql, params, many, context)
            except DatabaseError as error:
                failures.append(error)
                raise

        with connection.execute_wrapper(note):
            done: bool = super()._base_set(mode, key, value, timeout)  # type: ignore[misc]
        for failure in failures:
            if is_full(failure):
                raise failure
        if not done and database_has_no_room():  # SQLite fails at the commit, which is no statement
            raise OSError(errno.ENOSPC, "the database's disk is full")
        return done

    def _write(self, value: Any) -> str:
        return base64.b64encode(pickle.dumps(value, self.pickle_protocol)).decode("ascii")


def _read(value: str) -> Any:
    return pickle.loads(base64.b64decode(value))  # noqa: S301 - as Django's own, from our table
