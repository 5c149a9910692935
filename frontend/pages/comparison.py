"""Two sides compared on the same tasks: runs, pushed evaluations, or versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from envyard.contract.job import MODEL
from frontend.access import run_or_404, sentences
from frontend.pages.environment_head import tabs
from registry.errors import HubError, NotFound
from registry.read_models import chosen_sides, compared_sides, verdicts
from registry.read_models import links as links_of
from registry.read_models.comparable_sides import Row
from registry.read_models.paired_runs import ComparedTask
from registry.runs.models import Rollout, Run

TASKS = 100  # on a page


@dataclass(frozen=True, slots=True)
class LinkedTask:
    """A compared task with the pages of its rollouts, or samples, on either side."""

    task: ComparedTask
    first: list[tuple[str, str]]  # label, address
    second: list[tuple[str, str]]
    both: str  # the page with both side by side, of two runs


@require_safe
def comparison(request: HttpRequest, pk: UUID, other: UUID) -> HttpResponse:
    """Two runs of the address."""
    return _page(request, run_or_404(request, pk), run_or_404(request, other))


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """The sides of the query string; a picker where one or both are missing."""
    first, second = (request.GET.get(name, "").replace("\0", "") for name in ("first", "second"))
    try:
        if first.strip() and second.strip():
            return _page(request, *chosen_sides.pair(first, second, actor=request.user))
        only = first.strip() or second.strip()
        row = chosen_sides.named(only, actor=request.user) if only else None
        return _page(request, row, None)
    except NotFound as problem:
        if not problem.hint:
            raise Http404 from problem
        return _page(request, None, None, refusal=problem)
    except HubError as problem:
        return _page(request, None, None, refusal=problem)


def _page(
    request: HttpRequest, first: Row | None, second: Row | None, refusal: HubError | None = None
) -> HttpResponse:
    """The comparison; 409 with what differs where the sides do not compare."""
    side = compared_sides.side if first and second else compared_sides.single_side
    context: dict[str, Any] = {
        "first": side(first) if first else None,
        "second": side(second) if second else None,
        "first_text": request.GET.get("first", ""),
        "second_text": request.GET.get("second", ""),
    }
    known = first or second
    if known is not None:
        environment = known.version.environment if isinstance(known, Run) else known.environment
        context |= {
            "environment": environment,
            "verdict": verdicts.of_environment(environment),
            "tabs": tabs(request, environment, on="evaluations"),
            "choices": chosen_sides.choices(known, actor=request.user),
            "known": str(known.pk),
        }
    if refusal is None and first is not None and second is not None:
        try:
            result, tasks = compared_sides.compare_sides(first, second)
            context |= {"result": result, "page": _linked(request, first, second, tasks)}
        except HubError as problem:
            refusal = problem
    if refusal is not None:
        context["refusal"] = sentences(refusal)
        return render(request, "pages/comparison.html", context, status=refusal.status)
    return render(request, "pages/comparison.html", context)


def _linked(request: HttpRequest, first: Row, second: Row, tasks: Sequence[ComparedTask]) -> Any:
    """The page of tasks, its objects with links."""
    page = Paginator(tasks, TASKS).get_page(request.GET.get("page"))
    rows = list(page.object_list)
    links = (
        _rollouts(first, [row.first_index for row in rows]),
        _rollouts(second, [row.second_index for row in rows]),
    )
    linked = [
        LinkedTask(
            row, links[0][row.first_index], links[1][row.second_index], _both(first, second, row)
        )
        for row in rows
    ]
    page.object_list = linked  # type: ignore[assignment]
    return page


def _both(first: Row, second: Row, task: ComparedTask) -> str:
    if not isinstance(first, Run) or not isinstance(second, Run):
        return ""
    return reverse("task-comparison", args=[first.pk, second.pk, task.first_index])


def _rollouts(row: Row, tasks: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """Label and address of each rollout of the tasks, or of the samples of each; one query."""
    links: dict[int, list[tuple[str, str]]] = defaultdict(list)
    if isinstance(row, Run):
        rows = Rollout.objects.filter(run=row, policy=MODEL, task__in=tasks).order_by("attempt")
        for pk, task, attempt in rows.values_list("pk", "task", "attempt"):
            links[task].append((str(attempt), links_of.rollout_path(row.pk, pk)))
        return links
    names = row.environment.owner.name, row.environment.name
    address = reverse("evaluation-samples", args=[*names, row.pk])
    for task in tasks:
        links[task].append(("samples", f"{address}?task={task}"))
    return links
