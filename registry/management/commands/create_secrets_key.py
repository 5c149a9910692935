"""`manage.py create_secrets_key`: print a key for HUB_SECRETS_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand

from registry.provisions import cipher


class Command(BaseCommand):
    """The key is stored nowhere."""

    help = "Print a random key for HUB_SECRETS_KEYS."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        self.stdout.write(cipher.new_key())
