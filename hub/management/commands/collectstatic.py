"""`manage.py collectstatic`: build the static files before web starts."""

import argparse
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from hub import static_files


class Command(BaseCommand):
    """Replaces Django's command, which writes into a folder that other processes may be reading."""

    help = "Build the static files of this version of the hub into a folder of their own."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Accept --noinput like Django's command."""
        parser.add_argument(
            "--noinput",
            "--no-input",
            action="store_false",
            dest="interactive",
            help="has no effect: nothing is overwritten",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Build the folder unless it exists."""
        outcome = "built" if static_files.build() else "already there"
        if options["verbosity"]:
            self.stderr.write(f"{settings.STATIC_ROOT}: {outcome}")
