"""`manage.py rebuild_index`: the index's stored pages, made anew or compared with the database."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.catalog.changes import IndexChange
from registry.index import writer


class Command(BaseCommand):
    """After an update of the hub, or of a storage that was restored; the hub may be at work."""

    help = "Write every index page anew from the database, or compare them."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """--check."""
        parser.add_argument(
            "--check", action="store_true", help="only compare; exit 1 where anything differs"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rebuild, or print what differs."""
        if not options["check"]:
            writer.rebuild()
            return
        found = 0
        for found, line in enumerate(writer.differences(), 1):  # noqa: B007 - the count is told
            self.stdout.write(line)
        if found:
            waiting = IndexChange.objects.count()
            raise CommandError(
                f"{found} objects differ from the database; {waiting} changes wait to be written. "
                "Run `manage.py rebuild_index`.",
                returncode=1,
            )
        self.stderr.write("every stored page is what the database says")
