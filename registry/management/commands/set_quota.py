"""`manage.py set_quota NAME`: limits of one owner, apart from the hub's own settings."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.accounts.models import Owner
from registry.errors import HubError
from registry.quotas import services

DEFAULT = "default"


class Command(BaseCommand):
    """Prints limits and usage afterwards; without options it changes nothing."""

    help = "Show or set what an owner may store, upload and have waiting."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """NAME and the limits."""
        parser.add_argument("name", help="a person or an organisation")
        for field in services.FIELDS:
            option = f"--{field.replace('_', '-')}"
            parser.add_argument(option, metavar="N", help=f"a number, or `{DEFAULT}`")

    def handle(self, *args: Any, **options: Any) -> None:
        """Change what was given, then print."""
        owner = Owner.objects.filter(name=options["name"]).select_related("user").first()
        if owner is None:
            raise CommandError(f"there is no owner {options['name']!r}")
        texts = {field: options[field] for field in services.FIELDS if options[field] is not None}
        try:
            limits = {field: _number(field, text) for field, text in texts.items()}
            if limits:
                services.change(owner=owner, by=None, **limits)
        except HubError as refused:
            raise CommandError(refused.message) from None
        current, usage = services.measure(owner=owner)
        for field in services.FIELDS:
            self.stdout.write(f"{field} {getattr(usage, field)} of {getattr(current, field)}")


def _number(field: str, text: str) -> int | None:
    if text == DEFAULT:
        return None
    try:
        return int(text)
    except ValueError:
        option = field.replace("_", "-")
        raise CommandError(f"--{option} {text!r} must be a number or `{DEFAULT}`") from None
