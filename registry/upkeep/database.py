"""Dump the whole database into one file and load it, with the tools of each engine."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.db import connection

from registry.upkeep import integrity
from registry.upkeep.failure import Failure

FILES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}


def dump(folder: Path) -> Path:
    """Copy a consistent snapshot of the database into the folder while the hub runs; raises Failure
    where the database or the copy is damaged."""
    file = folder / FILES[connection.vendor]
    if connection.vendor == "postgresql":
        _refuse_damaged()
        _program("pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--file", str(file))
    else:
        _copy_sqlite(file)
    with file.open("rb") as written:
        os.fsync(written.fileno())
    if damage := damage_of(folder):
        _refuse_damaged()
        raise Failure(
            f"the copy {file} is damaged ({damage}) and the database is sound: back up into a "
            "folder on another disk"
        )
    return file


def _copy_sqlite(file: Path) -> None:
    # A separate connection: the current one may be in a write transaction.
    source = Path(connection.settings_dict["NAME"]).as_uri()
    try:
        with (
            closing(sqlite3.connect(f"{source}?mode=rw", uri=True)) as rows,
            closing(sqlite3.connect(file)) as copy,
        ):
            rows.backup(copy)
    except sqlite3.Error as error:
        _refuse_damaged()
        raise Failure(f"the database cannot be copied to {file}: {error}") from None


def _refuse_damaged() -> None:
    if problems := integrity.problems():
        raise Failure(f"the hub's database is damaged: {problems[0]}. {integrity.advice()}")


def damage_of(folder: Path) -> str:
    """The damage of the database copy in the folder, all of which is read; empty for none."""
    file = folder / FILES[connection.vendor]
    if connection.vendor == "postgresql":
        try:
            _program("pg_restore", "--file", os.devnull, str(file))
        except Failure as failure:
            return str(failure)
        return ""
    problems = integrity.of_file(file, copy=True)
    return problems[0] if problems else ""


def load(folder: Path) -> None:
    """Load that file into the empty database; on an error it stays empty."""
    file = folder / FILES[connection.vendor]
    if connection.vendor == "postgresql":
        name = str(connection.settings_dict["NAME"])
        _program(
            *("pg_restore", "--no-owner", "--no-privileges", "--single-transaction"),
            *("--exit-on-error", "--dbname", name, str(file)),
        )
        return
    connection.ensure_connection()
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as copy:
        copy.backup(connection.connection)


def is_empty() -> bool:
    """Whether the database has no tables; raises Failure where another one left its -wal file."""
    if connection.vendor == "sqlite":
        file = Path(connection.settings_dict["NAME"])
        log = file.with_name(f"{file.name}-wal")
        if not file.exists() and log.exists() and log.stat().st_size:
            raise Failure(f"{log} is left of a database that is gone: move it away first")
    return not connection.introspection.table_names()


def _program(name: str, *words: str) -> None:
    """Run a PostgreSQL client program; the password is passed in its environment, which other users
    cannot read, unlike arguments."""
    if shutil.which(name) is None:
        raise Failure(f"{name} is not installed: apt-get install postgresql-client")
    configured = connection.settings_dict
    names = {"PGDATABASE": "NAME", "PGUSER": "USER", "PGPASSWORD": "PASSWORD"}
    names |= {"PGHOST": "HOST", "PGPORT": "PORT"}
    options = {
        f"PG{key.upper()}": value for key, value in configured["OPTIONS"].items() if key != "pool"
    }
    environ = os.environ | options
    environ |= {name: str(configured[key]) for name, key in names.items() if configured[key]}
    completed = subprocess.run([name, *words], env=environ, capture_output=True, text=True)
    if completed.returncode:
        raise Failure(f"{name} failed: {completed.stderr.strip()}")
