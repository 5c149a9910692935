"""The parts that a hub needs, each with a check."""

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

from envyard.messaging.celery_settings import FILESYSTEM
from registry.catalog.models import Version
from registry.runs.models import Run
from registry.storage import probe

BROKER_SECONDS = 3
MIB = 1 << 20
MIN_FREE_INODES = 1000  # inodes that must be free
_migrated: list[bool] = []  # not empty once all migrations were applied


class Fault(Exception):
    """A failed check, with a hint for the operator."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def database() -> str:
    """The database responds and all migrations are applied."""
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
    """The broker accepts a connection, or its folder is writable."""
    url = settings.CELERY_BROKER_URL
    if url.startswith(FILESYSTEM):
        with tempfile.TemporaryFile(dir=Path(url.removeprefix(FILESYSTEM), "messages")) as file:
            file.write(b"probe")
        return "the folder of messages is writable"
    with current_app.connection_for_write(connect_timeout=BROKER_SECONDS) as opened:
        opened.ensure_connection(max_retries=1, timeout=BROKER_SECONDS)
        return f"{opened.as_uri()} answers"


def queue() -> str:
    """No run and no check of a version has waited longer than HUB_READY_QUEUE_SECONDS."""
    now, limit = timezone.now(), settings.HUB_READY_QUEUE_SECONDS
    run = Run.objects.filter(status=Run.Status.QUEUED).order_by("created_at").first()
    seconds = 0.0 if run is None else (now - run.created_at).total_seconds()
    if run is not None and seconds > limit:
        raise Fault(
            f"run {run.pk} has been queued for {seconds:.0f} s, over "
            f"HUB_READY_QUEUE_SECONDS={limit}",
            "Check under /moderation/ whether a suitable runner is present; create one with "
            "`manage.py create_runner`.",
        )
    unchecked = Version.objects.filter(
        status__in=(Version.Status.UPLOADED, Version.Status.CHECKING), deleted_at=None
    )
    if oldest := unchecked.order_by("status_at").first():
        seconds = max(seconds, (now - oldest.status_at).total_seconds())
        if seconds > limit:
            raise Fault(
                f"{oldest} has waited {seconds:.0f} s for its check, over "
                f"HUB_READY_QUEUE_SECONDS={limit}",
                "Check that the hub worker (celery --queues hub) and the clock run.",
            )
    return f"the oldest has waited {seconds:.0f} s"


def space() -> str:
    """Every folder that this process writes to has free space."""
    folders = {"HUB_HOME": settings.HUB_HOME, "TMPDIR": Path(tempfile.gettempdir())}
    if settings.HUB_STORAGE == "local":
        folders["HUB_STORAGE_PATH"] = Path(settings.HUB_STORAGE_PATH)
    lowest = None
    for name, folder in folders.items():
        while not folder.exists():  # the first upload creates the folder of the storage
            folder = folder.parent
        disk = os.statvfs(folder)
        free = disk.f_bavail * disk.f_frsize // MIB
        if free < settings.HUB_READY_FREE_MB:
            raise Fault(
                f"{name}={str(folder)!r} has {free} MiB free, less than "
                f"HUB_READY_FREE_MB={settings.HUB_READY_FREE_MB}",
                "Free disk space there, or add a larger disk.",
            )
        if disk.f_files and disk.f_favail < MIN_FREE_INODES:
            raise Fault(
                f"{name}={str(folder)!r} has space for only {disk.f_favail} more files",
                "Delete files there, or use a file system with more inodes.",
            )
        lowest = free if lowest is None else min(lowest, free)
    return f"{lowest} MiB free at least"


@dataclass(frozen=True, slots=True)
class Part:
    """One check, which returns a sentence; `hint` is for errors without a hint of their own."""

    name: str
    check: Callable[[], str]
    hint: str


PARTS = (
    Part("database", database, "Check that the server of DATABASE_URL runs and accepts the login."),
    Part(
        "storage",
        storage,
        "Check that HUB_STORAGE_PATH is mounted and writable, or that the bucket of HUB_S3_* "
        "accepts this key.",
    ),
    Part("broker", broker, "Check that the broker of HUB_BROKER_URL runs and accepts the login."),
    Part("queue", queue, "Check that the database responds."),
    Part("space", space, "Check that HUB_HOME and HUB_STORAGE_PATH are mounted."),
)
