"""The front page."""

from __future__ import annotations

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
LEARNABLE = "Most learnable for this hub’s model"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first environments of one order of the browse page."""

    title: str
    sort: str
    environments: list[EnvironmentSummary]


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Introduction, search field, runs under way, and the first environments of each order."""
    newest, *lists = rankings()
    return render(
        request,
        "pages/home.html",
        {
            "environments": newest.environments,
            "first_runs": 0 if newest.environments else waiting_or_under_way(),
            "counts": hub_counts.current(),
            "lists": [ranking for ranking in lists if ranking.environments],
            "running": list(being_evaluated(request.user)),
        },
    )


def rankings() -> list[Ranking]:
    """The newest environments, then each ranking; those without an installation or a model's result
    are left out of it, so that a new hub shows no ranking of nothing. The keys of each are read
    from its index, and the rows of all in one query."""
    public = Environment.objects.listed().filter(visibility=Environment.Visibility.PUBLIC)
    installed, learnable = public.filter(installs__gt=0), public.filter(learnability__gt=0)
    keys = {
        ("Just listed", "fresh"): first_keys(public, "-fresh_at", SHOWN),
        ("Most installed", "installs"): first_keys(installed, "-installs", RANKED),
        (LEARNABLE, "learnability"): first_keys(learnable, "-learnability", RANKED),
    }
    shown = {key for row_keys in keys.values() for key in row_keys}
    rows = Environment.objects.for_list().filter(pk__in=shown)
    summaries = {row.pk: environments.summary(row) for row in rows}
    return [
        Ranking(title, sort, [summaries[key] for key in row_keys if key in summaries])
        for (title, sort), row_keys in keys.items()
    ]


def first_keys(rows: EnvironmentQuerySet, order: str, number: int) -> list[int]:
    """The keys of the first rows in that order."""
    return list(rows.order_by(order, "-pk").values_list("pk", flat=True)[:number])


def waiting_or_under_way() -> int:
    """The number of runs that have not ended, for a hub that lists nothing yet: whose they are, is
    for those who see their versions."""
    states = (Run.Status.QUEUED, Run.Status.SHARDED, *Run.LEASED_STATES)
    return Run.objects.filter(status__in=states).count()


def being_evaluated(actor: Actor) -> RunQuerySet:
    """The newest runs under way of versions that the actor may see. Their keys come from a union
    over the states: of several states at once, SQLite reads all runs."""
    first, *others = (
        Run.with_shards.filter(status=status).order_by().values("pk")
        for status in (Run.Status.SHARDED, *Run.LEASED_STATES)
    )
    under_way = Run.objects.filter(pk__in=first.union(*others, all=True))
    rows = under_way.of_versions_visible_to(actor).defer("facts", "version__readme")
    return rows.select_related("version__environment__owner").order_by("-created_at")[:RANKED]
