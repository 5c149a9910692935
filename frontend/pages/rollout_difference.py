"""The page with the difference between two rollouts of a task."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from envyard.contract.transcript import Transcript
from frontend.access import run_or_404
from frontend.pages import rollout_filters
from frontend.pages.environment_head import tabs
from frontend.render import difference
from registry.read_models import rollouts, runs
from registry.runs import transcripts

CHOICES = 200  # rollouts of the task to choose from


@require_safe
def rollout_difference(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """Two rollouts of the same task line by line; without `against`, the first other rollout."""
    run = run_or_404(request, pk)
    row = get_object_or_404(run.rollouts.select_related("pack"), pk=number)
    of_task = run.rollouts.filter(task=row.task).exclude(pk=number).select_related("pack")
    choices = list(of_task.order_by("policy", "attempt")[:CHOICES])
    choices.sort(key=lambda choice: choice.policy != row.policy)  # attempts of its policy first
    other = choices[0] if choices else None
    if wanted := request.GET.get("against", ""):
        other = next((choice for choice in choices if str(choice.pk) == wanted), None)
        if other is None:
            raise Http404
    context = {
        "run": runs.summary(run),
        "tabs": tabs(request, run.version.environment, on="rollouts"),
        "rollout": row,
        "choices": choices,
        "other": other,
        "filters": rollout_filters.of_request(request.GET, run),
    }
    if other is not None:
        texts = [
            difference.text_of(transcript or Transcript())
            for _, transcript in transcripts.read_many((row, other))
        ]
        context |= {"sides": rollouts.summaries((row, other)), **difference.compared(texts)}
    return render(request, "pages/rollout_difference.html", context)
