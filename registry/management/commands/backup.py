"""`manage.py backup FOLDER`: copy database and objects, while the hub goes on."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from registry.upkeep.backup import backup
from registry.upkeep.failure import Failure, Incomplete


class Command(BaseCommand):
    """Exit code 0 once the copy is whole; 3 where it is and the hub itself lacks objects; else the
    folder has no backup.json."""

    help = "Copy the whole hub into a new folder."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            count = backup(options["folder"], now=timezone.now())
        except Incomplete as error:
            raise CommandError(str(error), returncode=3) from None
        except Failure as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            path = error.filename or options["folder"]
            raise CommandError(f"{path}: {error.strerror}; this is no backup, delete it") from None
        self.stderr.write(f"copied the database and {count} objects to {options['folder']}")
