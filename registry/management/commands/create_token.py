"""`manage.py create_token USER`: an API token without a browser, for scripts of the operator."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from envyard.contract.names import BadName, parse_ref
from registry.accounts import tokens
from registry.accounts.models import Token, User
from registry.catalog.models import Environment
from registry.errors import HubError


class Command(BaseCommand):
    """Prints the token on stdout, once; everything else goes to stderr."""

    help = "Print a new API token of a person, which is shown only now."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """What the token may do, where, and for how long."""
        parser.add_argument("username")
        parser.add_argument("--name", default="create_token", help="what the person's list shows")
        parser.add_argument("--scope", choices=Token.Scope.values, default=Token.Scope.PUBLISH)
        parser.add_argument("--environment", default="", help="OWNER/NAME; all where left out")
        parser.add_argument("--days", type=int, default=90, help="until it expires (default 90)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Mint."""
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"there is no user {options['username']!r}")
        try:
            token, text = tokens.mint(
                user=user,
                name=options["name"],
                scope=options["scope"],
                environment=_environment(options["environment"]),
                days=options["days"],
            )
        except (HubError, BadName) as refused:
            raise CommandError(str(refused)) from None
        self.stderr.write(f"scope {token.scope}, until {token.expires_at:%Y-%m-%d}")
        self.stdout.write(text)


def _environment(ref: str) -> Environment | None:
    if not ref:
        return None
    parsed = parse_ref(ref)
    environment = Environment.objects.filter(owner__name=parsed.owner, name=parsed.name).first()
    if environment is None:
        raise CommandError(f"there is no environment {ref!r}")
    return environment
