"""A copy of the whole hub in one folder, and back into an empty hub.

    database.sqlite3 | database.dump   the rows of one moment
    objects/                           every object, under its key
    SHA256SUMS                         of all those files, as sha256sum -c reads it
    backup.json                        its description; written last: a copy without it is
                                       incomplete

The rows are copied before the objects: objects that a row of that moment refers to are not deleted
for a day, and later ones are only additional. The hub keeps running meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from registry import storage
from registry.index import writer
from registry.storage import Corrupt, Missing, probe
from registry.storage.base import CHUNK
from registry.upkeep import database, upgrade
from registry.upkeep.failure import Failure, Incomplete
from registry.upkeep.kinds import KINDS

FORMAT = 1
SUMS, ABOUT, OBJECTS = "SHA256SUMS", "backup.json", "objects"
KEYS = {"format", "database", "migrations", "objects", "sums_sha256"}
SHA256 = re.compile(r"[0-9a-f]{64}")
MAX_PROBLEMS = 1000  # problems that backup.json names
Progress = Callable[[str], None]


def backup(folder: Path, *, now: datetime, progress: Progress = lambda _: None) -> int:
    """Copy the hub into that folder, which must be new or empty; returns the number of objects."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise Failure(f"{folder} is not empty: name a new folder")
    try:
        folder.chmod(0o700)  # it may have existed with wider permissions
    except PermissionError:
        raise Failure(f"{folder} is somebody else's: name a new folder") from None
    count = 0
    problems = []
    with (folder / SUMS).open("w") as sums:
        dumped = database.dump(folder)
        sums.write(f"{storage.digest(dumped)}  {dumped.name}\n")
        for key in _keys():
            if digest := _copy(key, folder / OBJECTS / key):
                sums.write(f"{digest}  {OBJECTS}/{key}\n")
                count += 1
                if _is_corrupt(key, digest):
                    problems.append(f"{key} has other bytes, their sha256 is {digest}")
                progress(key)
        sums.flush()
        os.fsync(sums.fileno())
    description = {
        "format": FORMAT,
        "made_at": now.isoformat(),
        "database": connection.vendor,
        "migrations": sorted(f"{app}.{name}" for app, name in _applied()),
        "objects": count,
        "sums_sha256": storage.digest(folder / SUMS),
    }
    problems += _missing(folder, now)
    with (folder / ABOUT).open("w") as file:
        file.write(json.dumps(description | {"problems": problems[:MAX_PROBLEMS]}, indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    if problems:
        raise Incomplete(
            f"the copy in {folder} is whole, but the hub is not: {len(problems)} objects are "
            f"missing or damaged, the first: {problems[0]}. Run `manage.py verify_storage`, and "
            "keep older backups"
        )
    return count


def restore(folder: Path, *, progress: Progress = lambda _: None) -> int:
    """Restore the copy into a hub without tables and objects; returns the number of objects.

    Nothing is written before every file of the copy has been read and its digest checked. The
    database comes last: an interrupted restore leaves no hub that looks complete.
    """
    description = _about(folder)
    if not database.is_empty():
        raise Failure("the database has tables: restore into a new, empty one")
    if any(not stored.key.startswith(f"{probe.PREFIX}/") for stored in storage.get().list()):
        raise Failure("the storage has objects: restore into a new, empty one")
    for digest, name in _sums(folder):
        _check(folder / name, digest)
        progress(f"read {name}")
    if damage := database.damage_of(folder):
        raise Failure(f"the copy's database is damaged: {damage}. Restore an older copy")
    store = storage.get()
    for digest, name in _sums(folder):
        if name.startswith(f"{OBJECTS}/"):
            store.put(name.removeprefix(f"{OBJECTS}/"), folder / name, digest)
            progress(f"restored {name}")
    database.load(folder)
    call_command("migrate", interactive=False, verbosity=0)
    writer.rebuild()
    return int(description["objects"])


def _keys() -> Iterator[str]:
    """Staged objects first: those promoted meanwhile are then copied under their final key. Objects
    that can be rebuilt from the rows are left out."""
    yield from (stored.key for stored in storage.get().list("staging/"))
    for stored in storage.get().list():
        if not stored.key.startswith(("staging/", "index/", f"{probe.PREFIX}/")):
            yield stored.key


def _copy(key: str, target: Path) -> str:
    """The digest of the copied bytes; empty where the object does not exist any more."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    try:
        with storage.get().open(key) as reader, target.open("wb") as file:
            while chunk := reader.read(CHUNK):
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    except Missing:
        return ""
    return digest.hexdigest()


def _is_corrupt(key: str, digest: str) -> bool:
    """Whether the sha256 in the key is not that of the bytes."""
    name = PurePosixPath(key).name
    return bool(SHA256.fullmatch(name)) and name != digest


def _missing(folder: Path, now: datetime) -> Iterator[str]:
    """The objects that rows refer to and that are neither in the copy nor in the storage."""
    for kind in KINDS:
        for reference in kind.references(now):
            if not reference.needed or (folder / OBJECTS / reference.key).is_file():
                continue
            if (
                not storage.get().exists(reference.key)
                and kind.rows_of(reference.key, now).exists()
            ):
                yield f"{reference.key} of {reference.by} is missing"


def _about(folder: Path) -> dict[str, Any]:
    """The description of the copy; raises Failure where this hub cannot restore it."""
    try:
        description: Any = json.loads((folder / ABOUT).read_text())
        if not isinstance(description, dict) or not description.keys() >= KEYS:
            raise ValueError(f"it must have {', '.join(sorted(KEYS))}")
    except (OSError, ValueError) as error:
        raise Failure(f"{folder / ABOUT} cannot be read ({error}): the copy is not whole") from None
    if description.get("format") != FORMAT:
        raise Failure(f"the copy has format {description.get('format')!r}, this hub reads {FORMAT}")
    if description["database"] != connection.vendor:
        raise Failure(
            f"the copy is of {description['database']}, this hub is set to {connection.vendor}"
        )
    _check(folder / SUMS, description["sums_sha256"])
    if newer := sorted(set(description["migrations"]) - upgrade.known_migrations()):
        raise Failure(f"the copy was made by a newer hub: {newer[-1]} is unknown; update this one")
    if older := upgrade.missing_migrations(description["migrations"]):
        raise Failure(
            f"the copy was made by an older hub, which lacks the migration {older[0]}: restore it "
            "with the release that made it and upgrade that hub (docs/operations.md, Upgrade)"
        )
    return description


def _applied() -> Iterator[tuple[str, str]]:
    yield from MigrationLoader(connection).applied_migrations


def _sums(folder: Path) -> Iterator[tuple[str, str]]:
    with (folder / SUMS).open() as lines:
        for line in lines:
            digest, _, name = line.rstrip("\n").partition("  ")
            if not SHA256.fullmatch(digest) or not name or ".." in name.split("/"):
                raise Failure(f"{folder / SUMS} has the line {line[:120]!r}: the copy is damaged")
            yield digest, name


def _check(file: Path, digest: str) -> None:
    try:
        storage.check(storage.digest(file), digest, str(file))
    except FileNotFoundError:
        raise Failure(f"{file} is missing: the copy is damaged") from None
    except Corrupt as error:
        raise Failure(f"the copy is damaged: {error}") from None
