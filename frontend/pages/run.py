"""The live page of a run, and the page of each rollout."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from frontend import rates
from frontend.access import demand, form_methods, refused, run_or_404
from frontend.pages import rollout_filters
from frontend.pages.environment_head import tabs
from frontend.pages.refresh_interval import pace
from frontend.render import marks, plain
from registry import pipeline
from registry.accounts.permissions import can
from registry.catalog.models import Version
from registry.errors import HubError
from registry.read_models import connections, rollouts, run_overview, runs, verdicts
from registry.runs import evaluations, logs, queue, services, waiting
from registry.runs.models import Run

# A live page is replaced every few seconds and loads htmx as well, so it holds less.
ROWS, LIVE_ROWS = 50, 10  # rollouts on a page
GRID_TASKS, LIVE_TASKS = 25, 10  # on a page of each grid
TASK_ORDERS = {"task": "by number", "mean": "smallest mean", "spread": "smallest spread"}
BARS = 200  # of the most rollouts that are drawn as bars
LOG_TAIL, LIVE_LOG_TAIL = 64_000, 2_000  # characters of the log
LOG_LINES = 200  # of a search


@require_safe
def run(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The whole page."""
    row = run_or_404(request, pk)
    env = row.version.environment
    return render(
        request,
        "pages/run.html",
        {
            **live_context(request, row),
            "version_url": reverse("version", args=[env.owner.name, env.name, row.version.version]),
            "may_retry": _may_retry(request, row),
            "tabs": tabs(request, env, on="evaluations"),
            "verdict": verdicts.of_version(row.version),
        },
    )


def _may_retry(request: HttpRequest, run: Run) -> bool:
    """Whether the person may retry its held version, only from the page of the newest run, or an
    evaluation without a result."""
    if run.parent_id is not None:
        return False
    if run.is_evaluation:
        without_result = not run.is_active and run.status != Run.Status.SUCCEEDED
        return without_result and can(request.user, "run.retry", run)
    if run.is_active or run.version.status != Version.Status.HELD:
        return False
    return _is_newest(run) and can(request.user, "run.retry", run)


def _is_live(run: Run) -> bool:
    """Whether the page changes yet: a run has ended before its version is decided on."""
    deciding = run.version.status == Version.Status.EVALUATING
    return run.is_active or (deciding and _is_newest(run))


def _is_newest(run: Run) -> bool:
    newest = (
        run.version.runs.deciding().order_by("-created_at").values_list("pk", flat=True).first()
    )
    return newest == run.pk


@require_safe
def live(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The live part of the page; a reload of the whole page once the run and the decision on its
    version have ended.

    204 if nothing has changed since `seen`, so that a request per second is cheap.
    """
    row = run_or_404(request, pk)
    if not _is_live(row):
        return HttpResponseClientRefresh()
    if request.GET.get("seen") == state(row, _place(row)):
        return HttpResponse(status=204)
    return render(request, "parts/run_live.html", live_context(request, row))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run waits: its position in the queue, what it lacks, until when it is paused."""

    position: queue.Position | None
    lacking: str
    paused: datetime | None


def _place(run: Run) -> Place:
    return Place(queue.position(run), waiting.lacking(run), waiting.paused(run))


def state(run: Run, place: Place) -> str:
    """A text that changes whenever the live part changes."""
    position = place.position
    missing = "w" if place.lacking else ""
    queue_state = f".{position.before}.{position.waiting}.{position.runners}" if position else ""
    cancelling = "c" if run.cancel_requested_at else ""
    paused = "p" if place.paused else ""
    return f"{run.attempt}.{run.last_seq}.{run.status}{missing}{queue_state}{cancelling}{paused}"


def live_context(request: HttpRequest, run: Run) -> dict[str, Any]:
    """Progress, scores, rollouts and the log."""
    overview, is_live = run_overview.of_run(run), _is_live(run)
    detail = runs.detail(run)
    place = Place(detail.queue, waiting.lacking(run), detail.not_before)
    stopping = run.is_active and run.cancel_requested_at is not None
    may_cancel = run.is_active and not stopping and run.parent_id is None
    query = request.GET.copy()
    query["seen"] = state(run, place)
    return {
        "run": detail,
        "pace": pace(detail.queue),
        "lacking": place.lacking,
        "live": is_live,
        "stopping": stopping,
        "may_cancel": may_cancel and can(request.user, "run.cancel", run),
        "traffic": connections.traffic(run.facts),
        "overview": overview,
        "grids": _grids(request, overview, LIVE_TASKS if is_live else GRID_TASKS),
        "bars": overview.cells if max(run.total, len(overview.cells)) <= BARS else [],
        "live_query": query.urlencode(),
        **_selected(request, run, LIVE_ROWS if is_live else ROWS),
        **_log(request, run, LIVE_LOG_TAIL if is_live else LOG_TAIL),
    }


def _selected(request: HttpRequest, run: Run, rows: int) -> dict[str, Any]:
    """The rollouts that the address selects, a page of them."""
    chosen = rollout_filters.of_request(request.GET, run)
    page = Paginator(chosen.rows, rows).get_page(request.GET.get("page"))
    return {
        "filters": chosen.form,
        "filter_query": chosen.query,
        "filter_prefix": f"{chosen.query}&" if chosen.query else "",  # of another parameter
        "filter_values": chosen.values,
        "is_filtered": chosen.is_filtered,
        "rollout_count": run.done,
        "page": page,
        "groups": rollout_filters.groups(rollouts.summaries(page.object_list), chosen),
    }


def _log(request: HttpRequest, run: Run, characters: int) -> dict[str, Any]:
    """The end of the log, or the lines of the whole log that contain the searched text."""
    needle = request.GET.get("log", "")[: marks.MAX_NEEDLE].strip()
    if wanted := marks.pattern(needle):
        lines = enumerate(plain.log(logs.whole(run=run)).split("\n"), 1)
        matches = [(number, line) for number, line in lines if wanted.search(line)]
        return {"log_text": needle, "log_lines": matches[:LOG_LINES], "log_matches": len(matches)}
    log = logs.tail(run=run, characters=characters)
    cut = len(log) == characters
    return {"log": plain.log(log.partition("\n")[2] or log if cut else log), "log_cut": cut}


def _grids(
    request: HttpRequest, overview: run_overview.Overview, tasks_of_page: int
) -> list[dict[str, Any]]:
    """The grids of the model and of the probes, each with its page of tasks; the model's tasks by
    number, or those with the smallest mean or spread first."""
    order = request.GET.get("order", "")
    model = overview.model
    if order in ("mean", "spread"):
        model = sorted(model, key=lambda row: _smallest_first(getattr(row, order)))
    grids = (("model", model), ("probes", overview.probes))
    return [
        {
            "name": name,
            "page": Paginator(tasks, tasks_of_page).get_page(request.GET.get(name)),
            "order": order if order in TASK_ORDERS else "task",
            "orders": [{"key": key, "label": label} for key, label in TASK_ORDERS.items()],
            # of the address of another page of it
            "query": f"order={order}&{name}=" if order in TASK_ORDERS else f"{name}=",
        }
        for name, tasks in grids
        if tasks
    ]


def _smallest_first(value: float | None) -> tuple[bool, float]:
    """A key that puts tasks without a reward last."""
    return value is None, value or 0.0


@form_methods
@login_required
def cancel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show a confirmation, then cancel the run; an ended run does not change."""
    run = run_or_404(request, pk)
    user = demand(request, "run.cancel", run)
    if request.method != "POST" and run.is_active:
        context = {
            "run": runs.summary(run),
            "tabs": tabs(request, run.version.environment, on="evaluations"),
        }
        return render(request, "pages/run_cancel.html", context)
    if request.method == "POST":
        services.cancel(run=run, by=user)
    return redirect("run", pk)


@require_POST
@login_required
def retry(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Queue another run in place of one without a result."""
    run = run_or_404(request, pk)
    user = demand(request, "run.retry", run)
    try:
        rates.check(request, "retry", person=str(user.pk))
        again = evaluations.repeat if run.is_evaluation else pipeline.retry_run
        run = again(run=run, by=user)
    except HubError as problem:
        refused(request, problem)
    return redirect("run", run.pk)
