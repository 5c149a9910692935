"""`manage.py make_staff USERNAME`: make a person staff of this hub, or take that away."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.accounts import services
from registry.errors import HubError


class Command(BaseCommand):
    """The person signs up in the browser first; doing it twice changes nothing."""

    help = "Make a person staff, or, with --remove, take that away."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """USERNAME and --remove."""
        parser.add_argument("username", help="the name that the person signs in with")
        parser.add_argument("--remove", action="store_true", help="the person is staff no longer")

    def handle(self, *args: Any, **options: Any) -> None:
        """Change, and name who is staff now."""
        name, staff = options["username"], not options["remove"]
        try:
            changed = services.set_staff(username=name, staff=staff)
        except HubError as refused:
            raise CommandError(f"{refused.message}. {refused.hint}") from None
        state = "staff" if staff else "no staff"
        self.stdout.write(f"{name} is {state}{' now' if changed else ' already'}")
        self.stderr.write(f"staff of this hub: {', '.join(services.staff()) or 'nobody'}")
