"""`manage.py read_answers`: read the answers of models' rollouts that were stored without one."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from envyard.card.final_answers import answer_of
from envyard.contract.job import MODEL
from registry.runs import transcripts
from registry.runs.models import Rollout

BATCH = 200


class Command(BaseCommand):
    """Run it once after the upgrade that compares answers; later rollouts are stored with theirs.

    Rollouts whose transcripts were deleted keep none.
    """

    help = "Read the answers of models' rollouts of earlier releases from their transcripts."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the number of answers."""
        rows = Rollout.objects.filter(policy=MODEL, answer="", pack__isnull=False)
        keys = list(rows.order_by("pack", "offset").values_list("pk", flat=True))
        count = 0
        for start in range(0, len(keys), BATCH):
            batch = rows.filter(pk__in=keys[start : start + BATCH]).select_related("pack")
            read = []
            for row, transcript in transcripts.read_many(batch.order_by("pack", "offset")):
                row.answer = answer_of(transcript) if transcript else ""
                read += [row] if row.answer else []
            Rollout.objects.bulk_update(read, ["answer"])
            count += len(read)
        self.stdout.write(f"{count} answers")
