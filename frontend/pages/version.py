"""One version: its pipeline, findings and card, and what owners and staff do with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from frontend import rates
from frontend.access import demand, follows_moves, person, refused, version_or_404
from frontend.pages.environment import install_lines
from frontend.pages.refresh_interval import pace
from registry import pipeline
from registry.accounts.permissions import can
from registry.api import shapes
from registry.catalog import locks, overlays
from registry.catalog.deletion import delete_version
from registry.catalog.models import Version
from registry.errors import HubError, NotFound
from registry.runs import waiting

MOVING = (Version.Status.UPLOADED, Version.Status.CHECKING, Version.Status.EVALUATING)


@require_safe
@follows_moves
def version(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """The whole page."""
    found = version_or_404(request, owner, name, number)
    return render(
        request,
        "pages/version.html",
        {
            **live_context(found),
            "env": shapes.environment_summary(found.environment),
            "locks": shapes.lock_summaries(found),
            "install": install_lines(found),
            "may_yank": can(request.user, "version.yank", found),
            "may_delete": can(request.user, "version.delete", found),
            "quarantine_reason": found.environment.quarantine_reason or found.quarantine_reason,
            "own_quarantine": found.quarantined_at,
            "may_quarantine": can(request.user, "version.quarantine", found),
            "may_retry": found.status == Version.Status.HELD
            and can(request.user, "version.retry", found),
            "may_rejudge": found.status == Version.Status.REJECTED
            and can(request.user, "version.rejudge", found),
        },
    )


@require_safe
@follows_moves
def lock(request: HttpRequest, owner: str, name: str, number: str, platform: str) -> HttpResponse:
    """Its dependencies on a platform, as a requirements file."""
    version = version_or_404(request, owner, name, number)
    try:
        text = locks.of(version, platform).text
    except NotFound as problem:
        raise Http404(problem.message) from problem
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_safe
def live(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """The part that changes while the hub decides; then the page, for what stands around it.

    204 where nothing has changed since `seen`.
    """
    context = live_context(version_or_404(request, owner, name, number))
    if not context["live"]:
        return HttpResponseClientRefresh()
    if request.GET.get("seen") == context["seen"]:
        return HttpResponse(status=204)
    return render(request, "parts/version_live.html", context)


def live_context(found: Version) -> dict[str, Any]:
    """What both need; `seen` changes whenever what is shown would."""
    detail = shapes.version_detail(found)
    run = detail["run"] or {}
    place = run.get("queue") or {}
    queued = found.runs.filter(pk=run["id"]).first() if place else None
    lacking = waiting.lacking(queued) if queued else ""
    shown = [run.get(name) for name in ("id", "status", "attempt", "done", "total")]
    shown += ["paused" if run.get("not_before") else "", "lacking" if lacking else ""]
    return {
        "pace": pace(detail["run"]),
        "seen": ".".join(map(str, (found.status, *shown, *place.values()))),
        "owner": found.environment.owner.name,
        "name": found.environment.name,
        "version": detail,
        "lacking": lacking,
        "live": found.status in MOVING,
    }


@require_POST
@login_required
def yank(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Yank it with the reason given."""
    reason = request.POST.get("reason", "").replace("\0", "")
    return act(
        request,
        version_or_404(request, owner, name, number),
        "version.yank",
        lambda v: overlays.yank(version=v, by=person(request), reason=reason),
    )


@require_POST
@login_required
def unyank(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Undo the yank."""
    return act(
        request,
        version_or_404(request, owner, name, number),
        "version.yank",
        lambda v: overlays.unyank(version=v, by=person(request)),
    )


@require_POST
@login_required
def delete(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Delete it for good, once its number was typed."""
    found = version_or_404(request, owner, name, number)
    user, env = demand(request, "version.delete", found), found.environment
    if request.POST.get("confirm", "").strip() != found.version:
        messages.error(request, f"{found} was not deleted: type {found.version} to confirm.")
        return redirect("version", env.owner.name, env.name, found.version)
    delete_version(version=found, by=user)
    messages.success(request, f"{found} was deleted.")
    return redirect("environment", env.owner.name, env.name)


@require_POST
@login_required
def retry(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Evaluate a held version again."""

    def again(found: Version) -> None:
        user = person(request)
        rates.check(request, "retry", who=str(user.pk))
        pipeline.retry(version=found, by=user)

    return act(request, version_or_404(request, owner, name, number), "version.retry", again)


@require_POST
@login_required
def rejudge(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Decide again on a rejected version, with the reason given."""
    reason = request.POST.get("reason", "").replace("\0", "")
    return act(
        request,
        version_or_404(request, owner, name, number),
        "version.rejudge",
        lambda v: pipeline.rejudge(version=v, by=person(request), reason=reason),
    )


def act(
    request: HttpRequest, found: Version, verb: str, do: Callable[[Version], object]
) -> HttpResponse:
    """Ask, do, and go back to the version's page, which shows what became of it."""
    demand(request, verb, found)
    try:
        do(found)
    except HubError as problem:
        refused(request, problem)
    env = found.environment
    return redirect("version", env.owner.name, env.name, found.version)
