"""The front page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.api import shapes
from registry.catalog.models import Environment
from registry.runs.models import Rollout

SHOWN = 8


def home(request: HttpRequest) -> HttpResponse:
    """What the hub is, a search box, and what was listed last."""
    public = Environment.objects.listed().filter(visibility=Environment.Visibility.PUBLIC)
    newest = public.for_summary().order_by("-fresh_at", "-pk")[:SHOWN]
    return render(
        request,
        "pages/home.html",
        {
            "environments": shapes.environment_summaries(list(newest)),
            "counts": {
                "environments": public.count(),
                "rollouts": Rollout.objects.filter(
                    run__version__environment__in=public, ok=True
                ).count(),
            },
        },
    )
