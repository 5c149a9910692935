"""Two runs compared on the same tasks and attempts."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from frontend.access import run_or_404, sentences
from registry.errors import HubError
from registry.read_models import paired_runs, verdicts

TASKS = 100  # on a page


@require_safe
def comparison(request: HttpRequest, pk: UUID, other: UUID) -> HttpResponse:
    """Difference, wins and losses, and the means of each task; 409 with what differs where the runs
    do not compare."""
    first, second = run_or_404(request, pk), run_or_404(request, other)
    environment = first.version.environment
    context: dict[str, Any] = {"first": first, "second": second, "environment": environment}
    context["verdict"] = verdicts.of_environment(environment)
    try:
        result, tasks = paired_runs.comparison_by_task(first, second)
    except HubError as problem:
        context |= {"refusal": sentences(problem)}
        return render(request, "pages/comparison.html", context, status=problem.status)
    context |= {"result": result, "page": Paginator(tasks, TASKS).get_page(request.GET.get("page"))}
    return render(request, "pages/comparison.html", context)
