"""The whole database as one file and back, by each engine's own means."""

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
    """Copy the database as it is at one moment into the folder, while the hub goes on; raises
    Failure where it or the copy is damaged."""
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
    # A connection of its own: one that is writing would wait for itself.
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
    if found := integrity.problems():
        raise Failure(f"the hub's database is damaged: {found[0]}. {integrity.advice()}")


def damage_of(folder: Path) -> str:
    """What is wrong with the database's copy in the folder, read to its end; empty where nothing
    is."""
    file = folder / FILES[connection.vendor]
    if connection.vendor == "postgresql":
        try:
            _program("pg_restore", "--file", os.devnull, str(file))
        except Failure as failure:
            return str(failure)
        return ""
    found = integrity.of_file(file, copy=True)
    return found[0] if found else ""


def load(folder: Path) -> None:
    """Fill the empty database from that file; on an error it stays empty."""
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
    """Whether it has no tables at all; raises Failure where another database left its log."""
    if connection.vendor == "sqlite":
        file = Path(connection.settings_dict["NAME"])
        log = file.with_name(f"{file.name}-wal")
        if not file.exists() and log.exists() and log.stat().st_size:
            raise Failure(f"{log} is left of a database that is gone: move it away first")
    return not connection.introspection.table_names()


def _program(name: str, *words: str) -> None:
    """Run a client of PostgreSQL's; the password goes by its environment, which others cannot
    see, unlike its arguments."""
    if shutil.which(name) is None:
        raise Failure(f"{name} is not installed: apt-get install postgresql-client")
    said = connection.settings_dict
    names = {"PGDATABASE": "NAME", "PGUSER": "USER", "PGPASSWORD": "PASSWORD"}
    names |= {"PGHOST": "HOST", "PGPORT": "PORT"}
    options = {f"PG{key.upper()}": value for key, value in said["OPTIONS"].items() if key != "pool"}
    environ = os.environ | options
    environ |= {name: str(said[key]) for name, key in names.items() if said[key]}
    done = subprocess.run([name, *words], env=environ, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{name} failed: {done.stderr.strip()}")
