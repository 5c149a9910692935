"""The page of a version: pipeline, findings, card, and the actions of owners and staff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from envyard.contract.findings import is_requirement
from frontend import rates
from frontend.access import demand, follows_moves, person, refused, version_or_404
from frontend.pages import requested
from frontend.pages.environment_head import head, tabs
from frontend.pages.refresh_interval import pace
from registry import pipeline
from registry.accounts.permissions import can
from registry.catalog import locks, overlays
from registry.catalog.deletion import delete_version
from registry.catalog.models import Version
from registry.errors import HubError, NotFound
from registry.read_models import environments, versions
from registry.read_models import locks as lock_models
from registry.read_models.needs import Requirement
from registry.remeasurements import services as remeasurements
from registry.runs import waiting

MOVING = (Version.Status.UPLOADED, Version.Status.CHECKING, Version.Status.EVALUATING)


@require_safe
@follows_moves
def version(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """The whole page."""
    row = version_or_404(request, owner, name, number)
    context = live_context(row)
    return render(
        request,
        "pages/version.html",
        {
            **context,
            "evaluate": requested.may_request(request, row),
            "tabs": tabs(request, row.environment, on="versions"),
            "env": environments.summary(row.environment),
            **head(request, row.environment, row),
            "locks": lock_models.summaries(row),
            "may_yank": can(request.user, "version.yank", row),
            "may_delete": can(request.user, "version.delete", row),
            "quarantine_reason": row.environment.quarantine_reason or row.quarantine_reason,
            "own_quarantine": row.quarantined_at,
            "may_quarantine": can(request.user, "version.quarantine", row),
            "may_retry": row.status == Version.Status.HELD
            and can(request.user, "version.retry", row),
            "may_remeasure": row.status == Version.Status.LISTED
            and can(request.user, "version.retry", row),
            "may_provide": may_provide(request, row, context["version"].requirements),
            "may_rejudge": row.status == Version.Status.REJECTED
            and can(request.user, "version.rejudge", row),
        },
    )


def may_provide(
    request: HttpRequest, version: Version, requirements: Sequence[Requirement]
) -> bool:
    """Whether the version is held for what the person can set in the environment's settings."""
    states = {requirement.state for requirement in requirements}
    lacks = not states.isdisjoint({"needs_secret", "needs_host"})
    return lacks and can(request.user, "environment.manage", version.environment)


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
    """The live part of the page; a reload of the whole page once the hub has decided.

    204 if nothing has changed since `seen`.
    """
    context = live_context(version_or_404(request, owner, name, number))
    if not context["live"]:
        return HttpResponseClientRefresh()
    if request.GET.get("seen") == context["seen"]:
        return HttpResponse(status=204)
    return render(request, "parts/version_live.html", context)


def live_context(version: Version) -> dict[str, Any]:
    """The context of the live part; `seen` changes whenever the live part changes."""
    detail = versions.detail(version)
    run = detail.run
    position = run.queue if run else None
    queued = version.runs.filter(pk=run.id).first() if run and position else None
    lacking = waiting.lacking(queued) if queued else ""
    values: list[object] = [version.status, "lacking" if lacking else ""]
    if run:
        values += [run.id, run.status, run.attempt, run.done, run.total, bool(run.not_before)]
    if position:
        values += astuple(position)
    return {
        "pace": pace(position),
        "seen": ".".join(map(str, values)),
        "owner": version.environment.owner.name,
        "name": version.environment.name,
        "version": detail,
        "findings": [
            row for row in detail.findings if not (detail.requirements and is_requirement(row.code))
        ],
        "lacking": lacking,
        "resumes": all(row.automatic for row in detail.requirements),
        "live": version.status in MOVING,
    }


@require_POST
@login_required
def yank(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Yank it with the reason of the form."""
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
    """Delete it permanently, if its number was typed."""
    version = version_or_404(request, owner, name, number)
    user, env = demand(request, "version.delete", version), version.environment
    if request.POST.get("confirm", "").strip() != version.version:
        messages.error(request, f"{version} was not deleted: type {version.version} to confirm.")
        return redirect("version", env.owner.name, env.name, version.version)
    delete_version(version=version, by=user)
    messages.success(request, f"{version} was deleted.")
    return redirect("environment", env.owner.name, env.name)


@require_POST
@login_required
def retry(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Evaluate a held version again, or measure a listed one again."""

    def again(version: Version) -> None:
        user = person(request)
        rates.check(request, "retry", person=str(user.pk))
        remeasurements.retry(version=version, by=user)

    return act(request, version_or_404(request, owner, name, number), "version.retry", again)


@require_POST
@login_required
def rejudge(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Decide again on a rejected version, with the reason of the form."""
    reason = request.POST.get("reason", "").replace("\0", "")
    return act(
        request,
        version_or_404(request, owner, name, number),
        "version.rejudge",
        lambda v: pipeline.rejudge(version=v, by=person(request), reason=reason),
    )


def act(
    request: HttpRequest, version: Version, verb: str, do: Callable[[Version], object]
) -> HttpResponse:
    """Check the permission, perform the action, and redirect to the version's page."""
    demand(request, verb, version)
    try:
        do(version)
    except HubError as problem:
        refused(request, problem)
    env = version.environment
    return redirect("version", env.owner.name, env.name, version.version)
