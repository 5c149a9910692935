"""`manage.py collectstatic`: build the static files before the first web process does."""

import argparse
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from hub import static_files


class Command(BaseCommand):
    """Django's own command writes into a folder that other web processes may be reading."""

    help = "Build the static files of this version of the hub into a folder of their own."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """--noinput, as Django's own command takes it."""
        parser.add_argument(
            "--noinput",
            "--no-input",
            action="store_false",
            dest="interactive",
            help="has no effect: nothing is overwritten",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Build, or leave what is there."""
        done = "built" if static_files.build() else "already there"
        if options["verbosity"]:
            self.stderr.write(f"{settings.STATIC_ROOT}: {done}")
