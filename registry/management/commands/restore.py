"""`manage.py restore FOLDER`: bring a copy back into an empty hub."""

import argparse
import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.upkeep.backup import restore
from registry.upkeep.failure import Failure


class Command(BaseCommand):
    """Exit code 0 once all is back; a damaged copy changes nothing."""

    help = "Bring what `backup` copied back into a hub with an empty database and storage."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        before = os.umask(0o077)
        os.umask(before | 0o027)  # the database holds password hashes; nginx's group reads files
        try:
            count = restore(options["folder"])
        except Failure as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            path = error.filename or options["folder"]
            raise CommandError(
                f"{path}: {error.strerror}; begin again with an empty database and storage"
            ) from None
        finally:
            os.umask(before)
        self.stderr.write(f"restored the database and {count} objects; next: verify_storage")
