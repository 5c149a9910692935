"""Which errors mean that there is no room left, and which do not."""

import errno
import sqlite3

import psycopg.errors
import pytest
from botocore.exceptions import ClientError
from django.db import OperationalError
from redis.exceptions import ResponseError

from registry.space import is_full

pytestmark = pytest.mark.once


def of_sqlite(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = code
    return error


def of_s3(code: str, status: int) -> ClientError:
    answer = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "PutObject")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), True),
        (OSError(errno.EIO, "Input/output error"), False),
        (of_sqlite(sqlite3.SQLITE_FULL), True),
        (of_sqlite(sqlite3.SQLITE_BUSY), False),
        (of_sqlite(sqlite3.SQLITE_IOERR), False),
        (psycopg.errors.DiskFull("could not extend file"), True),
        (psycopg.errors.UniqueViolation("duplicate key"), False),
        (of_s3("XMinioStorageFull", 507), True),
        (of_s3("QuotaExceeded", 403), True),
        (of_s3("XMinioAdminBucketQuotaExceeded", 400), True),
        (of_s3("AccessDenied", 403), False),
        (of_s3("SlowDown", 503), False),
        (ResponseError("OOM command not allowed when used memory > 'maxmemory'."), True),
        (ResponseError("MISCONF Redis is configured to save RDB snapshots"), True),
        (ResponseError("WRONGTYPE Operation against a key"), False),
        (ValueError("No space left on device"), False),
    ],
)
def test_is_full_reads_the_error_and_its_cause(error: Exception, full: bool) -> None:
    assert is_full(error) is full
    outer = OperationalError("the statement failed")
    outer.__cause__ = error
    assert is_full(outer) is full
