"""`manage.py hosts [OWNER/NAME]`: list and approve the hosts that environments declare."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.catalog.models import Environment
from registry.errors import HubError
from registry.provisions import hosts


class Command(BaseCommand):
    """Without OWNER/NAME it lists the hosts that nobody has approved."""

    help = "List the hosts that environments declare, approve them, or end an approval."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The environment and the decisions."""
        parser.add_argument("environment", nargs="?", default="", metavar="OWNER/NAME")
        parser.add_argument("--approve", action="append", default=[], metavar="HOST")
        parser.add_argument("--refuse", action="append", default=[], metavar="HOST")

    def handle(self, *args: Any, **options: Any) -> None:
        """Decide, then list."""
        if not options["environment"]:
            for row in hosts.to_approve():
                self.stdout.write(f"{row.environment} {row.host}")
            return
        environment = self._environment(options["environment"])
        try:
            for host in options["approve"]:
                hosts.approve(environment=environment, host=host, by=None)
            for host in options["refuse"]:
                hosts.refuse(environment=environment, host=host, by=None)
        except HubError as refused:
            raise CommandError(refused.message) from None
        for row in hosts.of(environment):
            state = "approved" if row.approved_at else "not approved"
            self.stdout.write(f"{environment} {row.host} {state}")

    def _environment(self, text: str) -> Environment:
        owner, _, name = text.partition("/")
        rows = Environment.objects.filter(owner__name=owner, name=name, deleted_at=None)
        environment = rows.select_related("owner").first()
        if environment is None:
            raise CommandError(f"there is no environment {text!r}")
        return environment
