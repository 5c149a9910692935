"""The front page."""

from __future__ import annotations

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.catalog.models import Environment
from registry.read_models import environments
from registry.runs.models import Rollout

SHOWN = 8
COUNTED = 60  # seconds that counts may be old


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Introduction, search field and the most recently listed environments."""
    public = Environment.objects.listed().filter(visibility=Environment.Visibility.PUBLIC)
    newest = public.for_summary().order_by("-fresh_at", "-pk")[:SHOWN]
    return render(
        request,
        "pages/home.html",
        {
            "environments": environments.summaries(list(newest)),
            "counts": cache.get_or_set("home.counts", counts, COUNTED),
        },
    )


def counts() -> dict[str, int]:
    """Counts of public environments and rollouts; the caller caches them, as counting is slow."""
    public = Environment.objects.listed().filter(visibility=Environment.Visibility.PUBLIC)
    rollouts = Rollout.objects.filter(run__version__environment__in=public, ok=True)
    return {"environments": public.count(), "rollouts": rollouts.count()}
