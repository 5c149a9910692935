"""Cleanings that are killed, each one line of our code later than the one before; then one more.

A program of its own (`python -m tests.registry.upkeep.killed`), because it forks: the settings
come from the environment. It prints what it saw as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from datetime import timedelta

import django

from tests.registry.uploads.killed import Killer, in_child, load_before_forking

KILLS = 36  # lines; one version's cleaning has about as many
STEPS = {
    "registry/upkeep/deleted.py": ("empty_deleted", "_objects"),
    "registry/storage/unnamed.py": ("delete_unnamed",),
    "registry/storage/local.py": ("delete",),
}


def main() -> None:
    """Kill at line 1, 2, 3 ... of cleanings that begin with a version that no other touched."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "hub.settings"
    django.setup()
    assert in_child(_prepare) == 0
    load_before_forking(lambda: _clean(0))
    for line in range(1, KILLS + 1):
        ended = in_child(lambda at=line: _clean(at))
        assert ended == signal.SIGKILL, ended
    assert in_child(_look) == 0


def _prepare() -> None:
    from django.core.management import call_command

    from tests.people import person

    call_command("migrate", verbosity=0)
    person("alice")


def _clean(line: int) -> None:
    from django.utils import timezone

    from registry.models import User, Version
    from registry.upkeep.deleted import empty_deleted
    from tests.factories import make_version
    from tests.wheels import make_wheel

    version = f"0.{line}"
    version_made = make_version(
        User.objects.get(), version=version, wheel=make_wheel(version=version)
    )
    ago = timezone.now() - timedelta(days=31 + line)  # before those that were killed
    Version.objects.filter(pk=version_made.pk).update(deleted_at=ago)
    sys.settrace(Killer(line, STEPS, since="empty_deleted").call)
    empty_deleted(now=timezone.now())


def _look() -> None:
    from django.utils import timezone

    from registry import storage
    from registry.models import Version
    from registry.upkeep.deleted import empty_deleted
    from registry.upkeep.verify import verify

    left = Version.objects.filter(emptied_at=None)
    gone = [
        not storage.get().exists(storage.key("metadata", version_left.metadata_sha256))
        for version_left in left
    ]
    empty_deleted(now=timezone.now())
    outcome = verify(now=timezone.now() + timedelta(days=2))
    report = {
        "left": len(gone),
        "half": sum(gone),
        "due": left.all().count(),
        "problems": [str(problem) for problem in outcome.problems],
        "objects": outcome.objects,
    }
    print(json.dumps(report))  # noqa: T201


if __name__ == "__main__":
    main()
