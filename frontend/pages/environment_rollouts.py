"""The tab Rollouts of an environment: those of one version across its runs, by task."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Exists, Max, Min, OuterRef
from django.http import HttpRequest

from frontend.pages import rollout_filters
from registry.accounts.permissions import can
from registry.catalog.models import Environment, Version
from registry.read_models import rollouts
from registry.read_models.run_overview import Scale
from registry.runs.models import Rollout, Run

ROWS = 100
RUNS = 10  # of a version, the newest, whose rollouts are listed
OFFERED = 50  # versions to choose from


def context(request: HttpRequest, env: Environment, version: Version | None) -> dict[str, Any]:
    """The rollouts that the address selects, a page of them, of the version that it names; by
    default of this version, or else of the newest that has rollouts."""
    chosen, offered = _version(request, env, version)
    runs = _runs(request, chosen) if chosen else []
    selected = rollout_filters.of_runs(request.GET, runs)
    page = Paginator(selected.rows, ROWS).get_page(request.GET.get("page"))
    by_pk = {run.pk: run for run in runs}
    rows = [rollouts.summary_of_run(row, by_pk[row.run_id]) for row in page.object_list]
    kept = {"tab": "rollouts", "version": chosen.version if chosen else ""}
    return {
        "across": True,
        "offered": offered,
        "number": kept["version"],
        "runs": runs,
        "is_cut": len(runs) == RUNS,
        "scale": _scale(selected),
        "filters": selected.form,
        "filter_query": selected.query,
        "filter_prefix": f"{urlencode([*kept.items(), *selected.values])}&",
        "is_filtered": selected.is_filtered,
        "kept": list(kept.items()),
        "unfiltered": urlencode(kept),
        "rollout_count": selected.all_rows.count(),
        "page": page,
        "groups": rollout_filters.groups(rows, selected),
    }


def _version(
    request: HttpRequest, env: Environment, version: Version | None
) -> tuple[Version | None, list[str]]:
    """The chosen version, and the numbers of those with rollouts that the person may see."""
    played = Exists(Rollout.objects.filter(run__version=OuterRef("pk")))
    visible = env.versions.visible_to(request.user).filter(played)
    rows = list(visible.newest_first().defer("readme")[:OFFERED])
    by_number = {row.version: row for row in rows}
    usual = by_number.get(version.version if version else "") or next(iter(rows), None)
    chosen = by_number.get(request.GET.get("version", "")) or usual
    if chosen is not None:
        chosen.environment = env
    return chosen, list(by_number)


def _runs(request: HttpRequest, version: Version) -> list[Run]:
    """The newest runs of the version that have rollouts, where the person may see them."""
    played = Exists(Rollout.objects.filter(run=OuterRef("pk")))
    newest = version.runs.filter(played).select_related("suite").order_by("-created_at")
    runs = list(newest[:RUNS])
    for run in runs:
        run.version = version
    return [run for run in runs if can(request.user, "run.see", run)]


def _scale(chosen: rollout_filters.Chosen) -> Scale:
    """The axis of the rewards of all these runs."""
    ends = chosen.all_rows.aggregate(low=Min("reward"), high=Max("reward"))
    return Scale(min(0.0, ends["low"] or 0.0), max(1.0, ends["high"] or 1.0))
