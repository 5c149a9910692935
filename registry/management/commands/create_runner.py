"""`manage.py create_runner NAME`: create the token with which a GPU machine leases runs."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.accounts import runners
from registry.accounts.models import Runner
from registry.errors import HubError
from registry.runs import services


class Command(BaseCommand):
    """Prints the token on stdout, once; everything else goes to stderr."""

    help = "Add a runner and print its token, which is shown only now."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """NAME and --renew."""
        parser.add_argument("name", help="what pages and logs call the machine")
        parser.add_argument(
            "--renew", action="store_true", help="make a new token for a runner that exists"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Create or renew."""
        name = options["name"]
        try:
            if options["renew"]:
                token = services.renew(runner=Runner.objects.get(name=name))
            else:
                token = runners.create(name=name)[1]
        except Runner.DoesNotExist:
            raise CommandError(f"there is no runner {name!r}: leave --renew out") from None
        except HubError as refused:
            raise CommandError(f"{refused.message}. {refused.hint}") from None
        self.stderr.write("Put it in the file that HUB_RUNNER_TOKEN_FILE names; it is shown once.")
        self.stdout.write(token)
