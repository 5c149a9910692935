"""The front page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, EnvironmentQuerySet
from registry.read_models import environments, hub_counts
from registry.read_models.environments import EnvironmentSummary
from registry.runs.models import Run, RunQuerySet

SHOWN = 6
RANKED = 5


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first environments of one order of the browse page."""

    title: str
    sort: str
    environments: list[EnvironmentSummary]


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Introduction, search field, runs under way, and the first environments of each order."""
    public = Environment.objects.listed().filter(visibility=Environment.Visibility.PUBLIC)
    newest = list(public.for_summary().order_by("-fresh_at", "-pk")[:SHOWN])
    return render(
        request,
        "pages/home.html",
        {
            "environments": environments.summaries(newest),
            "first_runs": 0 if newest else waiting_or_under_way(),
            "counts": hub_counts.current(),
            "lists": [
                Ranking(title, sort, environments.summaries(list(rows)))
                for title, sort, rows in rankings()
                if rows
            ],
            "running": list(being_evaluated(request.user)),
        },
    )


def rankings() -> Iterator[tuple[str, str, EnvironmentQuerySet]]:
    """Title, order of the browse page and first rows of each ranking; those without an installation
    or a model's result are left out, so that a new hub shows no ranking of nothing."""
    public = Environment.objects.listed().filter(visibility=Environment.Visibility.PUBLIC)
    rows = public.for_summary()
    installed = rows.filter(installs__gt=0).order_by("-installs", "-pk")
    learnable = rows.filter(learnability__gt=0).order_by("-learnability", "-pk")
    yield "Most installed", "installs", installed[:RANKED]
    yield "Most learnable for this hub’s model", "learnability", learnable[:RANKED]


def waiting_or_under_way() -> int:
    """The number of runs that have not ended, for a hub that lists nothing yet: whose they are, is
    for those who see their versions."""
    states = (Run.Status.QUEUED, Run.Status.SHARDED, *Run.LEASED_STATES)
    return Run.objects.filter(status__in=states).count()


def being_evaluated(actor: Actor) -> RunQuerySet:
    """The newest runs under way of versions that the actor may see, by a union over their states:
    of several states at once, SQLite reads all runs."""
    visible = Run.objects.of_versions_visible_to(actor)
    runs = visible.select_related("version__environment__owner").order_by()
    first, *others = (runs.filter(status=each) for each in (Run.Status.SHARDED, *Run.LEASED_STATES))
    return first.union(*others, all=True).order_by("-created_at")[:RANKED]
