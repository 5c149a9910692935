"""What one answer to every task of a version would earn: computed once and cached."""

from __future__ import annotations

from collections.abc import Collection

from django.core.cache import caches

from envyard.card.learnability import ModelMeasure, constant_measure
from registry.card import services

SECONDS = 3600
cache = caches["local"]


def of_versions(versions: Collection[int]) -> dict[int, ModelMeasure]:
    """Version id -> the measure of its newest run with probes; versions without one are left out.

    One query, and one more for each version that is not in the cache.
    """
    runs = services.newest_probed(versions)
    keys = {pk: f"constant-answer-{run.pk}" for pk, run in runs.items()}
    cached = cache.get_many(keys.values())
    measures: dict[int, ModelMeasure] = {}
    for pk, key in keys.items():
        if key not in cached:
            cached[key] = constant_measure(services.evidence_of(runs[pk]))
            cache.set(key, cached[key], SECONDS)
        measures[pk] = cached[key]
    return measures
