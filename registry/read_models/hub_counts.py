"""How much a hub holds: counts of its public environments, their rollouts and the models."""

from __future__ import annotations

from typing import cast

from django.core.cache import cache

from registry.catalog.models import Environment
from registry.runs.models import Rollout, Run

KEY = "hub.counts"
SECONDS = 60  # that counts of a small hub may be old
MANY = 10_000  # rollouts; counting more takes too long for a page
KEPT = 900  # seconds that the counts of `recount`, which celery beat runs, may be old


def current() -> dict[str, int]:
    """The counts, by the clock where there are many rollouts, else at most SECONDS old."""
    return cast("dict[str, int]", cache.get_or_set(KEY, count, SECONDS))


def recount() -> None:
    """Count and keep the result, where there are many rollouts."""
    counts = count()
    if counts["rollouts"] > MANY:
        cache.set(KEY, counts, KEPT)


def count() -> dict[str, int]:
    """The counts now. A rollout that crashed is not counted."""
    public = Environment.objects.listed().filter(visibility=Environment.Visibility.PUBLIC)
    rollouts = Rollout.objects.filter(run__version__environment__in=public, ok=True)
    models = Run.objects.filter(version__environment__in=public, status=Run.Status.SUCCEEDED)
    return {
        "environments": public.count(),
        "rollouts": rollouts.count(),
        "models": models.exclude(model="").values("model").distinct().count(),
    }
