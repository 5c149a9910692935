"""Check a database, or a copy of one, with the check that its engine offers."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

MAX_PROBLEMS = 10  # that are reported
STEPS = 100_000  # of SQLite's virtual machine between two checks of the time
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR)
NEXT = (
    "Stop the hub, keep {file} and its -wal and -shm as they are, and restore the newest good "
    "backup into a new HUB_HOME (`manage.py restore FOLDER`); without one, try "
    "`sqlite3 {file} .recover`. See docs/operations.md."
)


def problems(*, seconds: float | None = None) -> list[str]:
    """The problems of the hub's database; empty for none, or for none found within `seconds`."""
    if connection.vendor == "postgresql":
        return _checksum_failures()
    file = Path(connection.settings_dict["NAME"])
    return of_file(file, seconds=seconds) if file.is_file() else []


def of_file(file: Path, *, copy: bool = False, seconds: float | None = None) -> list[str]:
    """The same for a SQLite file. For a `copy` a -wal file beside it is ignored: it is of
    another."""
    options = "mode=ro&immutable=1" if copy else "mode=rw"
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?{options}", uri=True, timeout=20)) as rows:
            # Check constraints need functions that Django defines, and concern rows, not pages.
            rows.execute("PRAGMA ignore_check_constraints = ON")
            with _limited(rows, seconds):
                messages = [
                    str(row[0]) for row in rows.execute(f"PRAGMA quick_check({MAX_PROBLEMS})")
                ]
            if copy and messages == ["ok"] and not _has_tables(rows):
                return ["it has no tables"]
    except sqlite3.DatabaseError as error:
        code = error.sqlite_errorcode & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            return []
        if code not in DAMAGED:
            raise
        return [str(error)]
    return [] if messages == ["ok"] else messages


def advice() -> str:
    """The next step for the operator of a damaged database."""
    if connection.vendor == "postgresql":
        return (
            "See the server's log for the damaged relation, check its disk, and restore the newest "
            "good backup into a new database (`manage.py restore FOLDER`)."
        )
    return NEXT.format(file=connection.settings_dict["NAME"])


def at_start() -> list[str]:
    """The problems that a check of at most HUB_START_CHECK_SECONDS finds."""
    maximum = settings.HUB_START_CHECK_SECONDS
    return problems(seconds=float(maximum)) if maximum else []


@contextmanager
def _limited(rows: sqlite3.Connection, seconds: float | None) -> Iterator[None]:
    """Interrupt statements that take longer."""
    if seconds is not None:
        deadline = time.monotonic() + seconds
        rows.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
    try:
        yield
    finally:
        rows.set_progress_handler(None, 0)


def _has_tables(rows: sqlite3.Connection) -> bool:
    return bool(rows.execute("SELECT 1 FROM sqlite_master WHERE type = 'table'").fetchone())


def _checksum_failures() -> list[str]:
    """Pages whose checksum PostgreSQL found wrong since its statistics began."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_checksums")
        if cursor.fetchone() != ("on",):
            return []
        cursor.execute(
            "SELECT checksum_failures, checksum_last_failure FROM pg_stat_database"
            " WHERE datname = current_database()"
        )
        row = cursor.fetchone()
    if not row or not row[0]:
        return []
    return [f"PostgreSQL counted {row[0]} pages with a wrong checksum, the last at {row[1]:%F %T}"]
