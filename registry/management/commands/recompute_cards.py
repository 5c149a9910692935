"""`manage.py recompute_cards`: compute the cards again from the stored rollouts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from registry.card import services
from registry.card.models import Card


class Command(BaseCommand):
    """After measures or intervals changed; statuses of versions and findings stay as they are."""

    help = "Compute every card again from the stored rollouts of its run, without a runner."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the number of cards."""
        cards = Card.objects.order_by("pk").values_list("pk", flat=True)
        for pk in list(cards):
            card = Card.objects.select_related("run__suite", "run__version__environment").get(pk=pk)
            services.compute(run=card.run)
        self.stdout.write(f"{len(cards)} cards")
