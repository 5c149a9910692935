"""`manage.py recompute_cards`: compute the cards again from the stored rollouts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction

from registry.card import services, signing
from registry.card.models import Card


class Command(BaseCommand):
    """After measures or intervals changed; statuses of versions and findings stay as they are, and
    so do the statements that locks name."""

    help = (
        "Compute and sign every card again, from the stored rollouts of its run, without a runner."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the number of cards."""
        cards = Card.objects.order_by("pk").values_list("pk", flat=True)
        for pk in list(cards):
            card = Card.objects.select_related("run__suite", "run__version__environment").get(pk=pk)
            with transaction.atomic():
                services.compute(run=card.run)
                signing.sign(run=card.run, required_policies=settings.HUB_REQUIRED_POLICIES)
        self.stdout.write(f"{len(cards)} cards")
