"""The tab Evaluations of an environment: the models on a version by a suite, runs and claims."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from envyard.contract.suite import FULL
from frontend.pages.leaderboard import board_context
from frontend.pages.requested import may_request
from frontend.paging import page
from registry import lookup
from registry.catalog.models import Environment, Version
from registry.read_models import runs
from registry.runs import suites
from registry.runs.models import Run
from registry.runs.suite_models import Suite
from registry.self_reported.models import REPORTED

MAX_EVALUATIONS = 50
OFFERED = 50  # versions to choose from


def context(request: HttpRequest, env: Environment, version: Version | None) -> dict[str, Any]:
    """The leaderboard of the version and suite that the address names, by default those of the
    newest result of a model on this version; all runs and pushed evaluations."""
    visible = env.versions.visible_to(request.user)
    # The database sorts the runs of thousands of versions: their keys alone, not whole rows.
    keys = Run.objects.filter(version__in=visible).only("pk", "created_at")
    newest, following = page(request, keys, by=("-created_at", "pk"))
    whole = lookup.RUNS.in_bulk([run.pk for run in newest])
    pushed = env.evaluations.visible_to(request.user).for_summary().order_by("-created_at")
    return {
        "runs": runs.summaries([whole[run.pk] for run in newest]),
        "next": following,
        "evaluations": pushed[:MAX_EVALUATIONS],
        "reported": REPORTED,
        **_board(request, env, version),
    }


def _board(request: HttpRequest, env: Environment, version: Version | None) -> dict[str, Any]:
    visible = env.versions.visible_to(request.user)
    offered = list(visible.newest_first().values_list("version", flat=True)[:OFFERED])
    number = request.GET.get("version", "")
    chosen = visible.get(version=number) if number in offered else version
    if chosen is None:
        return {}
    chosen.environment = env
    choices = suites.of_environment(env)
    suite = _suite(chosen, choices, request.GET.get("suite", ""))
    return {
        "offered": offered,
        "suites": [row.name for row in choices],
        "number": chosen.version,
        "evaluate": chosen.status == Version.Status.LISTED
        and (request.user.is_anonymous or may_request(request, chosen)),
        **board_context(request, chosen, suite),
    }


def _suite(version: Version, choices: list[Suite], name: str) -> Suite:
    """The one of that name, else that of the version's newest result of a model, else `full`."""
    measured = Run.objects.filter(version=version, status=Run.Status.SUCCEEDED).exclude(model="")
    newest = "" if name else measured.order_by("-created_at").values_list("suite__name", flat=True)
    wanted = name or newest.first()  # type: ignore[union-attr]
    by_name = {row.name: row for row in choices}
    return by_name.get(wanted or FULL) or by_name[FULL]
