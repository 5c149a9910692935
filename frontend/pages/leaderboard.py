"""The leaderboard of a version: models by one suite, and the version before it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from envyard.contract.suite import FULL
from frontend.access import follows_moves, version_or_404
from registry.errors import HubError
from registry.read_models import environments, leaderboards
from registry.runs import suites


@require_safe
@follows_moves
def leaderboard(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """The models by the suite of the query string, `full` by default."""
    version = version_or_404(request, owner, name, number)
    try:
        suite = suites.named(version.environment, request.GET.get("suite", FULL))
    except HubError as problem:
        raise Http404(problem.message) from problem
    context = {
        "env": environments.summary(version.environment),
        "owner": version.environment.owner.name,
        "name": version.environment.name,
        "number": version.version,
        "suites": [row.name for row in suites.of_environment(version.environment)],
        "board": leaderboards.leaderboard(
            version, suite, claims=version.evaluations.visible_to(request.user)
        ),
        "regression": leaderboards.regression(version, suite),
        "frozen": suite.frozen,
    }
    return render(request, "pages/leaderboard.html", context)
