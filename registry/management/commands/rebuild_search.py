"""`manage.py rebuild_search`: rebuild the search documents from the environments."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.catalog.search import documents


class Command(BaseCommand):
    """In one transaction: searches use the old documents until it is committed."""

    help = "Rebuild the documents and indexes of search, or only check them."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="change nothing; 1 where anything differs"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["check"]:
            self.stdout.write(f"{documents.rebuild()} documents")
            return
        differs = False
        for sentence in documents.differing():
            self.stdout.write(sentence)
            differs = True
        if differs:
            raise CommandError("these documents differ: run manage.py rebuild_search")
        self.stdout.write("every document is right")
