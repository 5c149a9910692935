"""Whether an error means that a disk, a quota or a store has no room left."""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

log = logging.getLogger(__name__)
RETRY_SECONDS = 60
FULL = (errno.ENOSPC, errno.EDQUOT)
# SQLite reports these where it cannot make or enlarge its -wal and -shm files.
UNCLEAR = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
MIN_FREE_BYTES, MIN_FREE_INODES = 1 << 16, 2
POSTGRESQL_FULL = "53100"  # disk_full
S3_STATUS = 507
S3_CODES = ("QuotaExceeded", "InsufficientStorage", "StorageFull", "NoSpaceLeftOnDevice")
REDIS = ("OOM ", "MISCONF ")  # above its maxmemory; cannot save to its disk


def is_full(error: BaseException | None) -> bool:
    """Whether the error, or one that it was raised from, was caused by a full disk or quota."""
    return any(_is_full_error(cause) for cause in _chain(error))


@contextmanager
def unless_full(subject: str) -> Iterator[None]:
    """For a write that a reading request does not depend on, outside of transactions: a full disk
    is logged, and the request continues."""
    try:
        yield
    except Exception as error:
        if not is_full(error):
            raise
        log.warning("%s was not stored, no disk space left: %s", subject, error)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    visited: list[BaseException] = []
    while error is not None and error not in visited:
        visited.append(error)
        yield error
        error = error.__cause__ or error.__context__


def _is_full_error(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in FULL
    if isinstance(error, sqlite3.Error):
        return _is_sqlite_full(error)
    if getattr(error, "sqlstate", None) == POSTGRESQL_FULL:
        return True
    if type(error).__module__.startswith("redis."):
        return str(error).startswith(REDIS)
    return _is_s3_full(getattr(error, "response", None))


def _is_sqlite_full(error: sqlite3.Error) -> bool:
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return primary == sqlite3.SQLITE_FULL or (primary in UNCLEAR and database_has_no_room())


def database_has_no_room() -> bool:
    """Whether the disk of a SQLite database has no room for another file; False for PostgreSQL."""
    if connection.vendor != "sqlite":
        return False
    try:
        free = os.statvfs(os.path.dirname(connection.settings_dict["NAME"]))  # noqa: PTH120
    except OSError:
        return False
    no_files = bool(free.f_files) and free.f_favail < MIN_FREE_INODES
    return no_files or free.f_bavail * free.f_frsize < MIN_FREE_BYTES


def _is_s3_full(answer: object) -> bool:
    """A refusal by boto3's client; MinIO's codes begin with XMinio."""
    if not isinstance(answer, dict):
        return False
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
    code = str(answer.get("Error", {}).get("Code", "")).removeprefix("XMinio").removeprefix("Admin")
    return status == S3_STATUS or code.removeprefix("Bucket") in S3_CODES
