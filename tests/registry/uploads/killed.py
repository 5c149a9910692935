"""Uploads that are killed, each one line of our code later than the one before; then recovery.

A program of its own (`python -m tests.registry.uploads.killed`), because it forks: the settings
come from the environment. It prints what it saw as JSON.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import django

STEPS = {  # the functions that keep something, by file
    "registry/uploads/services.py": ("accept", "_stage", "_publish", "_promote"),
    "registry/uploads/staging.py": ("stage", "promote", "_move"),
    "registry/storage/local.py": ("put", "put_all", "_placed", "_make", "move"),
    "registry/storage/s3.py": ("put", "put_all", "_send", "move"),
}


def main() -> None:
    """Kill at line 1, 2, 3 ... after the checks, until an upload comes to its end."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "hub.settings"
    django.setup()
    from registry import storage
    from registry.uploads import services

    storage.get()  # a client for S3 takes half a second to make; it connects when it is used
    assert services
    assert in_child(_prepare) == 0
    load_before_forking(_upload_elsewhere)
    for line in itertools.count(1):
        ended = in_child(lambda at=line: _upload(at))
        if ended == 0:
            break
        assert ended == signal.SIGKILL, ended
    assert in_child(lambda: _recover(line)) == 0


def load_before_forking(work: Callable[[], object]) -> None:
    """Do the work once in the parent: each child would else import and compile the same.

    The connections are closed afterwards, so that no child inherits one.
    """
    from django.db import connection, connections

    work()
    sys.settrace(None)
    connections.close_all()
    if connection.vendor == "postgresql":
        connection.close_pool()


def in_child(work: Callable[[], object]) -> int:
    """How the child ended; the parent never opens a connection that two would share."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    try:
        work()
    except BaseException:  # noqa: BLE001 - the child must not go on as a second parent
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)


def _prepare() -> None:
    from django.core.management import call_command

    from tests.people import person

    call_command("migrate", verbosity=0)
    person("alice")


def _upload_elsewhere() -> None:
    """An upload into a folder that is deleted, as its row is: each child still makes the folders
    of the hub's own storage."""
    from django.test import override_settings

    from registry.models import Environment, Version

    with (
        TemporaryDirectory() as folder,
        override_settings(HUB_STORAGE="local", HUB_STORAGE_PATH=folder),
    ):
        _upload(0)
    Version.objects.all().delete()
    Environment.objects.all().delete()


def _upload(line: int) -> None:
    """An upload that is killed at that line; the whole of it where it has no such line, or at 0."""
    from registry.models import User
    from registry.uploads.services import accept
    from tests.registry.uploads.forms import form_of
    from tests.wheels import filename, make_wheel

    version = f"0.{line}"
    data, alice = make_wheel(version=version), User.objects.get()
    sys.settrace(Killer(line, STEPS, since="_stage").call)
    accept(
        wheel=io.BytesIO(data),
        filename=filename(version=version),
        form=form_of(data),
        owner=alice.owner,
        by=alice,
        token=None,
    )


class Killer:
    """Counts the lines of those functions, from the first of `since`, and kills at one."""

    def __init__(self, line: int, steps: Mapping[str, tuple[str, ...]], *, since: str) -> None:
        self.left = line
        self.steps = steps
        self.since = since
        self.counts = False

    def call(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        self.counts = self.counts or code.co_name == self.since
        steps_of_file = (
            names for file, names in self.steps.items() if code.co_filename.endswith(file)
        )
        watched = any(code.co_name in names for names in steps_of_file)
        return self.line if watched else None

    def line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line" and self.counts:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.line


def _recover(uploads: int) -> None:
    """The tasks of clock and worker, then the operator's commands."""
    from django.db.models import Count
    from django.utils import timezone

    from registry import pipeline, storage
    from registry.models import Version
    from registry.upkeep.verify import verify
    from registry.uploads import staging

    now = timezone.now()
    staged = Version.objects.exclude(staged="").count()
    for pk in Version.objects.values_list("pk", flat=True):
        pipeline.check(pk)
    discarded = staging.discard_old(now=now + 2 * staging.GRACE)
    outcome = verify(now=now + timedelta(days=2))
    states = Version.objects.values_list("status").annotate(count=Count("pk"))
    state = {
        "uploads": uploads,
        "staged": staged,
        "discarded": discarded,
        "states": dict(states),
        "still_staged": Version.objects.exclude(staged="").count(),
        "problems": [str(problem) for problem in outcome.problems],
        "prefixes": sorted({stored.key.partition("/")[0] for stored in storage.get().list()}),
        "objects": outcome.objects,
    }
    print(json.dumps(state))  # noqa: T201


if __name__ == "__main__":
    main()
