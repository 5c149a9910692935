"""`manage.py verify_storage`: prove that every row has its bytes and no bytes are nobody's."""

import argparse
import json
import sys
import time
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from registry.upkeep.verify import Outcome, verify

PROGRESS_SECONDS = 2


class Command(BaseCommand):
    """Exit code 0: rows and bytes agree; 1: they do not, each problem is a line on stdout."""

    help = "Read every stored object and compare it with the rows that name it."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
        parser.add_argument(
            "--delete-orphans",
            action="store_true",
            help="delete objects that no row has named for a day",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        outcome = verify(
            now=timezone.now(),
            delete_orphans=options["delete_orphans"],
            progress=_Ticker(self).tick,
        )
        if options["json"]:
            self.stdout.write(json.dumps(asdict(outcome), indent=1))
        else:
            for problem in outcome.problems:
                self.stdout.write(f"{problem.kind}: {problem.key}: {problem.message}")
        summary = f"{outcome.objects} objects, {outcome.bytes} bytes read or listed, "
        summary += f"{outcome.young} without a row yet, {outcome.deleted} orphans deleted"
        self.stderr.write(summary)
        if outcome.problems:
            raise CommandError(f"{len(outcome.problems)} problems", returncode=1)


class _Ticker:
    """A line every other second, where somebody watches."""

    def __init__(self, command: BaseCommand) -> None:
        self.command = command
        self.next = time.monotonic() + PROGRESS_SECONDS

    def tick(self, outcome: Outcome) -> None:
        if sys.stderr.isatty() and time.monotonic() > self.next:
            self.next = time.monotonic() + PROGRESS_SECONDS
            self.command.stderr.write(f"{outcome.objects} objects, {outcome.bytes} bytes ...")
