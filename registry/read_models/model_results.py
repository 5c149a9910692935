"""What the model of a run can learn: kept with the card, else computed once and cached."""

from __future__ import annotations

from typing import Any

from django.core.cache import caches

from envyard.contract.job import MODEL
from registry.card import services
from registry.card.models import Card
from registry.read_models.measure_sources import sourced_results
from registry.runs.models import Run

SECONDS = 3600
cache = caches["local"]


def of_run(run: Run) -> list[dict[str, Any]]:
    """The ModelResults of a run that succeeded; empty for any other, and where no model ran."""
    if run.status != Run.Status.SUCCEEDED or MODEL not in run.policies:
        return []
    stored = Card.objects.filter(run=run).values_list("model_results", flat=True).first()
    if stored:
        return sourced_results(stored)
    key = f"model-results-{run.pk}-{run.attempt}-{run.last_seq}"
    results: list[dict[str, Any]] | None = cache.get(key)
    if results is None:
        results = [row.to_dict() for row in services.results_of(run)]
        cache.set(key, results, SECONDS)
    return results
