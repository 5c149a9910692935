"""One task of two compared runs: both rollouts of an attempt side by side."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from envyard.card.paired import Task
from envyard.contract.job import MODEL
from envyard.contract.transcript import Transcript
from frontend.access import run_or_404
from frontend.pages.environment_head import tabs
from frontend.render import difference
from registry.errors import HubError
from registry.read_models import paired_runs, rollouts
from registry.runs import transcripts
from registry.runs.models import Rollout, Run


@require_safe
def task_comparison(request: HttpRequest, pk: UUID, other: UUID, task: int) -> HttpResponse:
    """The attempt of the query string, else the first that both runs have; `task` is the index in
    the first run. Runs that do not compare lead to the page that says why."""
    first, second = run_or_404(request, pk), run_or_404(request, other)
    try:
        paired_runs.check(first, second)
    except HubError:
        return redirect("run-comparison", pk, other)
    index = _index_in(second, paired_runs.tasks_of(first).get(task, ("", task)))
    left, right = _attempts(first, task), _attempts(second, index)
    shared = sorted(left.keys() & right.keys())
    wanted = request.GET.get("attempt", "")
    attempt = next((each for each in shared if str(each) == wanted or not wanted), None)
    if attempt is None:
        raise Http404
    rows = left[attempt], right[attempt]
    texts = [
        difference.text_of(transcript or Transcript())
        for _, transcript in transcripts.read_many(rows)
    ]
    context = {
        "env": first.version.environment,
        "tabs": tabs(request, first.version.environment, on="evaluations"),
        "runs": list(zip((first, second), rollouts.summaries(rows), strict=True)),
        "first": first,
        "second": second,
        "task": task,
        "attempt": attempt,
        "attempts": shared,
        **difference.compared(texts),
    }
    return render(request, "pages/task_comparison.html", context)


def _index_in(run: Run, task: Task) -> int:
    """The index of the same task in the other run; a task without a hash keeps its index."""
    if not task[0]:
        return task[1]
    index = paired_runs.indexes_of(run).get(task)
    if index is None:
        raise Http404
    return index


def _attempts(run: Run, task: int) -> dict[int, Rollout]:
    rows = run.rollouts.filter(policy=MODEL, task=task).select_related("pack")
    return {row.attempt: row for row in rows}
