"""One run, live; and each of its rollouts as a conversation."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from frontend.access import demand, refused, run_or_404
from frontend.render.transcript import turns
from registry.accounts.permissions import can
from registry.api import shapes
from registry.errors import HubError
from registry.runs import services, waiting
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
            "may_cancel": can(request.user, "run.cancel", found),
        },
    )


@require_safe
def live(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The part that changes while the run is active; then the page, for what stands around it."""
    context = live_context(request, run_or_404(request, pk))
    if not context["live"]:
        return HttpResponseClientRefresh()
    return render(request, "parts/run_live.html", context)


def live_context(request: HttpRequest, found: Run) -> dict[str, Any]:
    """Progress, scores, rollouts and the log's tail."""
    cells = list(found.rollouts.only("run", "policy", "task", "ok", "reward").order_by("pk"))
    policy = request.GET.get("policy", "")
    rows = found.rollouts.filter(**{"policy": policy} if policy else {}).defer("messages")
    wanted = sum(policy in ("", cell.policy) for cell in cells)
    text = "".join(found.log.order_by("attempt", "seq").values_list("text", flat=True))
    return {
        "run": shapes.run_detail(found),
        "lacking": waiting.lacking(found),
        "live": found.is_active,
        "rollouts": cells,
        "policy": policy,
        "shown": shapes.rollout_summaries(rows.order_by("pk")[:ROWS]),
        "hidden": max(wanted - ROWS, 0),
        "log": text[-LOG_TAIL:],
    }


@require_safe
def rollout(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """One rollout's conversation and reward, with its neighbours."""
    found = run_or_404(request, pk)
    one = get_object_or_404(found.rollouts, pk=number)
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
            "rollout": shapes.rollout_detail(one),
            "turns": turns(one.messages),
            "raw": reverse("api-rollout", args=[pk, number]),
            **address,
        },
    )


@require_POST
@login_required
def cancel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask the run to stop."""
    found = run_or_404(request, pk)
    user = demand(request, "run.cancel", found)
    try:
        services.cancel(run=found, by=user)
    except HubError as problem:
        refused(request, problem)
    return redirect("run", pk)
