"""One run, live; and each of its rollouts as a conversation."""

from __future__ import annotations

import json
from statistics import median
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from envyard.contract.transcript import Transcript
from frontend import rates
from frontend.access import demand, refused, run_or_404, takes_form
from frontend.pages.refresh_interval import pace
from frontend.render import plain
from frontend.render.transcript import SHOWN, conversations
from registry import pipeline
from registry.accounts.permissions import can
from registry.api import rollout_shapes, shapes
from registry.card.rescoring import agree
from registry.catalog.models import Version
from registry.errors import HubError
from registry.runs import logs, queries, queue, services, transcripts, waiting
from registry.runs.models import Run

ROWS = 100
LOG_TAIL = 64_000


@require_safe
def run(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The whole page."""
    found = run_or_404(request, pk)
    env = found.version.environment
    return render(
        request,
        "pages/run.html",
        {
            **live_context(request, found),
            "version_url": reverse(
                "version", args=[env.owner.name, env.name, found.version.version]
            ),
            "may_retry": _may_retry(request, found),
        },
    )


def _may_retry(request: HttpRequest, found: Run) -> bool:
    """Whether the person may have its held version evaluated again; its newest run decides."""
    if found.is_active or found.version.status != Version.Status.HELD:
        return False
    newest = found.version.runs.order_by("-created_at").values_list("pk", flat=True).first()
    return newest == found.pk and can(request.user, "run.retry", found)


@require_safe
def live(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The part that changes while the run is active; then the page, for what stands around it.

    204 where nothing has changed since `seen`, so that asking every second costs next to nothing.
    """
    found = run_or_404(request, pk)
    if not found.is_active:
        return HttpResponseClientRefresh()
    if request.GET.get("seen") == state(found):
        return HttpResponse(status=204)
    return render(request, "parts/run_live.html", live_context(request, found))


def state(found: Run) -> str:
    """Changes whenever the run's page would."""
    lacks = "w" if waiting.lacking(found) else ""
    place = queue.position(found)
    stands = f".{place.before}.{place.waiting}.{place.runners}" if place else ""
    asked = "c" if found.cancel_requested_at else ""
    paused = "p" if waiting.paused(found) else ""
    return f"{found.attempt}.{found.last_seq}.{found.status}{lacks}{stands}{asked}{paused}"


def live_context(request: HttpRequest, found: Run) -> dict[str, Any]:
    """Progress, scores, rollouts and the log's tail."""
    cells = list(found.rollouts.only("run", "policy", "task", "ok", "reward").order_by("pk"))
    policy, failed = request.GET.get("policy", ""), request.GET.get("failed") == "1"
    rows = queries.rollouts(run=found, policy=policy, ok=False if failed else None)
    wanted = sum(policy in ("", cell.policy) and not (failed and cell.ok) for cell in cells)
    detail = shapes.run_detail(found)
    log = logs.tail(run=found, characters=LOG_TAIL)
    cut = len(log) == LOG_TAIL
    stopping = found.is_active and found.cancel_requested_at is not None
    return {
        "run": detail,
        "pace": pace(detail),
        "lacking": waiting.lacking(found),
        "live": found.is_active,
        "stopping": stopping,
        "may_cancel": found.is_active and not stopping and can(request.user, "run.cancel", found),
        "rollouts": cells,
        "policy": policy,
        "failed": failed,
        "live_query": urlencode({"policy": policy, "failed": int(failed), "seen": state(found)}),
        "shown": rollout_shapes.summaries(rows.order_by("pk")[:ROWS]),
        "hidden": max(wanted - ROWS, 0),
        "log": plain.log(log.partition("\n")[2] or log if cut else log),
        "log_cut": cut,
    }


@require_safe
def rollout(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """One rollout's conversation and reward, with its neighbours."""
    found = run_or_404(request, pk)
    one = get_object_or_404(found.rollouts.select_related("pack"), pk=number)
    told = transcripts.read(one) or Transcript()
    before = found.rollouts.filter(pk__lt=number).order_by("-pk").values_list("pk", flat=True)
    after = found.rollouts.filter(pk__gt=number).order_by("pk").values_list("pk", flat=True)
    address = {
        key: reverse("rollout", args=[pk, other]) if other else ""
        for key, other in (("previous", before.first()), ("following", after.first()))
    }
    return render(
        request,
        "pages/rollout.html",
        {
            "run": shapes.run_summary(found),
            "rollout": rollout_shapes.summary(one),
            **_told(told),
            "differs": one.rescored is not None and not agree(one.reward, one.rescored),
            "raw": reverse("api-rollout", args=[pk, number]),
            **address,
        },
    )


def _told(told: Transcript) -> dict[str, Any]:
    """What the page shows of a transcript."""
    tools = [tool for offered in told.tools for tool in offered]
    first = [call.first_seconds for call in told.calls if call.first_seconds is not None]
    return {
        "conversations": list(conversations(told)),
        "hidden": max(len(told.ends) - SHOWN, 0),
        "first_token": median(first) if first else None,
        "sampling": told.calls[-1].sampling if told.calls else {},
        "tools": [{"name": _name(tool), "text": _laid_out(tool)} for tool in tools],
        "options": [
            {"names": ", ".join(asked), "text": _laid_out(asked)} for asked in told.options
        ],
    }


def _laid_out(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _name(tool: dict[str, Any]) -> str:
    function = tool.get("function")
    return str(function.get("name") if isinstance(function, dict) else tool.get("name"))


@takes_form
@login_required
def cancel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask, then have the run stopped; one that has ended stays as it is."""
    found = run_or_404(request, pk)
    user = demand(request, "run.cancel", found)
    if request.method != "POST" and found.is_active:
        return render(request, "pages/run_cancel.html", {"run": shapes.run_summary(found)})
    if request.method == "POST":
        services.cancel(run=found, by=user)
    return redirect("run", pk)


@require_POST
@login_required
def retry(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Queue another run in the place of one without a result."""
    found = run_or_404(request, pk)
    user = demand(request, "run.retry", found)
    try:
        rates.check(request, "retry", who=str(user.pk))
        found = pipeline.retry_run(run=found, by=user)
    except HubError as problem:
        refused(request, problem)
    return redirect("run", found.pk)
