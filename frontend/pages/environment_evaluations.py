"""The tab Evaluations of an environment: the models on a version by a suite, runs and claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest

from envyard.contract.suite import FULL
from frontend.pages.leaderboard import board_context
from frontend.pages.requested import may_request
from frontend.paging import page
from registry.catalog.models import Environment, Version
from registry.errors import HubError
from registry.read_models import evaluated_models, runs
from registry.read_models.evaluated_models import EvaluatedModel
from registry.runs import suites
from registry.runs.models import Run
from registry.runs.suite_models import Suite
from registry.self_reported.models import REPORTED

MAX_EVALUATIONS = 50
OFFERED = 50  # versions to choose from


def context(
    request: HttpRequest,
    env: Environment,
    version: Version | None,
    models: Sequence[EvaluatedModel],
) -> dict[str, Any]:
    """The leaderboard of the version and suite that the address names, by default those of the
    newest result of a model on this version, of `models`; all runs and pushed evaluations."""
    rows = Run.objects.filter(environment=env).of_versions_visible_to(request.user)
    newest, following = page(request, rows.for_summary(), by=("-created_at", "pk"))
    pushed = env.evaluations.visible_to(request.user).for_list().order_by("-created_at")
    return {
        "runs": runs.summaries(newest),
        "next": following,
        "evaluations": pushed[:MAX_EVALUATIONS],
        "reported": REPORTED,
        **_board(request, env, version, models),
    }


def _board(
    request: HttpRequest,
    env: Environment,
    version: Version | None,
    models: Sequence[EvaluatedModel],
) -> dict[str, Any]:
    visible = env.versions.visible_to(request.user)
    offered = list(visible.newest_first().values_list("version", flat=True)[:OFFERED])
    number = request.GET.get("version", "")
    chosen = visible.get(version=number) if number in offered else version
    if chosen is None:
        return {}
    chosen.environment = env
    choices = suites.of_environment(env)
    wanted, digest = request.GET.get("suite", ""), request.GET.get("digest", "")
    if version is None or chosen.pk != version.pk or chosen.status != Version.Status.LISTED:
        models = evaluated_models.of_version(chosen)
    suite = _suite(chosen, choices, wanted, digest, models)
    return {
        "offered": offered,
        "suites": [row.name for row in choices],
        "number": chosen.version,
        "evaluate": chosen.status == Version.Status.LISTED
        and (request.user.is_anonymous or may_request(request, chosen)),
        **board_context(request, chosen, suite, {"tab": "evaluations", "version": chosen.version}),
    }


def _suite(
    version: Version,
    choices: list[Suite],
    name: str,
    digest: str,
    models: Sequence[EvaluatedModel],
) -> Suite:
    """The one of that name and digest, else that of the version's newest result of a model, which
    may be an earlier definition, else `full`. Raises Http404 for a digest that none has."""
    by_name = {row.name: row for row in choices}
    if name in by_name and not digest:
        return by_name[name]
    if name and digest:
        try:
            return suites.named(version.environment, name, digest=digest)
        except HubError as problem:
            raise Http404(problem.message) from problem
    newest = next((model.suite_id for model in models if model.suite_id), None)
    if newest is None:
        return by_name[FULL]
    return next((row for row in choices if row.pk == newest), None) or Suite.objects.get(pk=newest)
