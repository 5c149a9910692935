"""`manage.py create_card_key`: print a key for HUB_CARD_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand

from registry.card import keys


class Command(BaseCommand):
    """The key is stored nowhere."""

    help = "Print a random private key for HUB_CARD_KEYS."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        self.stdout.write(keys.new_key())
