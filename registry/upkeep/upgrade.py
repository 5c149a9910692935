"""Whether a database can be upgraded: one migration of this release replaces many older ones."""

from __future__ import annotations

from collections.abc import Collection

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

ADVICE = (
    "Apply them with the last release that has them (`manage.py migrate`), then install this one; "
    "docs/operations.md, Upgrade."
)


def known_migrations() -> set[str]:
    """`app.name` of every migration of this release, with those that its migrations replace."""
    loader = MigrationLoader(None)
    replaced = {key for migration in loader.replacements.values() for key in migration.replaces}
    return {f"{app}.{name}" for app, name in loader.disk_migrations.keys() | replaced}


def missing_migrations(applied: Collection[str]) -> list[str]:
    """`app.name` of replaced migrations that a database lacks while it has others of them.

    Django then applies neither the replacement nor what comes after it.
    """
    names: list[str] = []
    for migration in MigrationLoader(None).replacements.values():
        replaced = {f"{app}.{name}" for app, name in migration.replaces}
        if not replaced.isdisjoint(applied):
            names += sorted(replaced - set(applied))
    return names


def missing_here() -> list[str]:
    """The same of this hub's database."""
    rows = MigrationRecorder(connection).applied_migrations()
    return missing_migrations({f"{app}.{name}" for app, name in rows})
