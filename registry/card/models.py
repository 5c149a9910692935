"""The stored card of a version: the measures and scores of one run."""

from __future__ import annotations

from django.db import models

from registry.catalog.models import Version
from registry.runs.models import Run


class Card(models.Model):
    """Measured quality of a version, recomputable from the run's stored rollouts."""

    version = models.OneToOneField(Version, on_delete=models.CASCADE, related_name="card")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="cards")
    measures = models.JSONField(default=list)
    scores = models.JSONField(default=list)
    computed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"card of {self.version_id}"
