"""`manage.py sign_cards`: sign cards that have no signature by a key of HUB_CARD_KEYS."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from registry.card import signing


class Command(BaseCommand):
    """Run it after a key was removed, or for cards of releases that signed none."""

    help = "Sign cards that have no signature by a key of HUB_CARD_KEYS."

    def handle(self, *args: Any, **options: Any) -> None:
        """Sign them, and print how many."""
        first = signing.sign_unsigned(required_policies=settings.HUB_REQUIRED_POLICIES)
        again = signing.sign_again()
        self.stdout.write(f"{first} cards signed, {again} signed again with the first key")
