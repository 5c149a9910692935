"""`manage.py seed_demo`: create the demo people of `serve` in another deployment."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand

from hub import demo


class Command(BaseCommand):
    """Can be repeated: existing people do not change."""

    help = "Create alice, bob, carol, root and the organisation lab."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--show-passwords", action="store_true", help="print the passwords as well"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        passwords = demo.people()
        for name, description in demo.PEOPLE.items():
            secret = f" {passwords.get(name, '(own)'):16}" if options["show_passwords"] else ""
            self.stdout.write(f"{name:6}{secret} {description}")
