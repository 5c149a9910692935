"""Request an evaluation of a model from the page of a version."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from frontend import rates
from frontend.access import demand, refused, version_or_404
from registry.accounts import runners
from registry.accounts.permissions import can
from registry.catalog.models import Version
from registry.errors import HubError
from registry.runs import evaluations, suites


def form_context(request: HttpRequest, version: Version) -> dict[str, Any]:
    """The choices of the form; empty where the person may not request an evaluation."""
    if version.status != Version.Status.LISTED or not can(
        request.user, "version.evaluate", version
    ):
        return {}
    return {
        "suites": suites.of_environment(version.environment),
        "models": runners.models_offered(),
    }


@require_POST
@login_required
def evaluate(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Queue the run and go to its page; back to the version's page where it is refused."""
    version = version_or_404(request, owner, name, number)
    user = demand(request, "version.evaluate", version)
    model = request.POST.get("model", "").replace("\0", "").strip()
    try:
        rates.check(request, "evaluation", person=str(user.pk))
        suite = suites.named(version.environment, request.POST.get("suite", "").replace("\0", ""))
        run = evaluations.request(version=version, model=model, suite=suite, by=user)
    except HubError as problem:
        refused(request, problem)
        environment = version.environment
        return redirect("version", environment.owner.name, environment.name, version.version)
    return redirect("run", run.pk)
