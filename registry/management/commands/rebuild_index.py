"""`manage.py rebuild_index`: rebuild the stored index pages, or compare them with the database."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.catalog.changes import IndexChange
from registry.index import writer


class Command(BaseCommand):
    """Use it after an update of the hub or a restored storage; the hub may be running."""

    help = "Rebuild every index page from the database, or compare them."

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
        count = 0
        for count, line in enumerate(writer.differences(), 1):  # noqa: B007 - it is printed
            self.stdout.write(line)
        if count:
            waiting = IndexChange.objects.count()
            raise CommandError(
                f"{count} objects differ from the database; {waiting} changes wait to be written. "
                "Run `manage.py rebuild_index`.",
                returncode=1,
            )
        self.stderr.write("every stored page is what the database says")
