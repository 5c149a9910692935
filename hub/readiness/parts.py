"""The parts that a hub needs, each with a check that uses it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from registry.catalog.models import Version
from registry.runs.models import Run
from registry.storage import probe

FILESYSTEM = "filesystem://"
BROKER_SECONDS = 3
MIB = 1 << 20
FEWEST_FILES = 1000  # inodes that must be free
_migrated: list[bool] = []  # once they are applied, they stay so for this process


class Fault(Exception):
    """What is wrong, and what to do about it."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def database() -> str:
    """It answers, and has the tables that this version of the hub needs."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    if not _migrated:
        executor = MigrationExecutor(connection)
        if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
            names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in plan)
            raise Fault(
                f"{len(plan)} migrations are not applied: {names[:200]}",
                "Run `manage.py migrate`.",
            )
        _migrated.append(True)
    return f"{connection.vendor} answers"


def storage() -> str:
    """An object can be written, read back and deleted."""
    probe.run()
    return "an object was written, read and deleted"


def broker() -> str:
    """It accepts a connection; of a folder, a file can be written there."""
    url = settings.CELERY_BROKER_URL
    if url.startswith(FILESYSTEM):
        with tempfile.TemporaryFile(dir=Path(url.removeprefix(FILESYSTEM), "messages")) as file:
            file.write(b"probe")
        return "the folder of messages can be written"
    with current_app.connection_for_write(connect_timeout=BROKER_SECONDS) as made:
        made.ensure_connection(max_retries=1, timeout=BROKER_SECONDS)
        return f"{made.as_uri()} answers"


def queue() -> str:
    """No run and no check of a version has waited for too long."""
    now, most = timezone.now(), settings.HUB_READY_QUEUE_SECONDS
    run = Run.objects.filter(status=Run.Status.QUEUED).order_by("created_at").first()
    waits = 0.0 if run is None else (now - run.created_at).total_seconds()
    if run is not None and waits > most:
        raise Fault(
            f"run {run.pk} has been queued for {waits:.0f} s, over HUB_READY_QUEUE_SECONDS={most}",
            "See under /moderation/ whether a runner is present that can do it; add one with "
            "`manage.py create_runner`.",
        )
    unchecked = Version.objects.filter(
        status__in=(Version.Status.UPLOADED, Version.Status.CHECKING), deleted_at=None
    )
    if oldest := unchecked.order_by("status_at").first():
        waits = max(waits, (now - oldest.status_at).total_seconds())
        if waits > most:
            raise Fault(
                f"{oldest} has waited {waits:.0f} s for its check, over "
                f"HUB_READY_QUEUE_SECONDS={most}",
                "See that the hub worker (celery --queues hub) and the clock run.",
            )
    return f"the oldest waits {waits:.0f} s"


def space() -> str:
    """Every folder that this process writes to has room."""
    folders = {"HUB_HOME": settings.HUB_HOME, "TMPDIR": Path(tempfile.gettempdir())}
    if settings.HUB_STORAGE == "local":
        folders["HUB_STORAGE_PATH"] = Path(settings.HUB_STORAGE_PATH)
    lowest = None
    for name, folder in folders.items():
        while not folder.exists():  # the storage's is made by the first upload
            folder = folder.parent
        disk = os.statvfs(folder)
        free = disk.f_bavail * disk.f_frsize // MIB
        if free < settings.HUB_READY_FREE_MB:
            raise Fault(
                f"{name}={str(folder)!r} has {free} MiB free, less than "
                f"HUB_READY_FREE_MB={settings.HUB_READY_FREE_MB}",
                "Free some space there, or give it a larger disk.",
            )
        if disk.f_files and disk.f_favail < FEWEST_FILES:
            raise Fault(
                f"{name}={str(folder)!r} has room for {disk.f_favail} more files",
                "Delete files there, or give it a file system with more inodes.",
            )
        lowest = free if lowest is None else min(lowest, free)
    return f"{lowest} MiB free at least"


@dataclass(frozen=True, slots=True)
class Part:
    """One check: its result is a sentence; `hint` is for errors without a hint of their own."""

    name: str
    check: Callable[[], str]
    hint: str


PARTS = (
    Part("database", database, "See that the server of DATABASE_URL runs and takes the login."),
    Part(
        "storage",
        storage,
        "See that HUB_STORAGE_PATH is mounted and can be written, or that the bucket of HUB_S3_* "
        "takes this key.",
    ),
    Part("broker", broker, "See that the broker of HUB_BROKER_URL runs and takes the login."),
    Part("queue", queue, "See that the database answers."),
    Part("space", space, "See that HUB_HOME and HUB_STORAGE_PATH are mounted."),
)
