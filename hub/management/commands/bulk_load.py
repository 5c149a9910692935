"""`manage.py bulk_load`: an empty hub made as full as it may become, for benchmarks."""

import argparse
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from hub.bulk import load
from registry.accounts.models import User


class Command(BaseCommand):
    """The same rows every time; there are no wheels behind them."""

    help = "Fill an empty hub with environments and versions, for benchmarks."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--environments", type=int, default=100_000)
        parser.add_argument("--versions", type=int, default=1_000_000)
        parser.add_argument(
            "--force", action="store_true", help="even into a hub that people use already"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        environments, versions = options["environments"], options["versions"]
        if not 1 <= environments <= versions:
            raise CommandError(
                f"--versions {versions} must be at least --environments {environments}, and that 1"
            )
        if User.objects.exists() and not options["force"]:
            raise CommandError(
                "this hub has people: what is loaded could not be told from what is theirs. "
                "Set another HUB_HOME or DATABASE_URL, or say --force."
            )
        began = time.monotonic()
        for done in load.load(environments=environments, versions=versions):
            if done % 10_000 == 0:
                self.stderr.write(f"{done} environments, {time.monotonic() - began:.0f} s")
        self.stdout.write(
            f"{environments} environments and {versions} versions in "
            f"{time.monotonic() - began:.0f} s; the index's stored pages are as they were: the app "
            "answers for them until `manage.py rebuild_index` writes them"
        )
